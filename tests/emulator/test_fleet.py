"""Several clusters in one lake and one job: published on its worst day, one id twice, not there.

What is published was so, all of it. Each scenario by itself is walked in test_scenarios_walked.py; those in which
something moves are published as one.
"""

import contextlib
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pytest
import yaml

from e2e.operator import Operator
from emulator.commanding import ended, running
from kafka_census.cli import job
from kafka_census.clock import Clock
from kafka_census.lake.lake import Lake
from kafka_census.lake.runs import Runs
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT as PLACEMENT
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS as PARTITIONS
from kafka_emulator.scenario_file import FOLDER
from kafka_emulator.truth import Fact, read, sometime, throughout

MOVING = ("rolling_restart", "coordinators_move", "topics_deleted_midway")
NAMED_TWICE = ("busy", "copy")
"""Names of the cluster that moves, in the order of the job: the second is refused."""

Rows = Mapping[str, Mapping[str, Any]]
COLLECT = {"page_limit": 10, "collect_on": "driver"}
"""Small pages: faults come at later ones."""


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
    rows = [row for row in census.read(PLACEMENT.name) if row["found_coordinator"] is not None]
    return {row["group_id"]: {fact: row[name] for fact, name in names.items()} for row in rows}


def partitions(census: Operator) -> Rows:
    return {
        f"{row['topic']}/{row['partition']}": {
            "leader": -1 if row["leader_id"] is None else row["leader_id"],
            "replicas": row["replicas"],
            "isr": row["isr"],
        }
        for row in census.read(PARTITIONS.name)
        if row["partition"] >= 0
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


@dataclass(frozen=True)
class Fleet:
    """One job of three clusters: its exit code, what it printed, and what was so of the one that moved meanwhile."""

    census: Operator
    code: int
    err: str
    facts: list[Fact]


@pytest.fixture(scope="module")
def fleet(operator: Callable[..., Operator], tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """Every declared fault of the cluster that moves was met, or else it ends with another exit code."""
    folder = tmp_path_factory.mktemp("moving")
    truth, file = folder / "truth.jsonl", folder / "everything_moves.yaml"
    file.write_text(json.dumps(everything_moves()), encoding="utf-8")
    ours = replace(operator("", "fleet"), tables=(PLACEMENT, PARTITIONS), collect=COLLECT)
    err = io.StringIO()
    with (
        running("--scenario", str(file), "--truth", str(truth)) as (emulator, moving),
        contextlib.redirect_stderr(err),
    ):
        path = ours.config
        clusters = {"nowhere": ["127.0.0.1:1"]} | dict.fromkeys(NAMED_TWICE, moving)
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
        written["clusters"] = {name: {"bootstrap_servers": servers} for name, servers in clusters.items()}
        path.write_text(json.dumps(written), encoding="utf-8")
        code = job.main("census", ["--config", str(path), "--all-clusters"])
        assert ended(emulator) == (0, "")
    return Fleet(ours, code, err.getvalue(), read(truth))


def test_each_cluster_has_its_own_verdict_in_one_session(fleet: Fleet) -> None:
    """A refusal and a cluster that does not answer stop no other; each is reported."""
    errors = [line for line in fleet.err.splitlines() if line.startswith("error: ")]
    assert fleet.code == 1, fleet.err[-3000:]
    assert len(errors) == 2
    assert errors[0].startswith("error: cluster 'nowhere': no bootstrap server answered")
    assert errors[1].startswith("error: cluster 'copy' is not surveyed into this lake: this lake has ")
    assert "under another name, 'busy' (the last is " in errors[1]
    runs = Runs(fleet.census.spark, Lake(fleet.census.lake), Clock())
    reached = {"nowhere": [], "busy": ["published"], "copy": []}
    assert {name: [run.reached for run in runs.of((name,))] for name in reached} == reached
    assert fleet.err.count('"event": "spark_started"') == 1


def test_what_is_published_was_so(fleet: Fleet) -> None:
    """No fact that held all the time is missing, and no reported fact never held."""
    publications = PublishedLake(fleet.census.lake).publications.to_table().to_pylist()
    during = min(row["observed_from"] for row in publications), max(row["observed_to"] for row in publications)
    assert list(untruths(groups(fleet.census), fleet.facts, "group", *during)) == []
    assert list(untruths(partitions(fleet.census), fleet.facts, "partition", *during)) == []
    assert [(row["cluster"], row["is_complete"]) for row in publications] == [("busy", True)] * 2
