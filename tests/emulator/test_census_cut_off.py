"""One census that is cut off again and again, at a full disk, a read-only one and between publication and record.

Resumed each time, it is published once, with the rows that are so. The cluster is emulated and stands still.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from e2e.operator import Operator
from emulator.asking import cluster, serving
from harness.disks import disk, full, read_only
from harness.known_world import KnownWorld
from harness.world_truth import differences, published_rows, true_rows
from kafka_census.clock import Clock
from kafka_census.lake import table_writer
from kafka_census.lake.lake import Lake
from kafka_census.lake.runs import Runs
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.reassignment_backlog import REASSIGNMENT_BACKLOG
from kafka_census.tables.table import Table
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS

TABLES = (UNDER_MIN_ISR_PARTITIONS, REASSIGNMENT_BACKLOG)
SECTIONS: dict[str, Any] = {
    "seed": 7,
    "brokers": {"count": 3},
    "topics": {"partitions": 12, "partitions_per_topic": 3, "reassigning": 2},
    "groups": {"count": 0},
}


class Died(BaseException):
    """The process ends here."""


@contextmanager
def before(commit: int, layer: str, doing: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    """From right before a commit to a layer, something holds until the job has ended: the first commit is 0."""
    save, seen = table_writer.save, 0
    with ExitStack() as held:

        def watched(writer: Any, lake: Lake, table: Table) -> None:
            nonlocal seen
            if table.layer == layer:
                if seen == commit:
                    held.enter_context(doing())
                seen += 1
            save(writer, lake, table)

        with patch.object(table_writer, "save", watched):
            yield
    assert seen > commit


def test_a_census_that_is_cut_off_is_published_once_and_whole(operator: Callable[..., Operator]) -> None:
    """Each time one line and exit code 1; the census before stays, nothing is twice, and nothing is lacking."""
    with serving(cluster(**SECTIONS)) as server, ExitStack() as stack:
        ours = replace(operator(server.bootstrap_servers, "disturbed"), tables=TABLES)
        lake = Path(ours.lake)
        is_disk = stack.enter_context(disk(lake))
        with before(1, "landing", lambda: full(lake, ours.spark, is_disk=is_disk)):
            ran = ours.run("census", "--no-report")
        assert (ran.code, "the disk is full: " in ran.error) == (1, True), ran.err[-3000:]
        with before(1, "published", lambda: read_only(lake)):
            ran = ours.run("census", "--no-report", "--resume")
        assert ran.code == 1
        lines = ("error: the lake cannot be written", "error: the lock ")
        assert ran.error.startswith(lines), ran.err[-3000:]
        note = Runs.note

        def dies(self: Runs, census: Any, event: str, *rest: Any, **named: Any) -> None:
            if event == "published":
                raise Died
            note(self, census, event, *rest, **named)

        with patch.object(Runs, "note", dies), pytest.raises(Died):
            ours.run("census", "--no-report", "--resume")
        runs = Runs(ours.spark, Lake(ours.lake), Clock())
        assert [run.ended for run in runs.of(("test",))] == [False]
        published = ours.rows(PUBLICATIONS).collect()
        ran = ours.run("census", "--no-report", "--resume")
        assert (ran.code, ran.error) == (0, ""), ran.err[-3000:]
        assert [(run.census.census_id, run.reached) for run in runs.of(("test",))] == [
            (published[0].census_id, "published")
        ]
        assert ours.rows(PUBLICATIONS).collect() == published
        assert len(published) == len(ours.tables)
        known = KnownWorld(server.world, dict(enumerate(map(port, server.bootstrap_servers.split(",")), 1)))
        for table in TABLES:
            rows = [row.asDict(recursive=True) for row in ours.rows(table).collect()]
            assert differences(published_rows(table, rows), true_rows(table, known)) == []


def port(server: str) -> int:
    return int(server.rpartition(":")[2])
