"""Waves: pages of a new census stay in memory as they are landed, and what the next steps read is what the lake has.

Where executors may open no sockets the driver fetches, and holds at most a portion of a wave.
"""

from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import Any
from unittest.mock import patch

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from harness.standin_cluster import standin_cluster
from kafka_census.declarations.audit import ROUTES
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.landing import append
from kafka_census.landing.fetch.schema import landed_table
from kafka_census.landing.ingest import Ingest
from kafka_census.landing.plan import Plan, Planner
from kafka_census.pages.read import LandedPages
from kafka_messages.kip_1062 import ListGroupsRequest
from spark.landing_run import QUICK, Crash, Run

WALKS = ("DescribeCluster", "Metadata", "ListGroups", "FindCoordinator")


@pytest.fixture
def run(spark: SparkSession, tmp_path: Path) -> Iterator[Run]:
    with standin_cluster() as cluster:
        yield Run(spark, cluster, Lake(str(tmp_path / "lake")), walks=WALKS)


@pytest.fixture
def by_driver(run: Run) -> Run:
    return replace(run, collect=replace(QUICK, collect_on="driver", page_limit=2))


def watched(run: Run, *, goes_on: bool = False) -> tuple[LandedPages, int]:
    """What landing returns, and how often a wave was read back."""
    with patch.object(Ingest, "_read_back", autospec=True, side_effect=Ingest._read_back) as again:
        return run.ingest(goes_on=goes_on), again.call_count


@pytest.fixture(scope="module")
def in_memory(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, LandedPages, int]:
    """A new census, whose pages all stay in memory; it is only read."""
    with standin_cluster() as cluster:
        run = Run(spark, cluster, Lake(str(tmp_path_factory.mktemp("in-memory") / "lake")), walks=WALKS)
        return run, *watched(run)


def check_that_memory_has_what_the_lake_has(run: Run, found: LandedPages) -> None:
    there = LandedPages.read(run.spark, run.lake, run.census.census_id)
    assert sorted(found.headers, key=attrgetter("key")) == sorted(there.headers, key=attrgetter("key"))
    for rpc in WALKS:
        ours, theirs = (sorted(str(row) for row in pages.of(rpc).collect()) for pages in (found, there))
        assert ours == theirs


def test_pages_that_stay_in_memory_are_those_of_the_lake(in_memory: tuple[Run, LandedPages, int]) -> None:
    run, found, read_back = in_memory
    assert (len({header.wave for header in found.headers}) > 1, read_back) == (True, 0)
    check_that_memory_has_what_the_lake_has(run, found)
    files = store.read(run.spark, run.lake, landed_table()).selectExpr("wave", "rpc", "input_file_name() AS file")
    first = files.where("wave = 0").groupBy("rpc").agg(F.count_distinct("file").alias("files")).collect()
    assert {row.files for row in first} == {1}
    written = store.read(run.spark, run.lake, ROUTES).select("rpc", "scope", "broker_id").collect()
    assert sorted(map(str, found.owing or ())) == sorted(str(tuple(row)) for row in written)


def test_waves_after_the_first_few_items_are_read_back(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafka_census.landing.ingest.FEW_SO_FAR", 1)
    found, read_back = watched(run)
    assert read_back == len({header.wave for header in found.headers}) - 1
    check_that_memory_has_what_the_lake_has(run, found)


def test_tasks_with_generated_code_read_a_walk_without_the_items_of_others(
    in_memory: tuple[Run, LandedPages, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task writes code for all columns of what it reads from memory; without such code, pages are there once."""
    _, found, _ = in_memory
    for small, walk in ((1_000_000, ("Metadata", "names")), (1, ("ListGroups", "groups"))):
        monkeypatch.setattr("kafka_census.spark.size.SMALL", small)
        pages = found.of_walk(*walk)
        assert len(pages.columns) < len(found.parts[0].frame.columns)
        assert pages.count() > 0
        leaves = pages._jdf.queryExecution().analyzed().collectLeaves()  # type: ignore[operator]
        expected = pages if small == 1 else found.parts[0].frame
        assert {leaves.apply(number).output().size() for number in range(leaves.size())} == {len(expected.columns)}


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_wave_is_planned_while_the_last_one_is_written_and_asked_for_once_that_is_in_the_lake(
    run: Run, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """Each write waits for the next plan to begin; one at a time, the plan begins after it."""
    run.at_once = at_once
    planning, planned_meanwhile, in_lake = Event(), list[bool](), list[list[int]]()
    plan, fetched, write = Planner.plan, append.fetched, append.write

    def planned(*args: Any) -> Plan | None:
        planning.set()
        return plan(*args)

    def asked(*args: Any) -> DataFrame:
        there = store.rows(run.spark, run.lake, landed_table(), run.census.census_id)
        in_lake.append(sorted(row.wave for row in there.select("wave").distinct().collect()))
        planning.clear()
        return fetched(*args)

    def written(*args: Any, **kwargs: Any) -> None:
        planned_meanwhile.append(planning.wait(timeout=0 if at_once == 1 else 30))
        write(*args, **kwargs)

    monkeypatch.setattr(Planner, "plan", planned)
    monkeypatch.setattr(append, "fetched", asked)
    monkeypatch.setattr(append, "write", written)
    waves = {header.wave for header in run.ingest().headers}
    assert in_lake == [list(range(wave)) for wave in sorted(waves)]
    assert planned_meanwhile == [at_once > 1] * len(waves)


def test_an_interrupt_ends_the_wait_for_the_first_broker(run: Run) -> None:
    """Brokers are first asked in the main thread, which gets it: another thread would be waited for."""
    run.at_once = 2

    def interrupted(*_: Any) -> None:
        assert current_thread() is main_thread()
        raise KeyboardInterrupt

    with patch("kafka_census.landing.ingest.bootstrap", interrupted), pytest.raises(KeyboardInterrupt):
        run.ingest()


def test_a_wave_is_landed_in_portions(by_driver: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are appended once they are large, each answer as a whole, and a killed census resumes from there."""
    run, cluster = by_driver, by_driver.cluster
    appended: list[list[Any]] = []
    original = store.append

    def portioned(frame: DataFrame, lake: Lake, table: Any, app_id: str, **more: bool) -> None:
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
    with patch.object(store, "append", portioned):
        with pytest.raises(Crash):
            run.ingest(goes_on=True)
        asked = len(cluster.brokers[1].of(ListGroupsRequest))
        run.ingest()
    portions = [portion for portion in appended if portion]
    groups = [portion for portion in portions if ("ListGroups", 1, 0, 2) in portion]
    assert [set(portion) & {("ListGroups", 1, part, 2) for part in (0, 1)} for portion in groups] == [
        {("ListGroups", 1, 0, 2), ("ListGroups", 1, 1, 2)}
    ]
    assert len(portions) > len({app_id.rpartition("/")[0] for app_id in run.app_ids()})
    assert max(map(len, portions)) <= 3
    for rpc in WALKS:
        assert run.pages(rpc).groupBy("chain_id", "page_no", "part_no").count().where("count <> 1").isEmpty(), rpc
    keys = run.pages("FindCoordinator").selectExpr("inline(items)").select("key").collect()
    assert sorted(row.key for row in keys) == ["a", "b", "c"]
    assert len(cluster.brokers[1].of(ListGroupsRequest)) <= asked + 1


def test_a_census_that_goes_on_is_read_back_and_what_is_not_large_is_one_append_per_wave(by_driver: Run) -> None:
    """What a wave wrote may have been there: only the lake tells which. Each needless portion would be a commit."""
    found, read_back = watched(by_driver, goes_on=True)
    waves = {header.wave for header in found.headers}
    assert (read_back, found.owing) == (len(waves), None)
    assert by_driver.app_ids() == {f"{by_driver.census.census_id}/pages/{wave}/0" for wave in waves}
