"""What tests of the workflow of a census stand on: a clock that stands, events that are noted, steps that stand in."""

import importlib
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from unittest.mock import create_autospec

import pytest

from kafka_census.census.work import Work
from kafka_census.clock import Clock
from kafka_census.declarations.census import Census, started_at
from kafka_census.lake.cluster_key import Last
from kafka_census.lake.runs import Run, Times

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BEFORE = "20261121T115000000Z-00000a"
AHEAD = "20261121T150200000Z-00000a"
"""Two minutes and three hours after noon."""
CANARY = "canary-hunter2"
ENDED = ["", "started published", "started refused", "refused failed", "published cleared"]
LOOKED = types.SimpleNamespace(headers=[], missing_reads=[], items=7)
CONF = """
lake: {root: lake}
clusters:
  local: {bootstrap_servers: [127.0.0.1:9092]}
  secured:
    bootstrap_servers: [127.0.0.1:9092]
    security_protocol: SASL_PLAINTEXT
    allow_clear_password: true
    sasl: {mechanism: PLAIN, username: u, password: {env: CENSUS_PASSWORD}}
"""


@dataclass(frozen=True)
class Stopped(Clock):
    """A clock that stands."""

    time: datetime = NOON

    def now(self) -> datetime:
        return self.time


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
        self.note(census, event, times=times)

    def of(self, names: Sequence[str], limit: int = 20) -> Sequence[Run]:
        mine = (run for run in self.runs if run.census.cluster in names)
        return sorted(mine, key=lambda run: run.census.census_id, reverse=True)[:limit]

    def find(self, names: Sequence[str], census_id: str) -> Run | None:
        return next((run for run in self.of(names) if run.census.census_id == census_id), None)

    @property
    def events(self) -> list[str]:
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

        def call(*_args: object, **_options: object) -> object:
            self.called.append(name)
            if name in self.fails:
                raise self.fails[name]
            return answer() if callable(answer) else answer

        return call

    @contextmanager
    def hold(self, _lake: object, names: Sequence[str], _census_id: str) -> Iterator[None]:
        self.step(f"lock {', '.join(names)}")()
        yield
        self.called.append("unlock")

    def judged(self) -> object:
        outcome = "refuse" if self.refusals else "publish"
        nothing = dict.fromkeys(("tables", "causes", "verdicts"), ())
        times = (("brokers", NOON, NOON),)
        return types.SimpleNamespace(outcome=outcome, refusals=self.refusals, times=times, **nothing)


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, step: Callable[..., object]) -> None:
    """Let a function of the package do something else; it takes only the arguments that the real one takes."""
    module, _, function = f"kafka_census.{name}".rpartition(".")
    real = getattr(importlib.import_module(module), function)
    monkeypatch.setattr(f"{module}.{function}", create_autospec(real, side_effect=step))


def into(work: Work, folder: str | None) -> Work:
    """A census that writes its figures into a folder, or into none."""
    section = work.config.alerts.model_copy(update={"prometheus_folder": folder})
    return replace(work, config=replace(work.config, alerts=section))


def renamed(work: Work) -> Work:
    """Of a cluster that had another name."""
    section = work.config.clusters["local"].model_copy(update={"former_names": ("former-name",)})
    return replace(work, config=replace(work.config, clusters={**work.config.clusters, "local": section}))


def run(events: str, census_id: str = BEFORE, cluster_id: str = "kraft-id") -> Run:
    census = Census(census_id, cluster_id, "local", started_at(census_id), ("reassignment_backlog",))
    return Run(census, tuple(events.split()))
