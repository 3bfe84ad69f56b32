"""Whole censuses of emulated clusters, on their worst days too: what is published is what was so, all of it.

Each scenario by itself is walked in test_scenarios_walked.py; those in which something moves are published as one.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from signal import SIGINT
from typing import Any

import pytest
import yaml
from pyspark.sql import functions as F

from e2e.operator import ACCEPT_UNKNOWN, PUBLISH_INCOMPLETE, Operator
from emulator.commanding import running
from harness.few_tables import FEW_TABLES
from harness.truthful import untruths
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT as PLACEMENT
from kafka_census.tables.reassignment_backlog import REASSIGNMENT_BACKLOG as BACKLOG
from kafka_census.tables.table import Table
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS as PARTITIONS
from kafka_emulator.scenario import FOLDER
from kafka_emulator.truth import Fact, read

Rows = Mapping[str, Mapping[str, Any]]


MOVING = ("rolling_restart", "coordinators_move", "topics_deleted_midway")


def everything_moves() -> dict[str, Any]:
    """Three scenarios at once: brokers restart at one page of their groups, and coordinators move at the next ones."""
    restarts, moves, deletions = (yaml.safe_load((FOLDER / f"{name}.yaml").read_text()) for name in MOVING)
    later = [{**fault, "page": fault["page"] + 1} for fault in moves["faults"]]
    limits = {**restarts["brokers"]["configs"], **deletions["brokers"]["configs"]}
    return {
        **{name: section for one in (restarts, moves, deletions) for name, section in one.items()},
        "brokers": {"count": 3, "configs": limits},
        "faults": [*restarts["faults"], *later, *deletions["faults"]],
    }


@dataclass(frozen=True)
class Day:
    """A scenario, and how its census is published.

    tables      those that it is about: each costs a census some seconds
    policy      what the operator lets pass
    hides       the principal does not see all: what is published is so, and not all of it is there
    incomplete  tables that are published without all that they need
    made        its sections, where no file declares it
    """

    scenario: str
    tables: tuple[Table, ...] = FEW_TABLES
    policy: Mapping[str, str] = field(default_factory=dict)
    hides: bool = False
    incomplete: tuple[Table, ...] = ()
    made: Mapping[str, Any] | None = None


PAGE_LIMIT = "10"
"""Small: faults come at later pages."""

DAYS = (
    Day("hostile", tables=(PLACEMENT, PARTITIONS)),
    Day("everything_moves", tables=(PLACEMENT, PARTITIONS), made=everything_moves()),
    # A broker like 2.8 cannot tell whether transactional ids are hidden.
    Day("old_brokers", tables=(PLACEMENT, PARTITIONS), policy=ACCEPT_UNKNOWN, incomplete=(PARTITIONS,)),
    Day("narrow_acls", policy={**PUBLISH_INCOMPLETE, **ACCEPT_UNKNOWN}, hides=True, incomplete=FEW_TABLES),
)
"""A calm one is held against real brokers (tests/conformance), and so is one with a broker down (tests/trouble)."""


def groups(census: Operator) -> Rows:
    """Every published group, by id."""
    rows = census.current("group_coordinator_placement").collect()
    return {
        row.group_id: {
            "coordinator": row.found_coordinator,
            # Brokers tell types since 3.8, states since 2.6.
            **({"type": row.group_type} if row.group_type else {}),
            **({"state": row.group_state} if row.group_state else {}),
        }
        for row in rows
        if row.found_coordinator is not None
    }


def partitions(census: Operator) -> Rows:
    """Every published partition, as topic/index."""
    rows = census.current("under_min_isr_partitions").where("partition >= 0").collect()
    return {
        f"{row.topic}/{row.partition}": {
            "leader": -1 if row.leader_id is None else row.leader_id,
            "replicas": row.replicas,
            "isr": row.isr,
        }
        for row in rows
    }


def moving(census: Operator) -> Rows:
    """Every published partition that is being moved, as topic/index."""
    rows = census.current("reassignment_backlog").where("kind <> 'log_dir_move'")
    lists = rows.select("topic", "partition", "adding_replicas", "removing_replicas").distinct().collect()
    return {
        f"{row.topic}/{row.partition}": {"adding": row.adding_replicas, "removing": row.removing_replicas}
        for row in lists
    }


def span(census: Operator) -> tuple[datetime, datetime]:
    """From the first question of the published census to its last answer."""
    times = [F.unix_micros(F.min("observed_from")), F.unix_micros(F.max("observed_to"))]
    (first, last) = census.rows(PUBLICATIONS).agg(*times).collect()[0]
    return datetime.fromtimestamp(first / 1e6, UTC), datetime.fromtimestamp(last / 1e6, UTC)


TOLD = {
    PLACEMENT: ("group", groups),
    PARTITIONS: ("partition", partitions),
    BACKLOG: ("moving", moving),
}
"""Of each table: the facts that it tells, and how it does."""


def facts_of(truth: Path) -> list[Fact]:
    """The facts of a run; what is said of a partition that is being moved is a fact of its own, too."""
    facts = read(truth)
    partly = [one for one in facts if one.kind == "partition" and (one.value["adding"] or one.value["removing"])]
    return [*facts, *(replace(one, kind="moving") for one in partly)]


@pytest.mark.parametrize("day", DAYS, ids=lambda day: day.scenario)
def test_what_is_published_was_so(day: Day, operator: Callable[..., Operator], tmp_path: Path) -> None:
    """Every declared fault was met; no fact that held all the time is missing, and no reported fact never held."""
    truth, scenario = tmp_path / "truth.jsonl", day.scenario
    if day.made is not None:
        scenario = str(tmp_path / f"{scenario}.yaml")
        Path(scenario).write_text(json.dumps(day.made), encoding="utf-8")
    with running("--scenario", scenario, "--truth", str(truth)) as (emulator, servers):
        census = replace(operator(",".join(servers), day.scenario), tables=day.tables)
        ran = census.run("census", "--no-report", KAFKA_CENSUS__COLLECT__PAGE_LIMIT=PAGE_LIMIT, **day.policy)
        assert (ran.code, ran.error) == (0, ""), ran.err[-2000:]
        emulator.send_signal(SIGINT)
        assert emulator.wait(10) == 0, emulator.stderr.read() if emulator.stderr else ""
    facts, during = facts_of(truth), span(census)
    for table in day.tables:
        kind, rows = TOLD[table]
        reported = list(untruths(rows(census), facts, kind, *during))
        missing = [line for line in reported if line.endswith(" is missing")]
        assert [line for line in reported if line not in missing] == []
        assert bool(missing) == (day.hides and table is not BACKLOG), missing
    complete = {row.table_name: row.is_complete for row in census.rows(PUBLICATIONS).collect()}
    assert complete == {table.name: table not in day.incomplete for table in day.tables}
