"""A census is computed in one of several ways, by its number of landed items: its rows are the same."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from kafka_census.census.staging.inputs import Inputs
from kafka_census.census.staging.stage import compute, stage
from kafka_census.declarations.census import Census
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.pages.landed_census import read_landed_census
from kafka_census.spark import size
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.terminal.progress import NullProgress
from spark.fake_lake import census, healthy, land

TABLES = (GROUP_COORDINATOR_PLACEMENT, REASSIGNMENT_BACKLOG)
SIZES = {census(1): {}, census(2): {"ONE_TASK": 0}, census(3): {"ONE_TASK": 0, "LARGE": 0}}
"""By census, all of which landed the same pages: the sizes for which it is of one task, in memory, or large."""

ONE_TASK, IN_MEMORY, LARGE = SIZES


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    made = Lake(root=str(tmp_path_factory.mktemp("sizes") / "lake"))
    land(made, dict.fromkeys(SIZES, healthy()))
    return made


def without_id(rows: list[Row]) -> list[str]:
    return sorted(repr(row.asDict() | {"census_id": None}) for row in rows)


def test_every_size_stages_the_same_rows_of_which_only_those_of_a_large_census_are_read_again(
    spark: SparkSession, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept in memory for later steps is what was written, and is still there when the files are gone."""
    found: dict[Census, list[list[str]]] = {}
    published = Path(str(lake.root), "published")
    for made, sizes in SIZES.items():
        for name, items in sizes.items():
            monkeypatch.setattr(size, name, items)
        landed = read_landed_census(spark, lake, made.census_id, TABLES)
        stage(spark, lake, made, TABLES, landed, NullProgress())
        again = [landed.staged(table) for table in TABLES]
        published.rename(away := published.with_name("away"))
        if made == LARGE:
            with pytest.raises(PySparkException, match="DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS"):
                again[0].count()
        else:
            assert all(each.count() for each in again)
        away.rename(published)
        kept = [landed.staged_once(table).select(*table.schema.names).collect() for table in TABLES]
        found[made] = [without_id(rows) for rows in kept]
        written = [store.rows(spark, lake, table, made.census_id).collect() for table in TABLES]
        assert found[made] == [without_id(rows) for rows in written]
    assert all(found[ONE_TASK])
    assert found[ONE_TASK] == found[IN_MEMORY] == found[LARGE]


def test_tables_of_a_small_census_are_computed_by_one_task(spark: SparkSession, lake: Lake) -> None:
    """Its inputs have one part each, so nothing is shuffled."""
    landed = read_landed_census(spark, lake, ONE_TASK.census_id, TABLES)
    with ExitStack() as until_staged:
        inputs = Inputs(landed, until_staged)
        for table in TABLES:
            rows = compute(spark, lake, table, ONE_TASK, landed, {}, inputs=inputs)
            tasks = rows.select(F.spark_partition_id().alias("task")).collect()
            assert {row.task for row in tasks} == {0}
