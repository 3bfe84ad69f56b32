"""The audit table `census_runs` in a real lake."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from deltalake import DeltaTable
from pyspark.sql import SparkSession

from kafka_census.clock import Clock
from kafka_census.lake.lake import Lake
from kafka_census.lake.runs import Runs
from spark.report_lake import NOON, census


class Growing(Clock):
    """A clock that advances by a second on each call, and is set back by an hour at some of the calls."""

    def __init__(self, *back: int) -> None:
        self.time, self.back, self.count = NOON, back, 0

    def now(self) -> datetime:
        """The next time."""
        self.count += 1
        self.time += timedelta(seconds=1) - timedelta(hours=self.count in self.back)
        return self.time


def test_a_clock_that_goes_back_does_not_reorder_the_events_of_a_census(spark: SparkSession, tmp_path: Path) -> None:
    """Neither within a process, nor where the next step is another process whose clock is behind.

    Remembered events come with the next one that is noted, in one commit.
    """
    lake, made = Lake(root=str(tmp_path / "lake")), census(1, "local")
    first = Runs(spark, lake, Growing(3, 5))
    first.note(made, "started")
    first.remember(made, "landed")
    first.remember(made, "staged")
    assert DeltaTable(lake.path("audit", "census_runs")).version() == 0
    assert first.of(("local",))[0].reached == "started"
    first.note(made, "refused")
    found = first.of(("local",))[0]
    assert (found.events, found.reached, found.ended) == (("started", "landed", "staged", "refused"), "refused", True)
    second = Runs(spark, lake, Growing(1))
    assert second.find(("local",), made.census_id) == found
    second.note(made, "gated")
    second.note(made, "published")
    third = Runs(spark, lake, Growing(1))
    assert third.of(("local",))[0].reached == "published"
    # A process that does not read the events of the census first.
    Runs(spark, lake, Growing(1)).note(made, "gated")
    assert third.of(("local",))[0].reached == "published"
    assert DeltaTable(lake.path("audit", "census_runs")).version() == 4


def test_the_book_tells_how_far_each_census_is(spark: SparkSession, tmp_path: Path) -> None:
    runs = Runs(spark, Lake(root=str(tmp_path / "lake")), Growing())
    assert runs.of(("local",)) == []
    assert runs.find(["local"], census(1, "local").census_id) is None
    first, second = (replace(census(number, "local"), tables=("reassignment_backlog",)) for number in (1, 2))
    for made, event in ((first, "started"), (first, "landed"), (second, "started"), (first, "failed")):
        runs.note(made, event, "why" if event == "failed" else None)
    latest, older = runs.of(("local",))
    assert (latest.census, latest.events, latest.reached) == (second, ("started",), "started")
    assert (older.census, older.events, older.reached) == (first, ("started", "landed", "failed"), "landed")
    assert not older.ended
    assert runs.of(("local",), limit=1) == [latest]
    assert runs.find(["local"], first.census_id) == older
    assert runs.of(("other",)) == []
