"""The tables `latest_<table>` hold what `current_<table>` shows, for engines that cannot read views."""

import io
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

import kafka_census
from harness.small_lake import NOON, append, census_id
from kafka_census.census.publish.latest import replace_latest
from kafka_census.census.work import Work
from kafka_census.clock import Clock
from kafka_census.config import load
from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS
from kafka_census.declarations.latest import LATEST_TABLES
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.runs import Runs
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.terminal.progress import NullProgress
from kafka_census.upkeep import run as upkeep

ONE, TWO = "cluster-one", "cluster'two"
OF_CLUSTER = {1: ONE, 2: TWO, 3: ONE}
CONF = "lake: {{root: {lake}}}\nclusters:\n  c: {{bootstrap_servers: [127.0.0.1:9092]}}\n"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    root = tmp_path_factory.mktemp("latest") / "lake"
    ids = [{"census_id": census_id(number), "cluster_id": cluster_id} for number, cluster_id in OF_CLUSTER.items()]
    append(root, QUOTAS, [one | {"observed_at": NOON} for one in ids], ["census_id"])
    published = {"cluster": "c", "table_name": QUOTAS.name, "is_complete": True, "row_count": 1, "published_at": NOON}
    append(root, PUBLICATIONS, [one | published for one in ids])
    runs = {"cluster": "c", "at": NOON, "tables": [QUOTAS.name]}
    append(root, CENSUS_RUNS, [one | runs | {"event": event} for one in ids for event in ("started", "published")])
    return Lake(root=str(root))


def latest(lake: Lake) -> list[tuple[str, str]]:
    rows = DeltaTable(f"{lake.root}/latest/{QUOTAS.name}").to_pyarrow_table(columns=["cluster_id", "census_id"])
    return sorted((row["cluster_id"], row["census_id"]) for row in rows.to_pylist())


def test_each_cluster_has_its_last_published_census(spark: SparkSession, lake: Lake) -> None:
    for cluster_id in (ONE, TWO, ONE):
        replace_latest(spark, lake, cluster_id, [QUOTAS.name], 1, NullProgress())
    assert latest(lake) == [(TWO, census_id(2)), (ONE, census_id(3))]
    kafka_census.register(spark, str(lake.root))
    (table,) = [each for each in LATEST_TABLES if each.name == QUOTAS.name]
    copied, shown = store.read(spark, lake, table), spark.table(f"current_{QUOTAS.name}")
    assert copied.columns == shown.columns
    assert sorted(map(repr, copied.collect())) == sorted(map(repr, shown.collect()))


def test_a_copy_that_fails_is_reported_and_fails_nothing(spark: SparkSession, lake: Lake) -> None:
    reported: list[tuple[str, dict[str, object]]] = []
    replace_latest(spark, lake, ONE, [QUORUM.name], 1, lambda event, **fields: reported.append((event, fields)))
    ((event, fields),) = reported
    assert (event, fields["table"]) == ("latest_not_replaced", QUORUM.name)
    assert f"published/{QUORUM.name}` does not exist" in str(fields["error"])


def test_a_retired_census_leaves_them(spark: SparkSession, lake: Lake, tmp_path: Path) -> None:
    """`maintain --retire` shows the previous census, as the views do; also where clusters of two ids had one name."""
    (tmp_path / "census.yaml").write_text(CONF.format(lake=lake.root), encoding="utf-8")
    runs, ids = Runs(spark, lake, Clock()), (census_id(3), census_id(2))
    config = load(str(tmp_path / "census.yaml"))
    work = Work(spark, config, "c", Clock(), NullProgress(), io.StringIO(), runs=runs, retire=ids, apply=True)
    upkeep.run_maintain(work)
    assert latest(lake) == [(ONE, census_id(1))]
