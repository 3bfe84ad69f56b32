"""Progress and the log behind it: one line per event, with what was bound and without secrets."""

import io
import json
import logging

import pytest

from kafka_census.clock import Clock
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import ClusterSettings, Ssl
from kafka_census.terminal.log import Redactor, bind, configure
from kafka_census.terminal.progress import timed


class Ticking(Clock):
    """A clock on which 1.5 s pass between two looks."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def monotonic(self) -> float:
        self.seconds += 1.5
        return self.seconds


pytestmark = pytest.mark.usefixtures("logging_as_it_was")


class Terminal(io.StringIO):
    """A stream that a person looks at."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("style", "stream"), [("auto", io.StringIO), ("json", Terminal)])
def test_no_terminal_or_json_means_one_json_object_a_line(style: str, stream: type[io.StringIO]) -> None:
    out = stream()
    progress = configure(style, Redactor(), out)
    bind(census_id="c1", cluster="local")
    progress("landed", rpc="ListGroups", wave=0, seconds=1.2)
    progress("staged")
    first, second = (json.loads(line) for line in out.getvalue().splitlines())
    said = {"event": "landed", "level": "info", "census_id": "c1", "cluster": "local", "rpc": "ListGroups", "wave": 0}
    assert said.items() <= first.items()
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


@pytest.mark.parametrize("key", ["password", "sasl_password", "ssl.keyPassword", "token", "jaas_config"])
def test_a_value_under_a_telling_key_is_hidden(key: str) -> None:
    assert Redactor()(None, "info", {key: "unknown-to-us"}) == {key: "***"}


def test_numbers_stay_numbers_and_short_secrets_do_not_garble() -> None:
    redactor = Redactor()
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

    with timed(tell, "staged", Ticking(), table="t") as done:
        done["rows"] = 12
    with pytest.raises(ValueError, match="broken"), timed(tell, "staged"):
        raise ValueError("broken")
    assert reported == [("staged", {"table": "t", "rows": 12, "seconds": 1.5})]
