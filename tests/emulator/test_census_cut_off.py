"""One census that is cut off again and again, at a full disk, a read-only one and between publication and record.

Resumed each time, it is published once, with the rows that are so. The cluster is emulated, in every kind of trouble,
and stands still; test_truth_at_size.py surveys it in a large one, with all tables.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from e2e.operator import Operator
from emulator.asking import serving
from harness.disks import disk, full, read_only
from harness.known_world import KnownWorld
from harness.large_world import troubled_world
from harness.world_truth import differences, published_rows, true_rows
from kafka_census.clock import Clock
from kafka_census.declarations.table import Table
from kafka_census.lake import table_writer
from kafka_census.lake.lake import Lake
from kafka_census.lake.runs import Runs
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS
from kafka_emulator.__main__ import server_of
from kafka_emulator.scenario import Scenario

TABLES = (UNDER_MIN_ISR_PARTITIONS, REASSIGNMENT_BACKLOG)


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


def publications(by: Operator) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = PublishedLake(by.lake).publications.to_table().to_pylist()
    return rows


def test_a_census_that_is_cut_off_is_published_once_and_whole(operator: Callable[..., Operator]) -> None:
    """Each time one line and exit code 1; the census before stays, nothing is twice, and nothing is lacking."""
    ours = replace(operator("", "disturbed"), tables=TABLES, collect={"collect_on": "driver"})
    lake = Path(ours.lake)
    scenario = Scenario.model_validate(troubled_world(partitions=60, groups=40, transactions=20))
    with serving(server_of(scenario)) as server, disk(lake) as is_disk:
        ours.servers = server.bootstrap_servers
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
        published = publications(ours)
        ran = ours.run("census", "--no-report", "--resume")
        assert (ran.code, ran.error) == (0, ""), ran.err[-3000:]
        assert [(run.census.census_id, run.reached) for run in runs.of(("test",))] == [
            (published[0]["census_id"], "published")
        ]
        assert publications(ours) == published
        assert len(published) == len(ours.tables)
        known = KnownWorld(server.world)
        for table in TABLES:
            assert differences(published_rows(table, ours.read(table.name)), true_rows(table, known)) == []
