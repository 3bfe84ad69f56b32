"""The flow of a census: the order of its steps, what `census_runs` says afterwards, what may be resumed."""

import importlib
import io
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import pytest

from kafka_census.census import Census, started_at
from kafka_census.clock import Clock
from kafka_census.config import load
from kafka_census.errors import (
    CensusError,
    ClockBehind,
    ConfigError,
    LockHeld,
    Refused,
    TroubleFound,
    WrongCluster,
)
from kafka_census.lake.publications import Last
from kafka_census.lake.runs import Run, Times
from kafka_census.log import Redactor
from kafka_census.progress import NullProgress
from kafka_census.tables.desired import Desired
from kafka_census.workflows import census as workflow
from kafka_census.workflows.work import CensusWork

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BEFORE = "20261121T115000000Z-00000a"
CANARY = "canary-hunter2"
ENDED = [(), ("started", "published"), ("started", "refused"), ("refused", "failed"), ("published", "cleared")]
LOOKED = types.SimpleNamespace(headers=[], missing_reads=[], items=7, is_small=True)
CONF = """
lake: {root: lake}
clusters:
  local: {bootstrap_servers: [127.0.0.1:9092]}
  secured:
    bootstrap_servers: [127.0.0.1:9092]
    security_protocol: SASL_PLAINTEXT
    sasl: {mechanism: PLAIN, username: u, password: {env: CENSUS_PASSWORD}}
"""


class Noon(Clock):
    """A clock that stands."""

    def now(self) -> datetime:
        """Always noon."""
        return NOON


@dataclass
class Noted:
    """`census_runs` in memory."""

    runs: list[Run] = field(default_factory=list)
    noted: list[tuple[str, str, str | None]] = field(default_factory=list)

    def note(self, census: Census, event: str, detail: str | None = None, times: Sequence[Times] = ()) -> None:
        """Remember the event; only what the gate did has times."""
        assert bool(times) == (event in ("gated", "refused"))
        self.noted.append((census.census_id, event, detail))
        if event == "published":
            self.runs.append(Run(census, ("started", event)))

    def remember(self, census: Census, event: str, times: Sequence[Times] = ()) -> None:
        """Events in memory are noted at once."""
        self.note(census, event, times=times)

    def of(self, cluster: str, limit: int = 20) -> Sequence[Run]:
        """Latest first."""
        mine = (run for run in self.runs if run.census.cluster == cluster)
        return sorted(mine, key=lambda run: run.census.census_id, reverse=True)[:limit]

    def find(self, cluster: str, census_id: str) -> Run | None:
        """By id."""
        return next((run for run in self.of(cluster) if run.census.census_id == census_id), None)

    @property
    def events(self) -> list[str]:
        """In order."""
        return [event for _, event, _ in self.noted]


@dataclass
class Parts:
    """Stand-ins for the steps, and the order in which they were called."""

    called: list[str] = field(default_factory=list)
    cluster_id: str = "kraft-id"
    refusals: tuple[str, ...] = ()
    fails: dict[str, Exception] = field(default_factory=dict)
    published: list[Last] = field(default_factory=list)
    is_published: bool = False
    reports: list[Any] = field(default_factory=list)

    def step(self, name: str, answer: object = None) -> Any:
        """A step that remembers that it was called."""

        def call(*_args: object, **_options: object) -> object:
            self.called.append(name)
            if name in self.fails:
                raise self.fails[name]
            return answer() if callable(answer) else answer

        return call

    @contextmanager
    def hold(self, _lake: object, cluster: str, _census_id: str) -> Iterator[None]:
        """The lock."""
        if "lock" in self.fails:
            raise self.fails["lock"]
        self.called.append(f"lock {cluster}")
        yield
        self.called.append("unlock")

    def judged(self) -> object:
        """What the gate says."""
        outcome = "refuse" if self.refusals else "publish"
        return types.SimpleNamespace(outcome=outcome, refusals=self.refusals, times=(("brokers", NOON, NOON),))


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, step: Callable[..., object]) -> None:
    """Let a function of the package do something else; it takes only the arguments that the real one takes."""
    module, _, function = f"kafka_census.{name}".rpartition(".")
    real = getattr(importlib.import_module(module), function)
    monkeypatch.setattr(f"{module}.{function}", create_autospec(real, side_effect=step))


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Parts:
    """Every step is a stand-in."""
    made = Parts()
    steps = {
        "landing.identify.identify": made.step("identify", lambda: made.cluster_id),
        "lake.run_lock.hold": made.hold,
        "landing.ingest.ingest": made.step("ingest"),
        "pages.landed_census.read_pages": lambda *_: types.SimpleNamespace(is_small=True, is_one_task=False),
        "pages.landed_census.read_landed_census": made.step("look", lambda: LOOKED),
        "quality.calls.write_calls": made.step("calls"),
        "staging.stage.stage": made.step("stage"),
        "quality.gate.judge": made.step("judge", made.judged),
        "lake.publications.last_published": lambda *_: made.published,
        "lake.publications.standing": lambda *_: types.SimpleNamespace(published=made.is_published),
        "publish.promote.promote": made.step("promote"),
        "report.print_report": made.step("report", lambda: made.reports),
        "report.summary.read_reports": made.step("look at the report", lambda: made.reports),
        "report.print_refusal": made.step(
            "refusal", lambda: types.SimpleNamespace(counts={"offline": 2, "stalled": 0})
        ),
    }
    for name, step in steps.items():
        stand_in(monkeypatch, name, step)
    monkeypatch.setattr(workflow, "fit", lambda _spark, **_size: None)
    return made


@pytest.fixture
def conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration file in the current directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "census.yaml"
    path.write_text(CONF, encoding="utf-8")
    return path


@pytest.fixture
def runs() -> Noted:
    """`census_runs`, still empty."""
    return Noted()


@pytest.fixture
def work(conf: Path, runs: Noted, parts: Parts) -> CensusWork:
    """Work on the cluster `local`; asking for `parts` first puts the stand-ins in place."""
    assert parts.called == []
    config = load(conf, {})
    return CensusWork(
        spark=None,  # type: ignore[arg-type] # the stand-ins ask it nothing
        config=config,
        cluster="local",
        settings=config.cluster("local"),
        runs=runs,  # type: ignore[arg-type] # the same interface, in memory
        clock=Noon(),
        progress=NullProgress(),
        redactor=Redactor(),
        out=io.StringIO(),
    )


def run(*events: str, census_id: str = BEFORE, cluster_id: str = "kraft-id") -> Run:
    """A census of the runs, ten minutes old."""
    return Run(Census(census_id, cluster_id, "local", started_at(census_id), ("reassignment_backlog",)), events)


def test_the_desired_state_reaches_the_tables(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """As it was read before anything was sent."""
    desired, handed = (Desired("topic", "*", "retention.ms", "1"),), []
    steps = importlib.import_module("kafka_census.staging.stage")
    steps.stage.side_effect = lambda *args: handed.append(args[-3])
    workflow.run_census(replace(work, desired=desired))
    assert handed == [desired]


def test_a_census_takes_all_steps_in_order(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Identified, locked, landed, staged, judged, published, unlocked, reported; `census_runs` has every step."""
    workflow.run_census(work)
    assert parts.called == [
        "identify",
        "lock local",
        "ingest",
        "look",
        "calls",
        "stage",
        "judge",
        "promote",
        "unlock",
        "report",
    ]
    assert runs.events == ["started", "landed", "staged", "gated", "published"]


def test_a_census_ends_without_a_report_where_none_is_wanted(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Published all the same."""
    workflow.run_census(replace(work, reports=False))
    assert "report" not in parts.called
    assert runs.events[-1] == "published"


@pytest.mark.parametrize("reports", [True, False])
def test_what_fail_on_names_ends_a_census_once_it_is_published(
    work: CensusWork, parts: Parts, runs: Noted, reports: bool
) -> None:
    """Exit code 4, with how many of what; with `--no-report` too. What is not there, or not named, fails nothing."""
    counts = {"offline": 3, "under_min_isr": 20, "stalled": 0}
    tables = [types.SimpleNamespace(table=name) for name in ("under_min_isr_partitions", "reassignment_backlog")]
    parts.reports = [types.SimpleNamespace(census_id=BEFORE, cluster="local", counts=counts, sections=tables)]
    asked = replace(work, reports=reports, fail_on=("stalled", "under_min_isr", "offline"))
    with pytest.raises(TroubleFound) as caught:
        workflow.run_census(asked)
    assert str(caught.value) == f"census {BEFORE} of local shows what --fail-on names: 20 under_min_isr, 3 offline"
    assert caught.value.exit_code == 4
    assert runs.events[-1] == "published"
    assert ("report" in parts.called) == reports
    workflow.run_census(replace(asked, fail_on=("stalled",)))


def test_fail_on_never_passes_for_want_of_a_table(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """A published census that lacks the table, and a lake in which nothing is published: exit code 2."""
    parts.reports = [types.SimpleNamespace(census_id=BEFORE, cluster="local", counts={}, sections=[])]
    runs.runs = [run("started", "published")]
    with pytest.raises(ConfigError, match="--fail-on hanging looks at the table hanging_transactions"):
        workflow.run_report(replace(work, fail_on=("hanging",)))
    parts.reports = []
    with pytest.raises(ConfigError, match="nothing is published in this lake yet"):
        workflow.run_report(replace(work, fail_on=("hanging",)))


@pytest.mark.parametrize(
    ("events", "line"),
    [
        (("started", "landed", "staged", "gated", "published"), "is published: it has nothing unpublished"),
        (("started", "landed"), "is not computed yet"),
        (("started", "landed", "staged", "refused", "cleared"), "has no landed pages any more"),
    ],
)
def test_what_has_nothing_unpublished_is_told_in_a_line(
    work: CensusWork, parts: Parts, runs: Noted, events: tuple[str, ...], line: str
) -> None:
    """By name: exit code 2. Without a name: a line among the results, and exit code 0."""
    runs.runs = [run(*events)]
    with pytest.raises(ConfigError, match=line):
        workflow.run_report(replace(work, unpublished=True, census_id=BEFORE))
    workflow.run_report(replace(work, unpublished=True))
    assert work.out.getvalue() == (  # type: ignore[attr-defined] # a StringIO
        "none of the last censuses of cluster 'local' was computed and not published\n"
    )
    assert parts.called == []


def test_the_last_unpublished_census_is_reported_without_a_lock(
    work: CensusWork, parts: Parts, runs: Noted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refused one, though another was published since; a report of it notes nothing."""
    stand_in(monkeypatch, "quality.recall.recalled", parts.step("recall"))
    runs.runs = [run("started", "staged", "refused"), run("started", "published", census_id=AHEAD)]
    workflow.run_report(replace(work, unpublished=True, fail_on=("stalled",)))
    assert (parts.called, runs.noted) == (["look", "recall", "refusal"], [])
    with pytest.raises(TroubleFound, match=f"census {BEFORE} of local, not published, shows .*: 2 offline"):
        workflow.run_report(replace(work, unpublished=True, fail_on=("offline",)))


def test_a_new_census_is_named_by_the_clock(work: CensusWork, runs: Noted) -> None:
    """The id starts with the time of the start."""
    workflow.run_ingest(work)
    assert runs.noted[0][0].startswith("20261121T120000000Z-")


def test_a_refusal_is_told_noted_and_raised(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Nothing is promoted; the first reason is in the error, the others are counted; exit code 3."""
    parts.refusals = ("t: broker 3 did not answer DescribeLogDirs", "other")
    with pytest.raises(Refused, match=r"is not published: t: broker 3 did not .* \(and 1 more\)") as caught:
        workflow.run_census(work)
    assert caught.value.exit_code == 3
    assert "refusal" in parts.called
    assert "promote" not in parts.called
    assert runs.events == ["started", "landed", "staged", "refused"]
    assert runs.noted[-1][2] == "t: broker 3 did not answer DescribeLogDirs"


def test_what_stops_a_census_is_noted_and_goes_on(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """`census_runs` says failed and why, in one line; the lock is free; the error is the first one."""
    parts.fails["stage"] = CensusError("table\n broken")
    with pytest.raises(CensusError, match="broken"):
        workflow.run_census(work)
    assert runs.noted[-1][1:] == ("failed", "table broken")


def test_a_secret_in_an_error_is_not_noted(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """What is written to `census_runs` passes the redactor."""
    secret = f"{CANARY}\n\n {CANARY}\t"
    parts.fails["ingest"] = RuntimeError(f"login with {secret}")
    work.redactor.learn(load("census.yaml", {"CENSUS_PASSWORD": secret}).cluster("secured"))
    with pytest.raises(RuntimeError):
        workflow.run_census(work)
    assert runs.noted[-1][2] == "RuntimeError: login with ***"


def test_a_book_that_cannot_be_written_does_not_hide_the_first_error(
    work: CensusWork, parts: Parts, runs: Noted
) -> None:
    """When the lake is what broke, the failure is told as progress and the first error is raised."""
    parts.fails["stage"] = CensusError("the disk is full")
    told: list[str] = []

    def note(_census: Census, event: str, _detail: str | None = None, times: Sequence[Times] = ()) -> None:
        assert times == ()
        if event == "failed":
            raise OSError("still full")

    runs.note = note  # type: ignore[method-assign]
    with pytest.raises(CensusError, match="the disk is full"):
        workflow.run_census(replace(work, progress=lambda event, **_fields: told.append(event)))
    assert "failure_not_noted" in told


def test_a_held_lock_ends_before_anything_is_noted(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """A second run leaves no trace."""
    parts.fails["lock"] = LockHeld("held by process 1")
    with pytest.raises(LockHeld):
        workflow.run_census(work)
    assert runs.noted == []


def test_another_cluster_behind_a_name_is_refused(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Both ids are named, and nothing is asked or written."""
    runs.runs = [run("started", "published")]
    parts.cluster_id = "other-id"
    with pytest.raises(WrongCluster, match=r"'local': its id is other-id, .* of kraft-id"):
        workflow.run_census(work)
    assert parts.called == ["identify"]
    assert runs.noted == []


def test_resume_goes_on_with_an_unfinished_census(work: CensusWork, runs: Noted) -> None:
    """Same id, same tables, and `census_runs` says resumed."""
    runs.runs = [run("started", "landed", "failed")]
    workflow.run_ingest(replace(work, resume=True))
    assert runs.noted == [(BEFORE, "resumed", None), (BEFORE, "landed", None)]


@pytest.mark.parametrize("events", ENDED)
def test_resume_starts_a_new_census_when_none_is_unfinished(
    work: CensusWork, runs: Noted, events: tuple[str, ...]
) -> None:
    """A scheduler may always say --resume."""
    runs.runs = [run(*events)] if events else []
    workflow.run_ingest(replace(work, resume=True))
    assert runs.noted[0][0] != BEFORE
    assert runs.events[0] == "started"


def test_a_census_that_died_after_its_publication_is_only_noted(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Nobody is asked again and nothing is written: readers see it already, and `census_runs` did not know."""
    runs.runs, parts.is_published = [run("started", "landed")], True
    workflow.run_census(replace(work, resume=True))
    assert parts.called == ["identify", "lock local", "unlock", "report"]
    assert runs.events == ["resumed", "published"]


def test_a_census_that_is_too_old_is_not_resumed(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Its pages would mix two times. Asked for by name: exit code 2; by `--resume`: a new one starts and says why."""
    runs.runs = [run("started", census_id="20261121T105959000Z-00000a")]
    with pytest.raises(ConfigError, match=r"started 1h 1s ago, resume_within is 1h; start a new one"):
        workflow.run_ingest(replace(work, census_id="20261121T105959000Z-00000a"))
    assert "ingest" not in parts.called
    told: list[str] = []
    workflow.run_ingest(replace(work, resume=True, progress=lambda event, **_fields: told.append(event)))
    assert told[0] == "too_old_to_resume"
    assert runs.events[0] == "started"


AHEAD = "20261121T150200000Z-00000a"
"""Two minutes and three hours after noon."""


@pytest.mark.parametrize("resume", [False, True])
def test_a_census_that_would_stay_hidden_is_refused_before_anything_is_asked(
    work: CensusWork, parts: Parts, runs: Noted, resume: bool
) -> None:
    """The clock is behind the last published census: the line has the difference and both ways out; exit code 1."""
    runs.runs = [run("started", "published", census_id=AHEAD)]
    parts.published = [Last("kraft-id", "local", BEFORE), Last("kraft-id", "local", AHEAD)]
    with pytest.raises(ClockBehind) as caught:
        workflow.run_census(replace(work, resume=resume))
    assert str(caught.value) == (
        f"this machine's clock is 3h 2m behind the last published census of cluster 'local', {AHEAD}: a new census "
        "would stay hidden behind that one; set the clock, or, if that census was made by a wrong clock, retire it: "
        f"kafka-census maintain --cluster local --retire {AHEAD} --apply"
    )
    assert caught.value.exit_code == 1
    assert (parts.called, runs.noted) == ([], [])


def test_the_clock_of_another_cluster_does_not_matter(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Nor is the last published census of the same cluster in the way while it is an earlier one."""
    parts.published = [Last("other-id", "other", AHEAD), Last("kraft-id", "local", BEFORE)]
    workflow.run_census(work)
    assert runs.events[-1] == "published"


def test_a_cluster_is_known_by_its_id_where_it_has_a_new_name(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Readers see one census of a cluster, whatever its name: nothing is landed behind it."""
    parts.published = [Last("kraft-id", "former name", AHEAD)]
    with pytest.raises(ClockBehind, match="clock is 3h 2m behind the last published census of cluster 'local'"):
        workflow.run_census(work)
    assert (parts.called, runs.noted) == (["identify"], [])


def test_a_census_that_was_killed_once_it_was_published_goes_on(work: CensusWork, parts: Parts, runs: Noted) -> None:
    """Readers see it already, and the runs does not say so yet: it is its own last one."""
    runs.runs = [run("started", "landed")]
    parts.published = [Last("kraft-id", "local", BEFORE)]
    workflow.run_census(replace(work, resume=True))
    assert (runs.noted[0], runs.noted[-1]) == ((BEFORE, "resumed", None), (BEFORE, "published", None))


def test_an_unfinished_census_behind_a_published_one_is_not_resumed(
    work: CensusWork, parts: Parts, runs: Noted
) -> None:
    """By name: exit code 2. Nobody would see what the brokers are asked for."""
    runs.runs = [run("started", "failed")]
    parts.published = [Last("kraft-id", "local", "20261121T115500000Z-00000b")]
    with pytest.raises(ConfigError, match=r"started 5m before the last published one, 20261121T115500000Z-00000b,"):
        workflow.run_census(replace(work, census_id=BEFORE))
    assert parts.called == []


@pytest.mark.parametrize("step", ["run_ingest", "run_transform", "run_gate", "run_publish"])
def test_a_census_from_the_future_is_not_worked_on(work: CensusWork, parts: Parts, runs: Noted, step: str) -> None:
    """Made where the clock was ahead, it must not be published. By default steps take the last one before it."""
    runs.runs = [run("started", "landed", "staged", "failed", census_id=AHEAD)]
    with pytest.raises(ClockBehind, match=f"^census {AHEAD} of local starts 3h 2m after the time of this machine's"):
        getattr(workflow, step)(replace(work, census_id=AHEAD))
    assert (parts.called, runs.noted) == ([], [])
    runs.runs.append(run("started", "landed", "staged"))
    getattr(workflow, step)(replace(work, resume=True))
    assert {census_id for census_id, _, _ in runs.noted} == {BEFORE}


def test_a_census_by_name_must_exist_and_be_open(work: CensusWork, runs: Noted) -> None:
    """An unknown, malformed or published id is refused; a refused census may be asked again."""
    with pytest.raises(ConfigError, match=f"has no census {BEFORE} in this lake"):
        workflow.run_ingest(replace(work, census_id=BEFORE))
    with pytest.raises(ConfigError, match="no census id"):
        workflow.run_ingest(replace(work, census_id="latest"))
    runs.runs = [run("started", "published")]
    with pytest.raises(ConfigError, match="is published already; start a new one"):
        workflow.run_ingest(replace(work, census_id=BEFORE))
    runs.runs = [run("started", "refused")]
    workflow.run_ingest(replace(work, census_id=BEFORE))
    assert runs.events == ["resumed", "landed"]


@pytest.mark.parametrize(
    ("step", "events", "line"),
    [
        ("run_transform", ("started",), "is not landed yet; run kafka-census ingest"),
        ("run_transform", ("started", "landed", "resumed", "failed"), "is not landed yet"),
        ("run_gate", ("started", "landed"), "is not staged yet; run kafka-census transform"),
        ("run_publish", ("started", "landed", "failed"), "is not staged yet"),
        ("run_transform", ("started", "landed", "published"), "is published, so its rows stay as they are"),
    ],
)
def test_a_step_waits_for_the_one_before(
    work: CensusWork, parts: Parts, runs: Noted, step: str, events: tuple[str, ...], line: str
) -> None:
    """A half-landed census is not computed, an unstaged one not judged; the line says what to run."""
    runs.runs = [run(*events)]
    with pytest.raises(ConfigError, match=line):
        getattr(workflow, step)(work)
    assert parts.called == []


@pytest.mark.parametrize(
    ("event", "line"),
    [
        ("retired", f"census {BEFORE} of local was retired by kafka-census maintain; start a new one"),
        ("cleared", f"census {BEFORE} of local has no landed pages any more, as `retention` says; start a new one"),
    ],
)
@pytest.mark.parametrize("step", ["run_transform", "run_gate", "run_publish"])
def test_what_maintenance_has_taken_is_not_worked_on(
    work: CensusWork, parts: Parts, runs: Noted, step: str, event: str, line: str
) -> None:
    """Judging a census without its pages would refuse what was right, publishing it again would do nothing."""
    runs.runs = [run("started", "landed", "staged", "gated", "published", event)]
    with pytest.raises(ConfigError) as caught:
        getattr(workflow, step)(replace(work, census_id=BEFORE))
    assert str(caught.value) == line
    assert parts.called == []
    assert runs.noted == []


@pytest.mark.parametrize(
    ("step", "events", "called", "noted"),
    [
        ("run_transform", ("started", "landed"), ["look", "stage"], ["staged"]),
        ("run_transform", ("started", "landed", "staged", "failed"), ["look", "stage"], ["staged"]),
        ("run_gate", ("started", "landed", "staged"), ["look", "judge"], ["gated"]),
        ("run_publish", ("started", "landed", "staged", "gated"), ["look", "judge", "promote"], ["gated", "published"]),
    ],
)
def test_a_step_alone_works_on_the_last_census(
    work: CensusWork,
    parts: Parts,
    runs: Noted,
    step: str,
    events: tuple[str, ...],
    called: list[str],
    noted: list[str],
) -> None:
    """Under the lock, without asking Kafka, and noted in `census_runs`."""
    runs.runs = [run("started", "published", census_id="20261121T110000000Z-00000a"), run(*events)]
    getattr(workflow, step)(replace(work, settings=None))
    assert parts.called == ["lock local", *called, "unlock"]
    assert [(BEFORE, event) for event in noted] == [entry[:2] for entry in runs.noted]


def test_a_step_alone_needs_a_census(work: CensusWork) -> None:
    """A lake without a census is told with the job that makes one."""
    with pytest.raises(ConfigError, match=r"'local' has no census in this lake; run kafka-census ingest first"):
        workflow.run_transform(work)
    with pytest.raises(ConfigError, match="has no census in this lake"):
        workflow.run_report(work)


def test_a_report_may_be_of_all_clusters(work: CensusWork, parts: Parts) -> None:
    """Without --cluster the whole lake is told."""
    workflow.run_report(replace(work, cluster=""))
    assert parts.called == ["report"]
