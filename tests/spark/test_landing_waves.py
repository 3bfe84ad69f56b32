"""Waves: pages of a new census stay in memory as they are landed, and what the next steps read is what the lake has.

Where executors may open no sockets the driver fetches, and holds at most a portion of a wave.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from pyspark.sql import DataFrame, SparkSession

from harness.standin_cluster import standin_cluster
from kafka_census.declarations.audit import ROUTES
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.landing import append
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
    return replace(
        run, collect=replace(QUICK, collect_on="driver", page_limit=2), walks=("DescribeCluster", "ListGroups")
    )


@dataclass
class Watched:
    """A census that has landed, and what was seen meanwhile.

    read_back         the waves that were read back
    in_lake           the waves in the lake each time that the executors were asked for one
    planned_meanwhile by write of a wave: whether the next plan began before it
    """

    run: Run
    found: LandedPages
    read_back: list[int]
    in_lake: list[list[int]]
    planned_meanwhile: list[bool]

    @property
    def waves(self) -> list[int]:
        return sorted({header.wave for header in self.found.headers})


def watched(run: Run, *, goes_on: bool = False) -> Watched:
    """Land; each write waits for the next plan to begin, where there is another thread to plan."""
    planning, seen = Event(), Watched(run, LandedPages(run.spark, (), ()), [], [], [])
    plan, fetched, write, read_back = Planner.plan, append.fetched, append.write, Ingest._read_back

    def planned(*args: Any) -> Plan | None:
        planning.set()
        return plan(*args)

    def asked(*args: Any) -> DataFrame:
        there = run.delta().to_pyarrow_table(columns=["wave"])["wave"].to_pylist() if seen.in_lake else []
        seen.in_lake.append(sorted(set(there)))
        planning.clear()
        return fetched(*args)

    def written(*args: Any, **kwargs: Any) -> None:
        seen.planned_meanwhile.append(planning.wait(timeout=0 if run.at_once == 1 else 30))
        write(*args, **kwargs)

    def again(self: Ingest, wave: int) -> DataFrame:
        seen.read_back.append(wave)
        return read_back(self, wave)

    with (
        patch.object(Planner, "plan", planned),
        patch.object(append, "fetched", asked),
        patch.object(append, "write", written),
        patch.object(Ingest, "_read_back", again),
    ):
        seen.found = run.ingest(goes_on=goes_on)
    return seen


@pytest.fixture(scope="module")
def in_memory(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """A new census, whose pages all stay in memory; it is only read."""
    with standin_cluster() as cluster:
        lake = Lake(str(tmp_path_factory.mktemp("in-memory") / "lake"))
        return watched(Run(spark, cluster, lake, walks=WALKS, at_once=2))


def check_that_memory_has_what_the_lake_has(seen: Watched, *rpcs: str) -> None:
    there = LandedPages.read(seen.run.spark, seen.run.lake, seen.run.census.census_id)
    assert sorted(seen.found.headers, key=attrgetter("key")) == sorted(there.headers, key=attrgetter("key"))
    for rpc in rpcs:
        ours, theirs = (sorted(str(row) for row in pages.of(rpc).collect()) for pages in (seen.found, there))
        assert ours == theirs


def test_pages_that_stay_in_memory_are_those_of_the_lake(in_memory: Watched) -> None:
    run = in_memory.run
    assert (len(in_memory.waves) > 1, in_memory.read_back) == (True, [])
    check_that_memory_has_what_the_lake_has(in_memory, *WALKS)
    files = pa.table(run.delta().get_add_actions(flatten=True)).to_pylist()
    of_first = Counter(file["partition.rpc"] for file in files if file["max.wave"] == 0)
    assert set(of_first.values()) == {1}
    written = DeltaTable(run.lake.path("audit", ROUTES.name)).to_pyarrow_table(columns=["rpc", "scope", "broker_id"])
    assert sorted(map(str, in_memory.found.owing or ())) == sorted(
        str(tuple(row.values())) for row in written.to_pylist()
    )
    # A wave is planned while the last one is written, and asked for once that is in the lake.
    assert in_memory.in_lake == [list(range(wave)) for wave in in_memory.waves]
    assert in_memory.planned_meanwhile == [True] * len(in_memory.waves)


def test_waves_after_the_first_few_items_are_read_back(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread writes first, and plans then."""
    monkeypatch.setattr("kafka_census.landing.ingest.FEW_SO_FAR", 1)
    seen = watched(run)
    assert seen.read_back == seen.waves[1:]
    assert not seen.planned_meanwhile[0]
    check_that_memory_has_what_the_lake_has(seen, "FindCoordinator")


def test_tasks_with_generated_code_read_a_walk_without_the_items_of_others(
    in_memory: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task writes code for all columns of what it reads from memory; without such code, pages are there once."""
    found = in_memory.found
    for small, walk in ((1_000_000, ("Metadata", "names")), (1, ("ListGroups", "groups"))):
        monkeypatch.setattr("kafka_census.spark.size.SMALL", small)
        pages = found.of_walk(*walk)
        assert len(pages.columns) < len(found.parts[0].frame.columns)
        assert pages.count() > 0
        leaves = pages._jdf.queryExecution().analyzed().collectLeaves()  # type: ignore[operator]
        expected = pages if small == 1 else found.parts[0].frame
        assert {leaves.apply(number).output().size() for number in range(leaves.size())} == {len(expected.columns)}


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
            if len(appended) == 1:
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
    run.check_that_no_page_is_there_twice()
    assert run.items("ListGroups", "group_id") == ["a", "b", "c"]
    assert len(cluster.brokers[1].of(ListGroupsRequest)) <= asked + 1


def test_a_census_that_goes_on_is_read_back_and_what_is_not_large_is_one_append_per_wave(by_driver: Run) -> None:
    """What a wave wrote may have been there: only the lake tells which. Each needless portion would be a commit."""
    seen = watched(by_driver, goes_on=True)
    assert (seen.read_back, seen.found.owing) == (seen.waves, None)
    assert by_driver.app_ids() == {f"{by_driver.census.census_id}/pages/{wave}/0" for wave in seen.waves}
