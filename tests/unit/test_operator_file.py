"""Every file that an operator names is read up to a size, and no pipe or device in its place is waited for."""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from kafka_census import operator_file
from kafka_census.alerts import textfile
from kafka_census.cli import sql
from kafka_census.config import load
from kafka_census.errors import ConfigError
from kafka_census.log import Redactor
from kafka_census.operator_file import LARGEST
from kafka_census.protocol.cluster import require_means
from kafka_census.protocol.settings import Keytab, Secret, Ssl, Token
from kafka_census.quality.own_suites import own_suites
from kafka_census.quality.suites import SUITES

PLAIN = {"mechanism": "PLAIN", "username": "u"}
ENDPOINT = {"url": "https://h/token", "client_id": "c"}

pytestmark = pytest.mark.timeout(30)


def cluster(path: Path, **section: object) -> None:
    """What needs the settings of a cluster with this section."""
    whole = {"bootstrap_servers": ["h:1"], "security_protocol": "SASL_SSL", **section}
    conf = path.parent / "census.yaml"
    conf.write_text(yaml.safe_dump({"lake": {"root": "lake"}, "clusters": {"c": whole}}), encoding="utf-8")
    config = load(conf, {"P": "canary"})
    config.desired("c")
    require_means(config.cluster("c"))


def signed_in(path: Path, **sasl: object) -> None:
    cluster(path, sasl=sasl)


def secured(path: Path, **ssl: object) -> None:
    cluster(path, security_protocol="SSL", ssl=ssl)


def own(path: Path) -> str:
    """A certificate, as far as it is read before its key."""
    file = path.with_name("own.pem")
    file.write_text("-----BEGIN CERTIFICATE-----", encoding="utf-8")
    return str(file)


def asked(path: Path) -> None:
    parser = argparse.ArgumentParser()
    sql.add_arguments(parser)
    sql.run(parser.parse_args(["--lake", str(path.parent), "--file", str(path)]), Redactor())


def judged(path: Path) -> None:
    own_suites(path.rename(path.with_name("brokers.json")).parent, SUITES)


READERS: dict[str, Callable[[Path], object]] = {
    "the configuration": lambda path: load(path, {}),
    "a desired state": lambda path: cluster(path, security_protocol="PLAINTEXT", desired_state=str(path)),
    "a password": lambda path: signed_in(path, **PLAIN, password={"file": str(path)}),
    "a token": lambda path: signed_in(path, mechanism="OAUTHBEARER", oauth={"token": {"file": str(path)}}),
    "a client's secret": lambda path: signed_in(
        path, mechanism="OAUTHBEARER", oauth={"token_endpoint": {**ENDPOINT, "client_secret": {"file": str(path)}}}
    ),
    "the authority of a token endpoint": lambda path: signed_in(
        path,
        mechanism="OAUTHBEARER",
        oauth={"token_endpoint": {**ENDPOINT, "client_secret": {"env": "P"}, "cafile": str(path)}},
    ),
    "a keytab": lambda path: signed_in(
        path, mechanism="GSSAPI", kerberos={"principal": "c@R", "keytab": {"file": str(path)}}
    ),
    "authorities": lambda path: secured(path, cafile=str(path)),
    "a certificate": lambda path: secured(path, certfile=str(path)),
    "a key": lambda path: secured(path, certfile=own(path), keyfile=str(path)),
    "the password of a key": lambda path: secured(path, certfile=own(path), password={"file": str(path)}),
    "statements": asked,
    "expectations": judged,
}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator_file, "PATIENCE_S", 0.3)


def refusal(read: Callable[[Path], object], path: Path) -> str:
    began = time.monotonic()
    with pytest.raises(ConfigError) as caught:
        read(path)
    assert time.monotonic() - began < 5
    (line,) = str(caught.value).splitlines()
    return line


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_file_that_is_too_large_is_one_line(tmp_path: Path, read: Callable[[Path], object]) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(LARGEST * 32)
    assert f"it is larger than {LARGEST:,} bytes; is it the right file?" in refusal(read, path)


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_pipe_that_nobody_writes_to_is_one_line(tmp_path: Path, read: Callable[[Path], object]) -> None:
    os.mkfifo(tmp_path / "file")
    line = refusal(read, tmp_path / "file")
    assert "is no regular file" in line or "a pipe that did not end within 0.3 s" in line


def test_a_pipe_is_read_to_its_end_and_no_further_than_a_file(tmp_path: Path) -> None:
    """As a shell makes for `--config <(command)`."""
    read, write = os.pipe()
    try:
        os.write(write, b"lake: {root: lake}\n")
        assert "did not end" in refusal(lambda path: load(path, {}), Path(f"/dev/fd/{read}"))
        os.write(write, b"lake: {root: lake}\n")
        os.close(write)
        assert operator_file.content(f"/dev/fd/{read}") == b"lake: {root: lake}\n"
    finally:
        os.close(read)
    with pytest.raises(ConfigError, match=r"^/dev/zero: cannot be read: it is larger than"):
        load("/dev/zero", {})


@pytest.mark.parametrize("renewed", [Token, Keytab])
def test_a_secret_whose_file_became_something_else_stays(tmp_path: Path, renewed: type[Token] | type[Keytab]) -> None:
    """Until it is a secret again; the same of files that a task takes along."""
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(LARGEST + 1)
    for name in ("pipe", "large"):
        path = str(tmp_path / name)
        assert renewed(Secret("before"), path).current() == Secret("before")
        assert not Ssl(cafile=path).__reduce__()[1][-1]


def test_a_text_file_of_metrics_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    """Others may write to its folder, and its name can be foreseen."""
    path = textfile.path_of(str(tmp_path), "c")
    path.write_bytes(b"#" * (LARGEST + 1))
    with pytest.raises(OSError, match="it is larger than"):
        textfile.read(path)
