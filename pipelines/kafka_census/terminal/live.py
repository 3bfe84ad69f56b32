"""Progress on a terminal in plain words: a line that is rewritten while brokers are asked, and one for computing.

When a phase is over, its line becomes a plain line, so that the scrollback has one line per phase. All other output and
log lines appear above the line at once.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

import structlog
from rich.console import Console
from rich.live import Live
from rich.text import Text

from kafka_census.clock import Clock
from kafka_census.terminal.display import printable
from kafka_census.terminal.human import counted, human_time
from kafka_census.terminal.log_progress import LogProgress

_COMPUTING = ("read_landed", "counted", "staged", "judged", "quarantined")
_ENDING = ("published", "already_published", "refused")
"""Events that end computing; the report of a refused census gives the reason."""


class Above:
    """A stream for a log handler, which prints records above the line that is rewritten."""

    def __init__(self, console: Console) -> None:
        """Print to this console."""
        self._console = console

    def write(self, text: str) -> int:
        """Print one record of the log, in its own colours and without wrapping."""
        self._console.print(Text.from_ansi(text.rstrip("\n")), soft_wrap=True)
        return len(text)

    def flush(self) -> None:
        """Do nothing: nothing is buffered."""


class Phase(Protocol):
    """A phase of a job, which the line shows."""

    def add(self, event: str, fields: Mapping[str, object]) -> None:
        """Update the phase by one of its events."""

    def said(self, time: str) -> str:
        """The text of the line while the phase goes on."""

    def over(self, time: str) -> str:
        """The text that stays when it is over."""


@dataclass
class Asking:
    """The rounds in which brokers are asked; `of` is their number, where it is known."""

    rounds: int = 0
    of: int = 0
    groups: int = 0
    items: int = 0
    errors: int = 0
    throttle_ms: int = 0

    def add(self, event: str, fields: Mapping[str, object]) -> None:
        """Take the round from waves that begin, and the numbers from waves that are landed."""
        if event == "fetching":
            self.of = _number(fields, "levels") or self.of
            # What the last round has named is asked afterwards, and is part of it.
            self.rounds = min(_number(fields, "level") + 1, self.of or sys.maxsize)
            return
        self.groups += _number(fields, "groups")
        self.items += _number(fields, "items")
        self.errors += _number(fields, "errors")
        self.throttle_ms += _number(fields, "throttle_ms")

    def said(self, time: str) -> str:
        """Rounds, and what was found so far."""
        rounds = f"{self.rounds} of {counted(self.of, 'round')}" if self.of else counted(self.rounds, "round")
        return f"asking brokers: {', '.join([rounds, f'{self._found} so far', *self._trouble, time])}"

    def over(self, time: str) -> str:
        """The same when all were asked."""
        return f"asked brokers: {', '.join([counted(self.rounds, 'round'), self._found, *self._trouble, time])}"

    @property
    def _found(self) -> str:
        groups = [counted(self.groups, "group")] if self.groups else []
        return ", ".join([*groups, counted(self.items, "item")])

    @property
    def _trouble(self) -> list[str]:
        errors = [counted(self.errors, "error")] if self.errors else []
        return [*errors, *([f"throttled {human_time(self.throttle_ms / 1000)}"] if self.throttle_ms else [])]


@dataclass
class Computing:
    """Tables that are computed and judged; `tables` is their number, where it is known."""

    tables: int
    computed: int = 0
    items: int = 0
    rows: int = 0

    def add(self, event: str, fields: Mapping[str, object]) -> None:
        """Take the number of items, the computed tables and the number of judged rows."""
        if event == "staged":
            self.computed += 1
        elif event == "read_landed":
            self.items = _number(fields, "items")
        elif event == "judged":
            self.rows += _number(fields, "rows")

    def said(self, time: str) -> str:
        """The tables computed so far, and what is done now."""
        of = counted(max(self.tables, self.computed), "table")
        judged = [f"{counted(self.rows, 'row')} judged"] if self.rows else []
        return f"computing tables: {', '.join([f'{self.computed} of {of}', *judged, time])}"

    def over(self, time: str) -> str:
        """What was computed from what, and judged."""
        computed = f"computed {counted(self.computed, 'table')} of {counted(self.items, 'item')}"
        judged = [f"judged {counted(self.rows, 'row')}"] if self.rows else []
        return ", ".join([computed, *judged, time])


class LiveProgress(LogProgress):
    """A `Progress` for a person at a terminal."""

    def __init__(self, logger: structlog.stdlib.BoundLogger, console: Console, clock: Clock | None = None) -> None:
        """Draw on this console, and log events that belong to no phase."""
        super().__init__(logger)
        self._console = console
        self._clock = clock or Clock()
        self._lock = Lock()
        self._phase: Phase | None = None
        self._live: Live | None = None
        self._began = 0.0
        self._tables = 0

    def __call__(self, event: str, **fields: object) -> None:
        """Handle one event, from any thread."""
        with self._lock:
            phase = self._phase_of(event)
            if phase is None:
                self._tell(event, fields)
                return
            phase.add(event, fields)
            if phase is not self._phase:
                self._begin(phase)

    def close(self) -> None:
        """Turn the line into a plain line, whatever the progress of its phase."""
        with self._lock:
            self._end()

    def _phase_of(self, event: str) -> Phase | None:
        """The phase of an event: the current phase, or a new phase."""
        if event in ("fetching", "landed"):
            return self._phase if isinstance(self._phase, Asking) else Asking()
        if event in _COMPUTING:
            return self._phase if isinstance(self._phase, Computing) else Computing(self._tables)
        return None

    def _tell(self, event: str, fields: Mapping[str, object]) -> None:
        """Print an event that belongs to no phase: milestones as sentences, other events as log lines."""
        if event in _ENDING:
            self._end()
        if event == "refused":
            return
        bound = structlog.contextvars.get_contextvars()
        if event in ("started", "resumed"):
            tables = fields.get("tables")
            self._tables = len(tables) if isinstance(tables, list) else 0
            self._print(f"census {bound.get('census_id')} of cluster {bound.get('cluster')} {event}")
        elif event == "spark_started":
            self._print(f"Spark started, {human_time(_number(fields, 'seconds'))}")
        elif event == "published":
            self._print(f"published {counted(_number(fields, 'tables'), 'table')}")
        else:
            super().__call__(event, **fields)

    def _begin(self, phase: Phase) -> None:
        self._end()
        self._phase, self._began = phase, self._clock.monotonic()
        self._live = Live(
            console=self._console,
            get_renderable=self._line,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start()

    def _end(self) -> None:
        if self._live is not None and self._phase is not None:
            self._live.stop()
            self._print(self._phase.over(self._time()))
        self._live = self._phase = None

    def _line(self) -> Text:
        """The current line; called by the drawing thread, which holds no lock of ours."""
        phase = self._phase
        return _one_line("" if phase is None else f"· {phase.said(self._time())}")

    def _time(self) -> str:
        return human_time(self._clock.monotonic() - self._began)

    def _print(self, text: str) -> None:
        self._console.print(_one_line(text), no_wrap=True, overflow="ellipsis")


def _one_line(text: str) -> Text:
    return Text(printable(text), no_wrap=True, overflow="ellipsis")


def _number(fields: Mapping[str, object], name: str) -> int:
    value = fields.get(name)
    return int(value) if isinstance(value, int | float) else 0
