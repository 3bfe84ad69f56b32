"""Progress and the log behind it: a line per event, without secrets; on a terminal of 80 columns, lines that change."""

import fcntl
import io
import json
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
from unittest.mock import Mock

import pytest

from harness.hostile import CLUSTER_ID
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import ClusterSettings, Ssl
from kafka_census.terminal.live import LiveProgress
from kafka_census.terminal.log import Redactor, bind, configure
from kafka_census.terminal.log_progress import LogProgress
from kafka_census.terminal.progress import timed

pytestmark = pytest.mark.usefixtures("logging_as_it_was")


class Terminal(io.StringIO):
    """A stream that a person looks at."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("style", "stream"), [("auto", io.StringIO), ("json", Terminal)])
def test_no_terminal_or_json_means_one_json_object_a_line(style: str, stream: type[io.StringIO]) -> None:
    out = stream()
    progress = configure(style, Redactor(), out)
    bound = {"census_id": "c1", "cluster": CLUSTER_ID}
    bind(**bound)
    progress("landed", rpc="ListGroups", wave=0, seconds=1.2)
    progress("staged")
    first, second = (json.loads(line) for line in out.getvalue().splitlines())
    said = bound | {"event": "landed", "level": "info", "rpc": "ListGroups", "wave": 0}
    assert said.items() <= first.items()
    assert out.getvalue().isascii()
    assert first["timestamp"].endswith("Z")
    assert second["census_id"] == "c1"


@pytest.mark.parametrize(
    ("style", "term", "stream"),
    [("console", "xterm", Terminal), ("auto", "dumb", Terminal), ("console", "xterm", io.StringIO)],
)
def test_a_terminal_means_text(
    style: str, term: str, stream: type[io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person reads words, not braces; a line each where that is asked, and where no line can change."""
    monkeypatch.setenv("TERM", term)
    out = stream()
    configure(style, Redactor(), out)("landed", rpc="ListGroups")
    text = out.getvalue()
    assert ("landed" in text, "{" in text, text.count("\n")) == (True, False, 1)
    assert out.isatty() or "\x1b[" not in text


def test_a_value_under_a_telling_key_is_hidden_and_numbers_and_short_secrets_do_not_garble() -> None:
    redactor = Redactor()
    unknown = dict.fromkeys(("password", "sasl_password", "ssl.keyPassword", "token", "jaas_config"), "unknown-to-us")
    assert redactor(None, "info", dict(unknown)) == dict.fromkeys(unknown, "***")
    redactor.learn(ClusterSettings("local", (), ssl=Ssl(password=Secret("a"))))
    event = {"event": "a landed page", "pages": 3, "seconds": 1.5, "done": True, "node": None}
    assert redactor(None, "info", dict(event)) == event


def test_libraries_are_heard_from_warning_on_and_kafka_s_client_is_not() -> None:
    """One that sets its own level to info (Great Expectations does) does not chatter; the wire's failures are ours."""
    out = io.StringIO()
    configure("json", Redactor(), out)
    chatty = logging.getLogger("some.chatty.library")
    chatty.setLevel(logging.INFO)
    chatty.info("created a temporary directory")
    chatty.warning("out of space")
    logging.getLogger("kafka.net.connection").error("connection refused")
    assert [json.loads(line)["event"] for line in out.getvalue().splitlines()] == ["out of space"]


def test_timed_tells_the_seconds_and_what_the_block_found_but_nothing_of_one_that_raised() -> None:
    reported: list[tuple[str, dict[str, object]]] = []

    def tell(event: str, **fields: object) -> None:
        reported.append((event, fields))

    with timed(tell, "staged", Mock(monotonic=Mock(side_effect=[1.5, 3.0])), table="t") as done:
        done["rows"] = 12
    with pytest.raises(ValueError, match="broken"), timed(tell, "staged"):
        raise ValueError("broken")
    assert reported == [("staged", {"table": "t", "rows": 12, "seconds": 1.5})]


WRITTEN = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|(.)", re.DOTALL)
"""An escape, or a character."""


@dataclass
class Screen:
    """What was written to a terminal."""

    written: str = ""

    @property
    def lines(self) -> list[str]:
        """As they stand now; what was erased is not there."""
        lines, row, column = [""], 0, 0
        for number, command, character in WRITTEN.findall(self.written):
            if command == "A":
                row -= int(number or 1)
            elif command == "K":
                lines[row] = ""
            elif character == "\r":
                column = 0
            elif character == "\n":
                row, column = row + 1, 0
                lines += [""] * (row + 1 - len(lines))
            elif character:
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
        for level, wave in ((0, 0), (0, 1), (1, 0), (2, 0)):
            progress("fetching", level=level, levels=2, wave=wave, rpcs=["ListGroups"], nodes=3)
            groups, throttled = 5000 if wave else 0, 1500 * level
            progress("landed", level=level, wave=wave, items=9200, groups=groups, errors=level, throttle_ms=throttled)
            while f"{min(level + 1, 2)} of 2 rounds, {'5,' if wave or level else '9,'}" not in screen.written:
                time.sleep(0.01)
        progress.warning("secrets_exposed", files=["a" * 100])
        logging.getLogger("some.library").warning("odd: %s", "{}")
        progress("read_landed", pages=9, items=3600, missing_reads=0)
        progress("staged", table="brokers", seconds=1.0)
        while "1 of 2 tables" not in screen.written:
            time.sleep(0.01)
        *above, line = screen.lines
        assert without_times([line]) == ["· computing tables: 1 of 2 tables, T"]
        assert [text in "".join(above) for text in ("a" * 60, "odd: {}", "computed")] == [True, True, False]
        progress("staged", table="quotas", seconds=1.0)
        progress("judged", what="rows", rows=77)
        progress("refused", reason="broker 3 did not answer", tables=["quotas"])
        progress("published", tables=2, seconds=1.0)
        progress.close()
    reported = [line for line in without_times(screen.lines) if not re.match(r"\d\d:\d\d|aa|.*census_id=", line)]
    assert reported == [
        "Spark started, T",
        "census 20261121T120000000Z-00000a of cluster pr[bold]od started",
        "asked brokers: 2 rounds, 5,000 groups, 36,800 items, 3 errors, throttled T, T",
        "computed 2 tables of 3,600 items, judged 77 rows, T",
        "published 2 tables",
    ]
    assert "· asking brokers: 1 of 2 rounds, 9,200 items so far, " in screen.written
    assert re.search(r"· asking brokers: 2 of 2 rounds, 5,000 groups, \d\d,\d00 items so far, ", screen.written)


def test_a_line_that_is_not_ended_stays_as_it_is() -> None:
    with terminal() as (progress, screen):
        progress("read_landed", pages=9, items=3600, missing_reads=0)
        progress.close()
    assert without_times(screen.lines) == ["computed 0 tables of 3,600 items, T"]
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
