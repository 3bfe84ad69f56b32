"""A census of an emulated cluster on its worst day: what is published was so, all of it.

Each scenario by itself is walked in test_scenarios_walked.py; those in which something moves are published as one.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from signal import SIGINT
from typing import Any

import yaml
from pyspark.sql import functions as F

from e2e.operator import Operator
from emulator.commanding import running
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT as PLACEMENT
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS as PARTITIONS
from kafka_emulator.scenario import FOLDER
from kafka_emulator.truth import Fact, read, sometime, throughout

MOVING = ("rolling_restart", "coordinators_move", "topics_deleted_midway")
Rows = Mapping[str, Mapping[str, Any]]
PAGE_LIMIT = {"KAFKA_CENSUS__COLLECT__PAGE_LIMIT": "10"}
"""Small: faults come at later pages."""


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


def groups(census: Operator) -> Rows:
    names = {"coordinator": "found_coordinator", "type": "group_type", "state": "group_state"}
    rows = census.current(PLACEMENT.name).where("found_coordinator IS NOT NULL").collect()
    return {row.group_id: {fact: row[name] for fact, name in names.items()} for row in rows}


def partitions(census: Operator) -> Rows:
    return {
        f"{row.topic}/{row.partition}": {
            "leader": -1 if row.leader_id is None else row.leader_id,
            "replicas": row.replicas,
            "isr": row.isr,
        }
        for row in census.current(PARTITIONS.name).where("partition >= 0").collect()
    }


def untruths(rows: Rows, facts: Iterable[Fact], kind: str, begin: datetime, end: datetime) -> Iterator[str]:
    """A line for each row that was never true between two times, and for each fact that held all of it without a row.

    A census takes time, and the cluster changes meanwhile. `rows` have values for which their table has a column.
    """
    known = list(facts)
    always, ever = throughout(known, kind, begin, end), sometime(known, kind, begin, end)
    yield from (f"{kind} {key} is missing" for key in sorted(always.keys() - rows.keys()))
    for key, row in sorted(rows.items()):
        if not any(all(fact.get(name) == value for name, value in row.items()) for fact in ever.get(key, [])):
            yield f"{kind} {key} was never {dict(row)}, but {ever.get(key) or 'absent'}"


def test_what_is_published_was_so(operator: Callable[..., Operator], tmp_path: Path) -> None:
    """Every declared fault was met; no fact that held all the time is missing, and no reported fact never held."""
    truth, file = tmp_path / "truth.jsonl", tmp_path / "everything_moves.yaml"
    file.write_text(json.dumps(everything_moves()), encoding="utf-8")
    with running("--scenario", str(file), "--truth", str(truth)) as (emulator, servers):
        census = replace(operator(",".join(servers), "moving"), tables=(PLACEMENT, PARTITIONS))
        ran = census.run("census", "--no-report", **PAGE_LIMIT)
        assert (ran.code, ran.error) == (0, ""), ran.err[-2000:]
        emulator.send_signal(SIGINT)
        assert emulator.wait(10) == 0, emulator.stderr.read() if emulator.stderr else ""
    publications = census.rows(PUBLICATIONS)
    times = [F.unix_micros(F.min("observed_from")), F.unix_micros(F.max("observed_to"))]
    during = [datetime.fromtimestamp(one / 1e6, UTC) for one in publications.agg(*times).collect()[0]]
    facts = read(truth)
    assert list(untruths(groups(census), facts, "group", *during)) == []
    assert list(untruths(partitions(census), facts, "partition", *during)) == []
    assert [row.is_complete for row in publications.collect()] == [True, True]
