"""Gate and publication, crashed between any two of their writes: readers see nothing, and a rerun repairs the lake."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kafka_census.lake import store
from kafka_census.pages.landed_census import LandedCensus, read_landed_census
from kafka_census.progress import NullProgress
from kafka_census.publish.promote import promote
from kafka_census.quality.gate import judge
from kafka_census.quality.policy import GatePolicy
from kafka_census.quality.suites import SUITES
from kafka_census.tables.audit import PUBLICATIONS, QUARANTINE, VERDICTS
from spark.former import FORMER, NEXT, TWO_TABLES, Readers, moved, plant

WRITES = 3
"""The writes of gate and publication: the verdicts, quarantine, `publications`."""

# Two rules each, because only the writes are crashed, whatever is judged. The second rule warns about every row.
FEW_RULES = tuple(
    replace(suite, rules=(suite.rules[0], replace(suite.rules[-1], predicate="false"))) for suite in SUITES
)


class Crash(BaseException):
    """An exception that no code catches: the end of a process, within this process."""


@pytest.fixture(scope="module")
def planted(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Readers:
    return plant(spark, tmp_path_factory.mktemp("crashes") / "lake")


@pytest.fixture(scope="module")
def landed(planted: Readers) -> Iterator[LandedCensus]:
    """The staged census, read once for every try: copies of a lake hold the same pages."""
    return read_landed_census(planted.spark, planted.lake, NEXT.census_id, TWO_TABLES)


def publish(readers: Readers, landed: LandedCensus) -> None:
    judgement = judge(
        readers.spark, readers.lake, NEXT, TWO_TABLES, GatePolicy(), landed, NullProgress(), suites=FEW_RULES
    )
    promote(readers.spark, readers.lake, NEXT, judgement, NullProgress())


def crash_after(writes: int, run: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    done, save = 0, store._save

    def counted(*arguments: object) -> None:
        nonlocal done
        if done == writes:
            raise Crash
        save(*arguments)
        done += 1
        if done == WRITES == writes:
            raise Crash

    with monkeypatch.context() as patched:
        patched.setattr(store, "_save", counted)
        with pytest.raises(Crash):
            run()
    assert done == writes


def whole(readers: Readers) -> dict[str, list[str]]:
    tables = (VERDICTS, "judged_at"), (QUARANTINE, "quarantined_at"), (PUBLICATIONS, "published_at")
    frames = {table.name: store.read(readers.spark, readers.lake, table) for table in TWO_TABLES}
    frames |= {table.name: store.read(readers.spark, readers.lake, table).drop(time) for table, time in tables}
    return {name: sorted(str(row) for row in frame.collect()) for name, frame in frames.items()}


def copied(planted: Readers, folder: Path) -> Readers:
    shutil.copytree(str(planted.lake.root), folder / "lake")
    return moved(planted, folder / "lake")


def test_crashed_after_any_write_it_is_not_seen_and_is_repeated(
    planted: Readers, landed: LandedCensus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers see the previous census until the last write is done; the end state is that of a single run.

    One lake is crashed repeatedly, each time a write later: leftovers of earlier crashes are in the way, too.
    """
    readers = copied(planted, tmp_path / "crashed")
    for writes in range(WRITES):
        crash_after(writes, lambda: publish(readers, landed), monkeypatch)
        readers.all_see(FORMER)
    crash_after(WRITES, lambda: publish(readers, landed), monkeypatch)
    readers.all_see(NEXT)
    publish(readers, landed)
    readers.all_see(NEXT)
    undisturbed = copied(planted, tmp_path / "undisturbed")
    publish(undisturbed, landed)
    undisturbed.all_see(NEXT)
    assert whole(readers) == whole(undisturbed)
