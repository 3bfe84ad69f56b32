"""No way out shows a password or drives a terminal, whatever both are made of; no address with credentials is taken.

What is hidden is hidden before anything is cut or collapsed.
"""

import io
import json
import logging
import re
import sys
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from harness.hostile import CLUSTER_ID, assert_harmless
from kafka_census.cli import job
from kafka_census.cli.command import command
from kafka_census.cli.ending import ended
from kafka_census.config import load
from kafka_census.errors import ConfigError, Refused
from kafka_census.lake.lake import Lake, holds_credentials
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.terminal.log import FORMATS, Redactor, bind, configure
from unit.workflow.stand_ins import CONF

pytestmark = pytest.mark.usefixtures("reached", "logging_as_it_was")

Capture = pytest.CaptureFixture[str]

PASSWORDS = (
    *("canary-hunter2", "canary1\ncanary2", "canary1\r\n\r\n  canary2\t\tcanary3", "canary1  canary2   canary3"),
    *("canary1\u2028canary2\x0bcanary3\x85canary4", "canary1\u200b\xadcanary2\u202e", "canary'1\"canary`2"),
    *("canary\\1\\ncanary\\\\2", "canarÿ-canaré-canary✓😀", "canary%20canary+canary&"),
)


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


def fails(error: type[Exception], text: str) -> Mock:
    raised = error(text)
    raised.__cause__ = OSError(28, f"No space left on device: {text}")
    return Mock(side_effect=raised)


def assert_hidden(text: str) -> None:
    """No part of a password is left, in any spelling that this test makes, and nothing that drives a terminal."""
    assert_harmless(text)
    assert "canar" not in text.lower()
    assert "***" in text


@pytest.fixture(params=[[], ["--debug"]], ids=["line", "debug"])
def argv(request: pytest.FixtureRequest) -> list[str]:
    return ["--cluster", "secured", "--config", "census.yaml", *request.param]


def test_an_error_shows_no_password_and_is_harmless(
    password: str, argv: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """On Databricks the exception is what is shown, with all that is reached from it."""
    for error in (Refused, RuntimeError, OSError):
        monkeypatch.setattr(job, "job_session", fails(error, echo(password)))
        assert job.main("ingest", argv) in (1, 3)
        shown = capsys.readouterr().err
        assert_hidden(shown)
        assert shown.splitlines()[-1].startswith("error: ")
        assert "--debug" in argv or shown.count("\n") == 1
    monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", "18.0")
    monkeypatch.setattr(sys, "argv", ["job", *argv])
    for error in (Refused, RuntimeError):
        monkeypatch.setattr(job, "job_session", fails(error, echo(password)))
        with pytest.raises(Exception) as caught:  # noqa: PT011 - its text is judged
            job.start("ingest")
        assert caught.value.__suppress_context__
        assert_hidden(str(caught.value))
        assert "--debug" in argv or "\n" not in str(caught.value)


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


KEY = "canary-9e1d"
ADDRESSES = (
    *(f"s3a://AKID:{KEY}@bucket/lake", f"s3a://AKID:ca@{KEY}@bucket/lake", f"s3a://AKID:12/{KEY}@bucket/lake"),
    *(f"S3A://AKID:{KEY}/@bucket/lake", f"abfss://box:{KEY}@account/lake", f"hdfs://user:{KEY}@namenode:8020/lake"),
    *(f"https://:{KEY}@host/lake", f"abfss://AKID@account/lake?sv=2022-11-02&sp=rl&sig={KEY}"),
    *(f"https://account/AKID/lake?token={KEY}", f"s3://AKID/lake?aws_secret_access_key={KEY}&x=1"),
)
"""Each holds a secret, some with `@` and `/` in it, some in a query (a shared access signature)."""

HARMLESS = (
    *("s3a://bucket/a:b", "s3://bucket/a@b", "abfss://box@account/lake", "hdfs://nn:8020/lake", "hdfs://nn:8020/u@x/y"),
    *("hdfs://[::1]:8020/a@b", "dbfs:/census", "file:/a:b@c", "/a:b@c", "./s3a:b@c"),
    *("s3://bucket/what?", "s3://bucket/a?day=1&sigma=2", "/what?token=x", "s3://bucket/token=x/sig=y"),
)


@pytest.mark.parametrize("name", ["doctor", "run --cluster a", "config show", "report", "sql", "diff", "maintain"])
def test_no_command_shows_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    path, address = tmp_path / "census.yaml", ADDRESSES[1]
    text = "lake: {{root: '{}'}}\nclusters: {{a: {{bootstrap_servers: ['127.0.0.1:1']}}}}\n"
    path.write_text(text.format(address), encoding="utf-8")
    line = "lake.root: must not hold credentials"
    assert line in refused(capsys, *name.split(), "--config", str(path))
    path.write_text(text.format("lake"), encoding="utf-8")
    monkeypatch.setenv("KAFKA_CENSUS__LAKE__ROOT", address)
    assert line in refused(capsys, *name.split(), "--config", str(path))
    if name in ("sql", "diff"):
        assert "the address of the lake must not hold credentials" in refused(capsys, name, "--lake", address)


def refused(capsys: Capture, *argv: str) -> str:
    assert ended(lambda redactor: command(argv, redactor), argv) == 2
    (line,) = "".join(capsys.readouterr()).strip().splitlines()
    assert not re.search(f"{KEY}|AKID", line)
    return line


@pytest.mark.parametrize("reader", [lambda address: Lake(root=address), PublishedLake], ids=["Spark", "without"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_no_reader_takes_it(address: str, reader: Callable[[str], object]) -> None:
    with pytest.raises(ConfigError) as caught:
        reader(address)
    assert KEY not in str(caught.value)


def test_other_addresses_are_taken() -> None:
    """A container, a port, and a path with such letters are no credentials."""
    assert [address for address in HARMLESS if holds_credentials(address)] == []


@pytest.mark.parametrize(
    "keys",
    [
        f"lake: {{root: l}}\ngate: {{expectations: '{ADDRESSES[0]}'}}",
        f"lake: {{root: l}}\nalerts: {{prometheus_folder: '{ADDRESSES[0]}'}}",
        f"lake: {{root: 's3a:AKID:{KEY}@b'}}",
        f"lake: {{root: lake}}\nresume_within: 'k:{KEY}@b'",
    ],
)
def test_no_other_key_takes_or_shows_it(keys: str, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "census.yaml"
    path.write_text(f"clusters: {{a: {{bootstrap_servers: ['127.0.0.1:1']}}}}\n{keys}\n", encoding="utf-8")
    refused(capsys, "doctor", "--config", str(path))


@pytest.mark.parametrize("setting", [f"fs.s3a.secret.key={KEY}", f"spark.hadoop.x ={KEY}", f"{KEY}"])
def test_a_setting_of_spark_in_another_form_is_refused_without_its_value(setting: str, capsys: Capture) -> None:
    """It may be the secret key of an object store."""
    assert "must be spark.NAME=VALUE" in refused(capsys, "run", "--cluster", "a", "--spark-conf", setting)
