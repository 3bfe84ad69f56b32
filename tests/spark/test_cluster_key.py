"""Two clusters with one cluster id in one lake, as earlier releases could write it, and a renamed cluster."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

import kafka_census
from harness.both_engines import by_duckdb, by_spark
from kafka_census.census.publish.promote import promote
from kafka_census.declarations.census import Census
from kafka_census.errors import WrongCluster
from kafka_census.lake.cluster_key import Names
from kafka_census.lake.lake import Lake
from kafka_census.lake.publications import last_published
from kafka_census.reading.report.answer import censuses
from kafka_census.reading.report.in_duckdb import InDuckDB
from kafka_census.reading.report.newest import Choice
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS
from kafka_census.terminal.progress import NullProgress
from spark.fake_lake import passing
from spark.report_lake import NOON, census, partition, publish

PROD, DEV, NEXT = (
    replace(census(number, name), cluster_id="copied") for number, name in enumerate(("prod", "dev", "prod"))
)
SAID = rf"cluster id copied has censuses under 2 names, dev, prod: .* {DEV.census_id} of dev; .* need two lakes$"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    made = Lake(root=str(tmp_path_factory.mktemp("copied") / "lake"))
    rows = {one: {"under_min_isr_partitions": [partition(f"of-{one.cluster}", 0, "OFFLINE")]} for one in (PROD, DEV)}
    publish(made, rows)
    return made


@pytest.mark.parametrize(
    ("of_one", "present", "expected"),
    [
        (("prod",), {}, [PROD]),
        (("prod", "dev"), {"dev": "prod"}, [DEV]),
        ((), {}, [DEV, PROD]),
    ],
)
def test_a_report_is_of_the_names_of_its_cluster(
    lake: Lake, of_one: tuple[str, ...], present: Mapping[str, str], expected: list[Census]
) -> None:
    """Never of the other cluster; of a renamed one its last census is reported, whatever the name then was."""
    reports = censuses(InDuckDB(str(lake.root)), Choice(Names(of_one, present), limit=5), NOON)
    assert [(one.census_id, one.cluster) for one in reports] == [(one.census_id, one.cluster) for one in expected]
    sections = [one for report in reports for one in report.sections if one.table == UNDER_MIN_ISR_PARTITIONS.name]
    topics = [[cell for row in one.rows for cell in row if str(cell).startswith("of-")] for one in sections]
    assert topics == [[f"of-{one.cluster}"] for one in expected]


def test_all_readers_show_the_last_census_of_the_id_and_say_so(spark: SparkSession, lake: Lake) -> None:
    """Spark, DuckDB and Python: a statement that joins tables by `cluster_id` never joins two clusters."""
    with pytest.warns(UserWarning, match=SAID):
        kafka_census.register(spark, str(lake.root))
    statement = "SELECT census_id, topic FROM current_under_min_isr_partitions"
    found = by_spark(spark, statement)
    assert found == by_duckdb(str(lake.root), statement) == [(("census_id", DEV.census_id), ("topic", "of-dev"))]
    with pytest.warns(UserWarning, match=SAID):
        [rows] = kafka_census.current(str(lake.root), "under_min_isr_partitions")
    assert rows.to_table(columns=["topic"]).to_pylist() == [{"topic": "of-dev"}]


def test_no_census_is_published_beside_another_name(spark: SparkSession, lake: Lake) -> None:
    """Two jobs may have begun before either had published; a former name is no other cluster."""
    judged = passing(1, tables=(UNDER_MIN_ISR_PARTITIONS,))
    with pytest.raises(WrongCluster, match="under another name, 'dev'"):
        promote(spark, lake, NEXT, judged, NullProgress())
    assert {one.census_id for one in last_published(spark, lake)} == {PROD.census_id, DEV.census_id}
    promote(spark, lake, NEXT, judged, NullProgress(), ("prod", "dev"))
    assert {one.census_id for one in last_published(spark, lake)} == {NEXT.census_id, DEV.census_id}
