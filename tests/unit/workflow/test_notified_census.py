"""Which ends of a census and of its steps are notified, and with which facts, which the steps record."""

import importlib
from collections.abc import Mapping
from contextlib import nullcontext

import pytest

from kafka_census.alerts import textfile
from kafka_census.census import run as workflow
from kafka_census.census.gate.causes import Cause
from kafka_census.census.gate.gate import Judgement, TableJudgement
from kafka_census.census.gate.skew import Skew
from kafka_census.census.work import Work
from kafka_census.errors import CensusError, Refused, Unreachable
from unit.workflow.stand_ins import NOON, Noted, Parts, into, run

BROKERS = TableJudgement("brokers", False, (), "proven", 0, 1, NOON, NOON, Skew(NOON, NOON))
PASSED = Judgement("publish", (BROKERS,), (), ())
REFUSAL = Judgement("refuse", (BROKERS,), (Cause("broker 3 is down", (), ("brokers",)),), ())


BUG, UNSEEN = CensusError("the disk is full"), Unreachable("nobody answered")
Facts = tuple[float | None, ...]
Fails = Mapping[str, CensusError]
NOTHING: Facts = (None,) * 5


@pytest.mark.parametrize(
    ("step", "judgement", "fails", "facts"),
    [
        ("run_publish", PASSED, {}, (0, 600, 0, 1, NOON.timestamp())),
        # Whichever step judges reports a refusal, with what the gate said of it.
        ("run_census", REFUSAL, {}, (3, 0, 1, 1, None)),
        ("run_gate", REFUSAL, {}, (3, 600, 1, 1, None)),
        ("run_publish", REFUSAL, {}, (3, 600, 1, 1, None)),
        # How long a failed census took, once it has an id.
        ("run_census", PASSED, {"identify": UNSEEN}, (1, None, None, None, None)),
        ("run_census", PASSED, {"stage": BUG}, (1, 0, None, None, None)),
        ("run_census", PASSED, {"promote": BUG}, (1, 0, None, 1, None)),
        # A census goes on after these; `publish` tells.
        ("run_ingest", PASSED, {}, NOTHING),
        ("run_transform", PASSED, {}, NOTHING),
        ("run_gate", PASSED, {}, NOTHING),
    ],
)
def test_the_last_step_notifies_and_whatever_fails(
    work: Work, parts: Parts, runs: Noted, step: str, judgement: Judgement, fails: Fails, facts: Facts
) -> None:
    runs.runs = [run("started landed staged")] if step != "run_census" else []
    # Nothing is counted, because there is no table.
    importlib.import_module("kafka_census.census.gate.gate").judge.side_effect = lambda *_, **__: judgement
    parts.fails.update(fails)
    errors = (*map(type, fails.values()), *([Refused] if judgement is REFUSAL else []))
    with pytest.raises(errors) if errors else nullcontext():
        getattr(workflow, step)(into(work, "."))
    read = textfile.read(textfile.path_of(".", "local"))
    names = ("last_run_exit_code", "last_run_duration_seconds", "refusal_causes", "incomplete_tables")
    found = tuple(read.get(f"kafka_census_{name}") for name in (*names, "last_success_timestamp_seconds"))
    assert found == facts
