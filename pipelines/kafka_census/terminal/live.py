"""Progress on a terminal: one line that is rewritten for each level of landing, and one for computing and judging.

When a phase is over, its line becomes a plain line, so that the scrollback has one line per phase. All other output and
log lines appear above the line at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
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

    def said(self, seconds: float) -> str:
        """The text of the line after so many seconds."""


@dataclass
class Level:
    """A level of landing."""

    number: int
    rpcs: set[str] = field(default_factory=set)
    pages: int = 0
    items: int = 0
    errors: int = 0
    throttle_ms: int = 0

    def add(self, event: str, fields: Mapping[str, object]) -> None:
        """Take the names of RPCs from waves that begin, and the numbers from waves that are landed."""
        if event == "fetching":
            rpcs = fields.get("rpcs")
            self.rpcs |= set(map(str, rpcs)) if isinstance(rpcs, list) else set()
            return
        self.pages += _number(fields, "pages")
        self.items += _number(fields, "items")
        self.errors += _number(fields, "errors")
        self.throttle_ms += _number(fields, "throttle_ms")

    def said(self, seconds: float) -> str:
        """RPCs, pages, items, rate, throttled time; the names of RPCs come last, because they may be cut."""
        numbers = [counted(len(self.rpcs), "RPC"), counted(self.pages, "page"), counted(self.items, "item")]
        if self.errors:
            numbers.append(counted(self.errors, "error"))
        numbers += [
            f"{self.items / seconds if seconds else 0:,.0f}/s",
            f"throttled {human_time(self.throttle_ms / 1000)}",
        ]
        names = ", ".join(sorted(self.rpcs))
        return f"level {self.number}, {human_time(seconds)}: {', '.join(numbers)}: {names}"


@dataclass
class Computing:
    """Tables that are computed and judged; `tables` is their number, where it is known."""

    tables: int
    staged: list[str] = field(default_factory=list)
    items: int = 0
    rows: int = 0

    def add(self, event: str, fields: Mapping[str, object]) -> None:
        """Take the number of items, the computed tables and the number of judged rows."""
        if event == "staged":
            self.staged.append(str(fields.get("table")))
        elif event == "read_landed":
            self.items = _number(fields, "items")
        elif event == "judged":
            self.rows += _number(fields, "rows")

    def said(self, seconds: float) -> str:
        """Items read, tables computed, rows judged."""
        done = [f"read {counted(self.items, 'item')}"]
        if self.staged:
            of = f"{len(self.staged)} of " if len(self.staged) < self.tables else ""
            done.append(f"computed {of}{counted(max(self.tables, len(self.staged)), 'table')}")
        if self.rows:
            done.append(f"judged {counted(self.rows, 'row')}")
        return f"tables, {human_time(seconds)}: {', '.join(done)}"


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
            phase = self._phase_of(event, fields)
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

    def _phase_of(self, event: str, fields: Mapping[str, object]) -> Phase | None:
        """The phase of an event: the current phase, or a new phase."""
        if event in ("fetching", "landed"):
            number = _number(fields, "level")
            mine = isinstance(self._phase, Level) and self._phase.number == number
            return self._phase if mine else Level(number)
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
            self._print(self._phase.said(self._clock.monotonic() - self._began))
        self._live = self._phase = None

    def _line(self) -> Text:
        """The current line; called by the drawing thread, which holds no lock of ours."""
        phase = self._phase
        return _one_line("" if phase is None else f"· {phase.said(self._clock.monotonic() - self._began)}")

    def _print(self, text: str) -> None:
        self._console.print(_one_line(text), no_wrap=True, overflow="ellipsis")


def _one_line(text: str) -> Text:
    return Text(printable(text), no_wrap=True, overflow="ellipsis")


def _number(fields: Mapping[str, object], name: str) -> int:
    value = fields.get(name)
    return int(value) if isinstance(value, int | float) else 0
