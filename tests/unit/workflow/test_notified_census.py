"""Which ends of a census and of its steps are notified, and with which facts, which the steps record."""

import importlib
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from kafka_census.alerts import textfile
from kafka_census.census import run as workflow
from kafka_census.census.gate.causes import Cause
from kafka_census.census.gate.gate import Judgement, TableJudgement
from kafka_census.census.gate.skew import Skew
from kafka_census.census.work import Work
from kafka_census.errors import CensusError, Refused, Unreachable
from unit.workflow.stand_ins import NOON, Noted, Parts, run

BROKERS = TableJudgement("brokers", False, (), "proven", 0, 1, NOON, NOON, Skew(NOON, NOON))
PASSED = Judgement("publish", (BROKERS,), (), ())
REFUSAL = Judgement("refuse", (BROKERS,), (Cause("broker 3 is down", (), ("brokers",)),), ())


BUG, UNSEEN = CensusError("the disk is full"), Unreachable("nobody answered")


@pytest.mark.parametrize(
    ("step", "judgement", "fails", "error", "facts"),
    [
        ("run_publish", PASSED, {}, None, (0, 600, 0, 1, NOON.timestamp())),
        # Whichever step judges reports a refusal, with what the gate said of it.
        ("run_census", REFUSAL, {}, Refused, (3, 0, 1, 1, None)),
        ("run_gate", REFUSAL, {}, Refused, (3, 600, 1, 1, None)),
        ("run_publish", REFUSAL, {}, Refused, (3, 600, 1, 1, None)),
        # How long a failed census took, once it has an id.
        ("run_census", PASSED, {"identify": UNSEEN}, Unreachable, (1, None, None, None, None)),
        ("run_census", PASSED, {"stage": BUG}, CensusError, (1, 0, None, None, None)),
        ("run_census", PASSED, {"promote": BUG}, CensusError, (1, 0, None, 1, None)),
        # A census goes on after these; `publish` tells.
        ("run_ingest", PASSED, {}, None, (None,) * 5),
        ("run_transform", PASSED, {}, None, (None,) * 5),
        ("run_gate", PASSED, {}, None, (None,) * 5),
    ],
)
def test_the_last_step_notifies_and_whatever_fails(
    work: Work,
    parts: Parts,
    runs: Noted,
    tmp_path: Path,
    step: str,
    judgement: Judgement,
    fails: Mapping[str, CensusError],
    error: type[CensusError] | None,
    facts: tuple[float | None, ...],
) -> None:
    runs.runs = [run("started landed staged")] if step != "run_census" else []
    # Nothing is counted, because there is no table.
    importlib.import_module("kafka_census.census.gate.gate").judge.side_effect = lambda *_, **__: judgement
    parts.fails.update(fails)
    section = work.config.alerts.model_copy(update={"prometheus_folder": str(tmp_path)})
    with nullcontext() if error is None else pytest.raises(error):
        getattr(workflow, step)(replace(work, config=replace(work.config, alerts=section)))
    read = textfile.read(textfile.path_of(str(tmp_path), "local"))
    names = ("last_run_exit_code", "last_run_duration_seconds", "refusal_causes", "incomplete_tables")
    found = tuple(read.get(f"kafka_census_{name}") for name in (*names, "last_success_timestamp_seconds"))
    assert found == facts
