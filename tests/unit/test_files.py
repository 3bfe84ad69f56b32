"""Files that operators name, or whose names others can foresee: never waited for, and never written through a link."""

import argparse
import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest
import yaml

from kafka_census.alerts import textfile
from kafka_census.census.gate.own_suites import own_suites
from kafka_census.cli import sql
from kafka_census.cli.report import write_whole
from kafka_census.config import load
from kafka_census.errors import ConfigError
from kafka_census.files import operator_file, whole_file
from kafka_census.files.operator_file import LARGEST
from kafka_census.jars.spark_conf import _keep
from kafka_census.kafka.protocol.cluster import require_means
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import Keytab, Ssl, Token
from kafka_census.tables.suites import SUITES
from kafka_census.terminal.log import Redactor

pytestmark = pytest.mark.timeout(30)


def sections(path: str) -> Mapping[str, dict[str, object]]:
    file, plain = {"file": path}, {"mechanism": "PLAIN", "username": "u"}
    endpoint = {"url": "https://h/token", "client_id": "c", "client_secret": {"env": "P"}}
    kerberos = {"principal": "c@R", "keytab": file}

    def tokens(**oauth: object) -> dict[str, object]:
        return {"sasl": {"mechanism": "OAUTHBEARER", "oauth": oauth}}

    def secured(**ssl: object) -> dict[str, object]:
        return {"security_protocol": "SSL", "ssl": ssl}

    own = f"{path}.own"
    return {
        "a desired state": {"security_protocol": "PLAINTEXT", "desired_state": path},
        "a password": {"sasl": {**plain, "password": file}},
        "a token": tokens(token=file),
        "a client's secret": tokens(token_endpoint={**endpoint, "client_secret": file}),
        "the authority of a token endpoint": tokens(token_endpoint={**endpoint, "cafile": path}),
        "a keytab": {"sasl": {"mechanism": "GSSAPI", "kerberos": kerberos}},
        "authorities": secured(cafile=path),
        "a certificate": secured(certfile=path),
        "a key": secured(certfile=own, keyfile=path),
        "the password of a key": secured(certfile=own, password=file),
    }


def connected(path: Path, name: str) -> None:
    # A certificate, as far as it is read before its key.
    path.with_name(f"{path.name}.own").write_text("-----BEGIN CERTIFICATE-----", encoding="utf-8")
    whole = {"bootstrap_servers": ["h:1"], "security_protocol": "SASL_SSL", **sections(str(path))[name]}
    conf = path.parent / "census.yaml"
    conf.write_text(yaml.safe_dump({"lake": {"root": "lake"}, "clusters": {"c": whole}}), encoding="utf-8")
    config = load(conf, {"P": "canary"})
    config.desired("c")
    require_means(config.cluster("c"))


def asked(path: Path) -> None:
    parser = argparse.ArgumentParser()
    sql.add_arguments(parser)
    sql.run(parser.parse_args(["--lake", str(path.parent), "--file", str(path)]), Redactor())


READERS: dict[str, Callable[[Path], object]] = {
    **{name: partial(connected, name=name) for name in sections("")},
    "the configuration": lambda path: load(path, {}),
    "statements": asked,
    "expectations": lambda path: own_suites(path.rename(path.with_name("brokers.json")).parent, SUITES),
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
@pytest.mark.parametrize(
    ("put", "said"),
    [
        (partial(os.truncate, length=LARGEST * 32), f"it is larger than {LARGEST:,} bytes; is it the right file?"),
        (lambda path: (path.unlink(), os.mkfifo(path)), "is no regular file|a pipe that did not end within 0.3 s"),
    ],
    ids=["too large", "a pipe that nobody writes to"],
)
def test_what_is_no_file_of_that_kind_is_one_line(
    tmp_path: Path, put: Callable[[Path], object], said: str, read: Callable[[Path], object]
) -> None:
    path = tmp_path / "file"
    path.touch()
    put(path)
    assert re.search(said, refusal(read, path))


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


Write = Callable[[Path], object]

WRITERS: dict[str, tuple[str, Write]] = {
    "the text file": ("kafka_census_c.prom", lambda path: textfile.write(path, "c", {})),
    "an HTML report": ("report.html", lambda path: write_whole(path, "")),
    "Spark's configuration": ("spark-defaults.conf", lambda path: _keep(path, "")),
}


@pytest.mark.parametrize(("name", "write"), WRITERS.values(), ids=WRITERS)
def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(tmp_path: Path, name: str, write: Write) -> None:
    """Also a link at the name that a temporary file of this process had in earlier releases."""
    path, precious = tmp_path / name, tmp_path / "precious"
    precious.write_text("precious", encoding="utf-8")
    path.symlink_to(precious)
    for former in (f"{name}.{os.getpid()}.{threading.get_ident()}", f".{name}.{os.getpid()}"):
        path.with_name(former).symlink_to(precious)
    write(path)
    assert precious.read_text(encoding="utf-8") == "precious"
    assert path.is_file()
    assert not path.is_symlink()


def test_what_is_too_large_or_no_regular_file_is_not_read_and_a_pipe_is_replaced(tmp_path: Path) -> None:
    """Others may write to its folder. To open a pipe waits for its other end; a device may be endless."""
    text_file, large = (textfile.path_of(str(tmp_path), name) for name in ("c", "large"))
    report = tmp_path / "report.html"
    large.write_bytes(b"#" * (LARGEST + 1))
    with pytest.raises(OSError, match="it is larger than"):
        textfile.read(large)
    for path in (text_file, report):
        os.mkfifo(path)
    with pytest.raises(OSError, match="it is no regular file"):
        textfile.read(text_file)
    textfile.write(text_file, "c", {})
    write_whole(report, "")
    assert (text_file.is_file(), report.is_file()) == (True, True)
    for path in ("/dev/zero", "/"):
        with pytest.raises(OSError, match=r"it is no regular file|Is a directory"):
            whole_file.read(Path(path))
