"""The workflow of a census: the order of its steps, and what `census_runs` says afterwards."""

import importlib
import io
import json
import types
from dataclasses import replace
from typing import Any

import pytest

from kafka_census.census import landed
from kafka_census.census import run as workflow
from kafka_census.census.work import Work
from kafka_census.config import load
from kafka_census.declarations.desired import Desired
from kafka_census.declarations.operator_values import OperatorValues
from kafka_census.errors import CensusError, ConfigError, LockHeld, Refused, TroubleFound
from unit.workflow.stand_ins import BEFORE, CANARY, Noted, Parts, run

SECRET = f"{CANARY}\n\n {CANARY}\t"


def test_only_a_census_that_goes_on_looks_for_what_was_written_before(work: Work, parts: Parts, runs: Noted) -> None:
    """Pages, calls and tables of a new census are appended: nothing has written them before.

    Staging alone replaces what it may have staged: its census exists, although neither --resume nor its id is given.
    """
    values = OperatorValues((Desired("topic", "*", "retention.ms", "1"),))
    for resume in (False, True):
        workflow.run_census(replace(work, resume=resume, values=values))
        for step in ("landing.ingest.Ingest", "census.gate.calls.write_calls", "census.staging.stage.stage"):
            assert _handed(step).kwargs["goes_on"] is resume, step
        assert _handed("census.staging.stage.stage").args[-3] == values
    runs.runs = [run("started landed staged failed")]
    workflow.run_transform(replace(work, settings=None))
    assert _handed("census.staging.stage.stage").kwargs["goes_on"]


def _handed(step: str) -> Any:
    module, _, function = f"kafka_census.{step}".rpartition(".")
    return getattr(importlib.import_module(module), function).call_args


ASKED = "identify, lock local, ingest, look, calls"


@pytest.mark.parametrize(
    ("step", "before", "called", "noted"),
    [
        ("run_census", "", f"{ASKED}, stage, judge, promote, unlock", "started landed staged gated published"),
        ("run_ingest", "", f"{ASKED}, unlock", "started landed"),
        # Alone they work on the last census, under the lock, without asking Kafka.
        ("run_transform", "started landed staged failed", "lock local, look, stage, unlock", "staged"),
        ("run_gate", "started landed staged", "lock local, look, judge, unlock", "gated"),
        ("run_publish", "started landed staged gated", "lock local, look, judge, promote, unlock", "gated published"),
    ],
)
def test_a_step_is_done_in_order_noted_and_reported_to_scripts(
    work: Work, parts: Parts, runs: Noted, step: str, before: str, called: str, noted: str
) -> None:
    """One JSON object, and nothing else. The id of a new census begins with the time."""
    runs.runs = [run("started published", census_id="20261121T110000000Z-00000a"), *([run(before)] if before else [])]
    out = io.StringIO()
    settings = None if before else work.settings
    getattr(workflow, step)(replace(work, out=out, as_json=True, reports=False, settings=settings))
    assert ", ".join(parts.called) == called
    assert " ".join(runs.events) == noted
    (census_id,) = {entry[0] for entry in runs.noted}
    assert census_id == BEFORE if before else census_id.startswith("20261121T120000000Z-")
    given = json.loads(out.getvalue())
    said = tuple(given[name] for name in ("cluster", "cluster_id", "census_id", "state"))
    assert said == ("local", "kraft-id", census_id, runs.events[-1])


@pytest.mark.parametrize("reports", [True, False])
def test_what_fail_on_names_ends_a_census_once_it_is_published(
    work: Work, parts: Parts, runs: Noted, reports: bool
) -> None:
    """Exit code 4, with how many of what; with `--no-report` too. What is not there, or not named, fails nothing."""
    counts = {"offline": 3, "under_min_isr": 20, "stalled": 0}
    tables = [types.SimpleNamespace(table=name) for name in ("under_min_isr_partitions", "reassignment_backlog")]
    of = {"census_id": BEFORE, "cluster": "local", "published_at": work.clock.now()}
    parts.reports = [types.SimpleNamespace(**of, counts=counts, sections=tables)]
    asked = replace(work, reports=reports, fail_on=("stalled", "under_min_isr", "offline"))
    with pytest.raises(TroubleFound) as caught:
        workflow.run_census(asked)
    assert str(caught.value) == f"census {BEFORE} of local shows what --fail-on names: 20 under_min_isr, 3 offline"
    assert caught.value.exit_code == 4
    assert runs.events[-1] == "published"
    assert ("report" in parts.called) == reports
    workflow.run_census(replace(asked, fail_on=("stalled",)))


def test_a_refusal_is_reported_noted_and_raised(work: Work, parts: Parts, runs: Noted) -> None:
    parts.refusals = ("t: broker 3 did not answer DescribeLogDirs", "other")
    with pytest.raises(Refused, match=r"is not published: t: broker 3 did not .* \(and 1 more\)") as caught:
        workflow.run_census(work)
    assert caught.value.exit_code == 3
    assert "report" in parts.called
    assert "promote" not in parts.called
    assert runs.events == ["started", "landed", "staged", "refused"]
    assert runs.noted[-1][2] == "t: broker 3 did not answer DescribeLogDirs"


@pytest.mark.parametrize(
    ("step", "error", "detail"),
    [
        ("stage", CensusError("table\n broken"), "table broken"),
        ("ingest", RuntimeError(f"login with {SECRET}"), "RuntimeError: login with ***"),
    ],
)
def test_what_stops_a_census_is_noted_in_one_line_without_secrets(
    work: Work, parts: Parts, runs: Noted, step: str, error: Exception, detail: str
) -> None:
    parts.fails[step] = error
    work.redactor.learn(load("census.yaml", {"CENSUS_PASSWORD": SECRET}).cluster("secured"))
    with pytest.raises(type(error)) as caught:
        workflow.run_census(work)
    assert caught.value is error
    assert runs.noted[-1][1:] == ("failed", detail)


def test_a_held_lock_ends_before_anything_is_noted(work: Work, parts: Parts, runs: Noted) -> None:
    """A second run leaves no trace."""
    parts.fails["lock local"] = LockHeld("held by process 1")
    with pytest.raises(LockHeld):
        workflow.run_census(work)
    assert runs.noted == []


TAKEN = {
    "retired": f"^census {BEFORE} of local was retired by kafka-census maintain; start a new one$",
    "cleared": f"^census {BEFORE} of local has no landed pages any more, as `retention` says; start a new one$",
}


@pytest.mark.parametrize(
    ("step", "events", "line"),
    [
        # A half-landed census is not computed, an unstaged one not judged; the line says what to run.
        ("run_transform", "started", "is not landed yet; first: kafka-census ingest"),
        ("run_transform", "started landed resumed failed", "is not landed yet"),
        ("run_gate", "started landed", "is not staged yet; first: kafka-census transform"),
        ("run_publish", "started landed failed", "is not staged yet"),
        ("run_transform", "started landed published", "is published, so its rows stay as they are"),
        # Judging a census without its pages would refuse what was right, publishing it again would do nothing.
        *(
            (step, f"started landed staged gated published {event}", line)
            for step in ("run_transform", "run_gate", "run_publish")
            for event, line in TAKEN.items()
        ),
    ],
)
@pytest.mark.parametrize("census_id", [None, BEFORE])
def test_a_step_waits_for_the_one_before_and_does_not_work_on_what_maintenance_has_taken(
    work: Work, parts: Parts, runs: Noted, step: str, events: str, line: str, census_id: str | None
) -> None:
    runs.runs = [run(events)]
    with pytest.raises(ConfigError, match=line):
        getattr(workflow, step)(replace(work, census_id=census_id))
    assert (parts.called, runs.noted) == ([], [])
    runs.runs = []
    line = "no census 2026" if census_id else "has no census in this lake; begin with: .* ingest --cluster local$"
    with pytest.raises(ConfigError, match=line):
        workflow.run_transform(replace(work, census_id=census_id))


def test_a_large_census_says_once_that_the_second_compiler_is_off(
    work: Work, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the setting that turns it on for the next one; a JVM that has it says nothing."""
    reported: list[dict[str, object]] = []
    logs = lambda event, **fields: event == "second_compiler_off" and reported.append(fields)  # noqa: E731
    for lacks in (True, False):
        monkeypatch.setattr(landed, "lacks_second_compiler", lambda _spark, items, lacks=lacks: lacks and items == 5)
        workflow.run_census(replace(work, progress=logs))
    (said,) = reported
    assert said["items"] == 5
    assert "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=4" in str(said["remedy"])
