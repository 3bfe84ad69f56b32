"""No way out shows a password or drives a terminal, whatever both are made of.

What is hidden is hidden before anything is cut or collapsed.
"""

import io
import json
import logging
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from harness.hostile import CLUSTER_ID, assert_harmless
from kafka_census.config import load
from kafka_census.errors import Refused
from kafka_census.log import FORMATS, Redactor, bind, configure
from kafka_census.workflows import job

pytestmark = pytest.mark.usefixtures("reached", "logging_as_it_was")

PASSWORDS = (
    "canary-hunter2",
    "canary1\ncanary2",
    "canary1\r\n\r\n  canary2\t\tcanary3",
    "canary1  canary2   canary3",
    "canary1\u2028canary2\x0bcanary3\x85canary4",
    "canary1\u200b\xadcanary2\u202e",
    "canary'1\"canary`2",
    "canary\\1\\ncanary\\\\2",
    "canarÿ-canaré-canary✓😀",
    "canary%20canary+canary&",
)
CONF = """
lake: {root: lake}
clusters:
  secured:
    bootstrap_servers: [127.0.0.1:9092]
    security_protocol: SASL_PLAINTEXT
    allow_clear_password: true
    sasl: {mechanism: PLAIN, username: u, password: {env: CENSUS_PASSWORD}}
"""


@pytest.fixture(params=PASSWORDS, ids=ascii)
def password(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The password of cluster `secured`, whose file is in the current directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CENSUS_PASSWORD", request.param)
    Path("census.yaml").write_text(CONF, encoding="utf-8")
    return str(request.param)


def echo(password: str) -> str:
    """What a broker, Spark or Python may make of it: as it is, collapsed, escaped, encoded, as a worker's traceback."""
    token = b64encode(f"\0u\0{password}".encode()).decode()
    once = f"'{password}' {' '.join(password.split())} {password!r} {json.dumps(password)} {token} {CLUSTER_ID}"
    return f"{once}\nTraceback (most recent call last):\n  File 'x'\nValueError: {once} {once!r}"


class Fails:
    """A function that raises, with what it was raised from."""

    def __init__(self, error: type[Exception], text: str) -> None:
        self.error, self.text = error, text

    def __call__(self, *_args: object) -> None:
        """Raise it."""
        raise self.error(self.text) from OSError(28, f"No space left on device: {self.text}")


def assert_hidden(text: str) -> None:
    """No part of a password is left, in any spelling that this test makes, and nothing that drives a terminal."""
    assert_harmless(text)
    assert "canar" not in text.lower()
    assert "***" in text


@pytest.mark.parametrize("debug", [False, True], ids=["line", "debug"])
@pytest.mark.parametrize("error", [Refused, RuntimeError, OSError])
def test_an_error_shows_no_password_and_is_harmless(
    password: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: type[Exception],
    debug: bool,
) -> None:
    monkeypatch.setattr(job, "job_session", Fails(error, echo(password)))
    argv = ["--cluster", "secured", "--config", "census.yaml", *(["--debug"] if debug else [])]
    assert job.main("ingest", argv) in (1, 3)
    shown = capsys.readouterr().err
    assert_hidden(shown)
    assert shown.splitlines()[-1].startswith("error: ")
    assert debug or shown.count("\n") == 1


@pytest.mark.parametrize("debug", [False, True], ids=["line", "debug"])
@pytest.mark.parametrize("error", [Refused, RuntimeError])
def test_an_error_on_databricks_shows_no_password_and_is_harmless(
    password: str, monkeypatch: pytest.MonkeyPatch, error: type[Exception], debug: bool
) -> None:
    """There the exception is what is shown, with all that is reached from it."""
    monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", "18.0")
    argv = ["job", "--cluster", "secured", "--config", "census.yaml", *(["--debug"] if debug else [])]
    monkeypatch.setattr(sys, "argv", argv)
    monkeypatch.setattr(job, "job_session", Fails(error, echo(password)))
    with pytest.raises(Exception) as caught:  # noqa: PT011 - its text is judged
        job.start("ingest")
    assert caught.value.__suppress_context__
    assert_hidden(str(caught.value))
    assert debug or "\n" not in str(caught.value)


@pytest.mark.parametrize("style", FORMATS)
def test_the_log_shows_no_password_and_is_harmless(password: str, style: str) -> None:
    out = io.StringIO()
    redactor = Redactor()
    redactor.learn(load("census.yaml").cluster("secured"))
    progress = configure(style, redactor, out)
    text = echo(password)
    bind(cluster=text)
    progress("failed", error=text, tries=[text, {CLUSTER_ID: text}], whole=ValueError(text), **{CLUSTER_ID: 1})
    logging.getLogger("some.library").warning("sent %s", text)
    assert len(out.getvalue().splitlines()) == 2
    logging.getLogger("some.library").error("sent %s", text, exc_info=RuntimeError(text))
    assert_hidden(out.getvalue())
