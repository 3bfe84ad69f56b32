"""Which ends of a census and of its steps are notified, and with which facts, which the steps record."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kafka_census.alerts import textfile
from kafka_census.errors import CensusError, Refused, Unreachable
from kafka_census.quality.causes import Cause
from kafka_census.quality.gate import Judgement, TableJudgement
from kafka_census.quality.skew import Skew
from kafka_census.workflows import census as workflow
from kafka_census.workflows.work import CensusWork
from unit.workflow.stand_ins import NOON, Noted, Parts, run

BROKERS = TableJudgement("brokers", False, (), "proven", 0, 1, NOON, NOON, Skew(NOON, NOON))
PASSED = Judgement("publish", (BROKERS,), (), ())
REFUSAL = Judgement("refuse", (BROKERS,), (Cause("broker 3 is down", (), ("brokers",)),), ())


def judged(judgement: Judgement) -> None:
    importlib.import_module("kafka_census.quality.gate").judge.side_effect = lambda *_, **__: judgement


@pytest.fixture
def reported(work: CensusWork, tmp_path: Path) -> CensusWork:
    """Work with notifications; nothing is counted, because there is no table."""
    judged(PASSED)
    section = work.config.alerts.model_copy(update={"prometheus_folder": str(tmp_path)})
    return replace(work, config=replace(work.config, alerts=section))


def figures(work: CensusWork) -> Mapping[str, float]:
    """What Prometheus reads, without what all metrics begin with."""
    read = textfile.read(textfile.path_of(str(work.config.alerts.prometheus_folder), "local"))
    return {name.removeprefix("kafka_census_"): figure for name, figure in read.items()}


def test_a_published_census_notifies(reported: CensusWork, parts: Parts) -> None:
    """With the time that it took, by its id."""
    workflow.run_census(reported)
    assert (figures(reported)["last_run_exit_code"], figures(reported)["last_run_duration_seconds"]) == (0, 0)
    assert figures(reported)["last_success_timestamp_seconds"] == NOON.timestamp()


@pytest.mark.parametrize("step", [workflow.run_census, workflow.run_gate, workflow.run_publish])
def test_a_census_that_is_refused_is_reported_by_whichever_step_judges(
    reported: CensusWork, parts: Parts, runs: Noted, step: Callable[[CensusWork], None]
) -> None:
    """With what the gate said of it, which the error does not hold."""
    runs.runs = [run("started landed staged")]
    judged(REFUSAL)
    with pytest.raises(Refused):
        step(reported)
    shown = figures(reported)
    assert (shown["last_run_exit_code"], shown["refusal_causes"], shown["incomplete_tables"]) == (3, 1, 1)
    assert "last_success_timestamp_seconds" not in shown


@pytest.mark.parametrize(("at", "knows"), [("identify", False), ("stage", True), ("promote", True)])
def test_a_failed_census_notifies(reported: CensusWork, parts: Parts, at: str, knows: bool) -> None:
    """Wherever; how long it took, once it has an id."""
    parts.fails[at] = Unreachable("nobody answered") if at == "identify" else CensusError("the disk is full")
    with pytest.raises(CensusError):
        workflow.run_census(reported)
    assert figures(reported)["last_run_exit_code"] == 1
    assert ("last_run_duration_seconds" in figures(reported)) is knows
    assert "last_success_timestamp_seconds" not in figures(reported)


@pytest.mark.parametrize("step", [workflow.run_ingest, workflow.run_transform, workflow.run_gate])
def test_a_step_that_is_not_the_last_tells_nothing(
    reported: CensusWork, parts: Parts, runs: Noted, step: Callable[[CensusWork], None]
) -> None:
    """Its census goes on; `publish` tells."""
    runs.runs = [run("started landed staged")]
    step(reported)
    assert figures(reported) == {}
    workflow.run_publish(reported)
    assert figures(reported)["last_run_exit_code"] == 0
