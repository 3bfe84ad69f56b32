"""Pages of a new census stay in memory as they are landed: what the next steps read is what the lake has."""

from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import Any
from unittest.mock import patch

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from harness.standin_cluster import standin_cluster
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.landing import append
from kafka_census.landing.ingest import Ingest
from kafka_census.landing.plan import Plan, Planner
from kafka_census.pages.read import LandedPages
from kafka_census.source.schema import landed_table
from kafka_census.tables.audit import ROUTES
from spark.landing_run import EVERYTHING, Run


@pytest.fixture
def run(spark: SparkSession, tmp_path: Path) -> Iterator[Run]:
    with standin_cluster() as cluster:
        yield Run(spark, cluster, Lake(str(tmp_path / "lake")), walks=EVERYTHING)


@pytest.mark.parametrize("few", [1, 1_000_000], ids=["the first wave", "all"])
def test_pages_that_stay_in_memory_are_those_of_the_lake(run: Run, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr("kafka_census.landing.ingest.FEW_SO_FAR", few)
    with patch.object(Ingest, "_read_back", autospec=True, side_effect=Ingest._read_back) as again:
        found = run.ingest()
    waves = {header.wave for header in found.headers}
    assert len(waves) > 2
    assert again.call_count == (len(waves) - 1 if few == 1 else 0)
    there = LandedPages.read(run.spark, run.lake, run.census.census_id)
    assert sorted(found.headers, key=attrgetter("key")) == sorted(there.headers, key=attrgetter("key"))
    files = store.read(run.spark, run.lake, landed_table()).selectExpr("wave", "rpc", "input_file_name() AS file")
    first = files.where("wave = 0").groupBy("rpc").agg(F.count_distinct("file").alias("files")).collect()
    assert {row.files for row in first} == {1}
    for rpc in EVERYTHING:
        ours, theirs = (sorted(str(row) for row in pages.of(rpc).collect()) for pages in (found, there))
        assert ours == theirs
    written = store.read(run.spark, run.lake, ROUTES).select("rpc", "scope", "broker_id").collect()
    assert sorted(map(str, found.owing or ())) == sorted(str(tuple(row)) for row in written)


def test_a_census_that_goes_on_is_read_back(run: Run) -> None:
    """What a wave wrote may have been there: only the lake tells which."""
    run.walks = ("DescribeCluster", "ListGroups")
    with patch.object(Ingest, "_read_back", autospec=True, side_effect=Ingest._read_back) as again:
        found = run.ingest(goes_on=True)
    assert again.call_count == len({header.wave for header in found.headers})
    assert found.owing is None


def test_tasks_with_generated_code_read_a_walk_without_the_items_of_others(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task writes code for all columns of what it reads from memory; without such code, pages are there once."""
    run.walks = ("DescribeCluster", "Metadata", "ListGroups")
    found = run.ingest()
    for small, walk in ((1_000_000, ("Metadata", "names")), (1, ("ListGroups", "groups"))):
        monkeypatch.setattr("kafka_census.size.SMALL", small)
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
