"""Landing where executors may open no sockets: the driver fetches, and holds at most a portion of a wave."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from pyspark.sql import DataFrame, SparkSession

from harness.standin_cluster import StandInCluster, standin_cluster
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.landing import append
from kafka_messages.kip_1062 import ListGroupsRequest
from spark.landing_run import QUICK, Run

WALKS = ("DescribeCluster", "Metadata", "ListGroups", "FindCoordinator")


@pytest.fixture(scope="module")
def cluster() -> Iterator[StandInCluster]:
    with standin_cluster() as calm:
        yield calm


@pytest.fixture
def run(spark: SparkSession, cluster: StandInCluster, tmp_path: Path) -> Run:
    collect = replace(QUICK, collect_on="driver", page_limit=2)
    return Run(spark, cluster, Lake(str(tmp_path / "lake")), collect, WALKS)


class Crash(BaseException):
    """Stands for kill -9."""


def test_a_wave_is_landed_in_portions(run: Run, cluster: StandInCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are appended once they are large, each answer as a whole, and a killed census resumes from there."""
    appended: list[list[Any]] = []
    original = store.append

    def watched(frame: DataFrame, lake: Lake, table: Any, app_id: str, **more: bool) -> None:
        if table.layer == "landing":
            parts = [
                (row.rpc, row.node_id, row.part_no, row.parts)
                for row in frame.select("rpc", "node_id", "part_no", "parts").collect()
            ]
            if len(appended) == 2:
                appended.append([])
                raise Crash
            appended.append(parts)
        original(frame, lake, table, app_id, **more)

    monkeypatch.setattr(append, "PORTION_BYTES", 1)
    with patch.object(store, "append", watched):
        with pytest.raises(Crash):
            run.ingest(goes_on=True)
        asked = len(cluster.brokers[1].of(ListGroupsRequest))
        run.ingest()
    portions = [portion for portion in appended if portion]
    groups = [portion for portion in portions if ("ListGroups", 1, 0, 2) in portion]
    assert [set(portion) & {("ListGroups", 1, part, 2) for part in (0, 1)} for portion in groups] == [
        {("ListGroups", 1, 0, 2), ("ListGroups", 1, 1, 2)}
    ]
    assert len(portions) > len({app_id.rpartition("/")[0] for app_id in _app_ids(run)})
    assert max(map(len, portions)) <= 3
    for rpc in WALKS:
        assert run.pages(rpc).groupBy("chain_id", "page_no", "part_no").count().where("count <> 1").isEmpty(), rpc
    keys = run.pages("FindCoordinator").selectExpr("inline(items)").select("key").collect()
    assert sorted(row.key for row in keys) == ["a", "b", "c"]
    assert len(cluster.brokers[1].of(ListGroupsRequest)) <= asked + 1


def test_what_is_not_large_is_one_append_per_wave(run: Run) -> None:
    """As on executors: each needless portion would be one more commit."""
    run.ingest(goes_on=True)
    waves = {row.wave for rpc in WALKS for row in run.pages(rpc).select("wave").collect()}
    assert _app_ids(run) == {f"{run.census.census_id}/pages/{wave}/0" for wave in waves}


def _app_ids(run: Run) -> set[str]:
    log = Path(run.lake.path("landing", "pages"), "_delta_log")
    found = "".join(path.read_text() for path in log.glob("*.json")).split('"appId":"')[1:]
    return {text.partition('"')[0] for text in found}
