"""Progress on a terminal of 80 columns, as a person sees it: what is on the screen while it changes, and afterwards."""

import fcntl
import logging
import os
import pty
import re
import struct
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from kafka_census.terminal.live import LiveProgress
from kafka_census.terminal.log import Redactor, bind, configure
from kafka_census.terminal.log_progress import LogProgress

pytestmark = pytest.mark.usefixtures("logging_as_it_was")

ESCAPE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")
RPCS = [f"ListSomethingOrOther{number}" for number in range(8)]


@dataclass
class Screen:
    """What was written to a terminal."""

    written: str = ""

    @property
    def lines(self) -> list[str]:
        """As they stand now; what was erased is not there."""
        lines, row, column, position = [""], 0, 0, 0
        while position < len(self.written):
            escape = ESCAPE.match(self.written, position)
            character = self.written[position]
            if escape:
                position = escape.end()
                if escape[2] == "A":
                    row -= int(escape[1] or 1)
                elif escape[2] == "K":
                    lines[row] = ""
                continue
            position += 1
            if character == "\r":
                column = 0
            elif character == "\n":
                row, column = row + 1, 0
                lines += [""] * (row + 1 - len(lines))
            else:
                lines[row] = lines[row][:column].ljust(column) + character + lines[row][column + 1 :]
                column += 1
        return [line.rstrip() for line in lines if line.strip()]


@contextmanager
def terminal() -> Iterator[tuple[LogProgress, Screen]]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    screen = Screen()

    def read() -> None:
        while True:
            try:
                screen.written += os.read(ours, 65536).decode()
            except OSError:  # nobody has its other end any more
                return

    reader = threading.Thread(target=read)
    reader.start()
    try:
        with os.fdopen(theirs, "w", buffering=1) as stream:
            yield configure("auto", Redactor(), stream), screen
            stream.flush()
    finally:
        reader.join(10)
        os.close(ours)


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")


def without_times(lines: list[str]) -> list[str]:
    """Rates and times are those of the machine."""
    return [re.sub(r"\d+m \d+s|\d+s|[\d,]+/s", "T", line) for line in lines]


def test_each_phase_is_a_line_that_becomes_a_plain_one_and_what_is_logged_meanwhile_stands_above_it() -> None:
    with terminal() as (progress, screen):
        assert isinstance(progress, LiveProgress)
        bind(census_id="20261121T120000000Z-00000a", cluster="pr[bold]od")
        progress("spark_started", seconds=5.2)
        progress("started", cluster_id="id", tables=["brokers", "quotas"])
        for level, wave in ((0, 0), (0, 1), (1, 0)):
            progress("fetching", level=level, wave=wave, rpcs=RPCS[level:], nodes=3)
            progress("landed", level=level, wave=wave, rpcs=RPCS, pages=3, items=1200, errors=level, throttle_ms=1500)
        progress.warning("secrets_exposed", files=["a" * 100])
        logging.getLogger("some.library").warning("odd: %s", "{}")
        progress("read_landed", pages=9, items=3600, missing_reads=0)
        progress("staged", table="brokers", seconds=1.0)
        while "computed 1 of 2" not in screen.written:
            time.sleep(0.01)
        *above, line = screen.lines
        assert without_times([line]) == ["· tables, T: read 3,600 items, computed 1 of 2 tables"]
        assert [text in "".join(above) for text in ("a" * 60, "odd: {}", "computed")] == [True, True, False]
        progress("staged", table="quotas", seconds=1.0)
        progress("judged", what="rows", rows=77)
        progress("refused", reason="broker 3 did not answer", tables=["quotas"])
        progress("published", tables=2, seconds=1.0)
        progress.close()
    reported = [line for line in without_times(screen.lines) if not re.match(r"\d\d:\d\d|a|.*census_id=", line)]
    assert reported == [
        "Spark started, T",
        "census 20261121T120000000Z-00000a of cluster pr[bold]od started",
        reported[2],
        reported[3],
        "tables, T: read 3,600 items, computed 2 tables, judged 77 rows",
        "published 2 tables",
    ]
    assert reported[2].startswith("level 0, T: 8 RPCs, 6 pages, 2,400 items, T, throttled T: ListSom")
    assert reported[3].startswith("level 1, T: 7 RPCs, 3 pages, 1,200 items, 1 error, T, throttled T: ")
    assert [len(line) for line in screen.lines if line.startswith("level")] == [80, 80]


def test_a_line_that_is_not_ended_stays_as_it_is() -> None:
    with terminal() as (progress, screen):
        progress("read_landed", pages=9, items=3600, missing_reads=0)
        progress.close()
    assert without_times(screen.lines) == ["tables, T: read 3,600 items"]
    assert screen.written.endswith("\n")
    assert screen.written.rindex("\x1b[?25h") > screen.written.rindex("\x1b[?25l")


def test_what_belongs_to_no_phase_is_a_line_of_the_log() -> None:
    """Maintaining a lake logs its events as without a terminal, and draws no line."""
    with terminal() as (progress, screen):
        progress("vacuumed", table="published/brokers", seconds=1.0)
        progress.close()
    (line,) = screen.lines
    assert "vacuumed" in line
    assert "\x1b[?25l" not in screen.written
