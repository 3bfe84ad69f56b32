"""What is wrong with TLS, or with what listens, is said in one line that names the setting to correct."""

import os
import pickle
import pty
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.impostor import HTTP, SMTP, SSH, TLS_ALERT, Impostor
from harness.tls import Tls
from kafka_census.errors import CensusError, ConfigError, Unreachable
from kafka_census.jars.ivy import java
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.page import Chain
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.key_stores import key_file, opened
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import ClusterSettings, Ssl
from kafka_census.kafka.protocol.tls import own_subject
from kafka_census.landing.fetch.fetch import Fetcher
from kafka_census.upkeep.doctor.facts import Stage
from kafka_census.upkeep.doctor.reach import reach
from unit.walking import walk

QUICK = CollectSettings(retry_backoff_ms=1, retry_backoff_max_ms=2, request_timeout_ms=3000, connect_timeout_ms=3000)
PASSWORD = "canary-key-password"

Made = Callable[..., Tls]


@pytest.fixture
def make(tmp_path: Path) -> Made:
    """Authorities and certificates of different makes, each in a folder of its own."""
    return lambda name, *hosts, **how: Tls(tmp_path / name, *([hosts] if hosts else []), **how)


def cluster(server: Impostor | str, files: Ssl | None = None) -> ClusterSettings:
    address = server if isinstance(server, str) else server.address
    protocol = "SSL" if files else "PLAINTEXT"
    return ClusterSettings("prod", (address,), security_protocol=protocol, ssl=files or Ssl())


def line(settings: ClusterSettings, kind: type[CensusError] = Unreachable) -> str:
    with pytest.raises(kind) as caught:
        bootstrap(settings, QUICK)
    assert len(str(caught.value).splitlines()) == 1
    assert PASSWORD not in str(caught.value)
    return str(caught.value)


def server_context(keystore: Path, cafile: Path | None = None) -> ssl.SSLContext:
    """What a broker presents; with a cafile it demands a certificate of clients."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(keystore)
    if cafile is not None:
        context.load_verify_locations(cafile)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


# What the broker presents, whether it demands a certificate, our cafile and certfile, and the two ends of the line.
FILES, OTHERWISE = "certfile and clusters.prod.ssl.keyfile", "check_hostname"
TO_CA = "ssl.cafile to the authority that did"
REFUSED: list[tuple[str, bool, str, str, str, str]] = [
    ("theirs", False, "ours", "", "no authority in '{cafile}' has signed it", TO_CA),
    ("other", False, "other", "", "IP address mismatch, certificate is not valid for '127.0.0.1'", OTHERWISE),
    ("expired", False, "expired", "", "certificate has expired", "renew the certificate"),
    # Told by an alert after the handshake (TLS 1.3).
    ("theirs", True, "theirs", "ours", "did not accept our certificate", FILES),
]


@pytest.mark.parametrize(("presents", "demands", "ca", "cert", "what", "correct"), REFUSED)
def test_a_handshake_that_fails_names_the_setting_to_correct(
    make: Made, presents: str, demands: bool, ca: str, cert: str, what: str, correct: str
) -> None:
    made = {"theirs": make("theirs"), "ours": make("ours")}
    made |= {"other": make("other", "127.0.0.9"), "expired": make("expired", expired=True)}
    theirs = made[presents]
    files = Ssl(cafile=str(made[ca].cafile) if ca else None, certfile=str(made[cert].keystore) if cert else None)
    with Impostor(secured=server_context(theirs.keystore, theirs.cafile if demands else None)) as server:
        text = line(cluster(server, files))
    assert what.format(cafile=files.cafile) in text
    assert correct in text


def test_a_listener_without_tls_is_reported_so() -> None:
    """One that answers in another protocol; a PLAINTEXT listener of Kafka hangs up (e2e/test_security.py)."""
    with Impostor(HTTP) as server:
        text = line(cluster(server, Ssl()))
    assert "this listener does not speak TLS" in text
    assert text.endswith("check clusters.prod.security_protocol")


@pytest.fixture
def unasked() -> Iterator[Impostor]:
    with Impostor() as server:
        yield server
        assert server.connections == 0


def test_a_file_that_cannot_be_used_is_reported_before_anything_is_connected(
    make: Made, unasked: Impostor, tmp_path: Path
) -> None:
    plain, shut = make("plain"), make("locked", password=PASSWORD).keystore
    right, wrong = Secret(PASSWORD), Secret("not-it")
    no_pem, cut, only_key, jks, other = (tmp_path / name for name in ("no-pem", "cut", "key.pem", "jks", "other.p12"))
    no_pem.write_bytes(b"none")
    cut.write_bytes(b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n")
    only_key.write_bytes(make("third").keystore.read_bytes().partition(b"-----BEGIN CERTIFICATE-----")[0])
    jks.write_bytes(b"\xfe\xed\xfe\xed\0\0\0\2")
    other.write_bytes(b"\x30\x03\x02\x01\x05")
    (pem, store), no_key, keystore = plain.client("census", PASSWORD), plain.truststore(PASSWORD), plain.keystore
    strange = {"certfile": keystore, "keyfile": only_key}
    in_store = {"certfile": store, "keyfile": pem, "password": right}
    files: list[tuple[str, dict[str, Any]]] = [
        (f"cafile: '{no_pem}' holds no certificate in PEM format", {"cafile": no_pem}),
        (f"cafile: '{cut}' is damaged", {"cafile": cut}),
        (f"cafile: '{tmp_path}/none' cannot be read: No such file", {"cafile": tmp_path / "none"}),
        (f"cafile_password: is not set, and '{jks}' is no store that opens without, nor PEM", {"cafile": jks}),
        (f"cafile_password: does not open '{no_key}'", {"cafile": no_key, "cafile_password": wrong}),
        (f"cafile_password: does not open '{other}', or that is nei", {"cafile": other, "cafile_password": right}),
        (f"certfile: '{no_pem}' holds no certificate in PEM format", {"certfile": no_pem}),
        (f"certfile: '{plain.cafile}' holds no private key in PEM format", {"certfile": plain.cafile}),
        (f"password: does not open '{jks}', or that is neither a PKCS#12 or JKS", {"certfile": jks, "password": right}),
        (f"certfile: '{no_key}' holds no private key with its certificate", {"certfile": no_key, "password": right}),
        (f"keyfile: '{no_pem}' holds no private key in PEM format", {"certfile": keystore, "keyfile": no_pem}),
        (f"keyfile: the private key in '{only_key}' does not belong to the certificate in '{keystore}'", strange),
        (f"keyfile: is to be left out: '{store}' is a store, which holds the key", in_store),
        (f"password: does not open the private key in '{shut}'", {"certfile": shut, "password": wrong}),
        (f"password: is not set, and the private key in '{shut}' is encrypted", {"certfile": shut}),
        (f"password: is not set, and '{store}' is no store that opens without", {"certfile": store}),
        (f"password: does not open '{store}'", {"certfile": store, "password": wrong}),
        ("password: is longer than OpenSSL takes", {"certfile": shut, "password": Secret("x" * 2000)}),
    ]
    for expected, given in files:
        of = Ssl(**{key: str(value) if isinstance(value, Path) else value for key, value in given.items()})
        said = line(cluster(unasked, of), ConfigError)
        assert said.startswith(f"clusters.prod.ssl.{expected}"), said
    assert ConfigError.exit_code == 2


def keytool(*words: str | Path) -> None:
    command = [java(), "-m", "java.base/sun.security.tools.keytool.Main", *map(str, words)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def test_a_store_of_java_s_own_format_serves_as_java_reads_it(make: Made, unasked: Impostor, tmp_path: Path) -> None:
    """A truststore opens without its password, and a key may have another password than its store."""
    theirs, trust, own = make("theirs"), tmp_path / "trust.jks", tmp_path / "own.jks"
    _, store = theirs.client("census", PASSWORD)
    to = ("-deststoretype", "JKS", "-deststorepass", "of-the-store", "-destkeypass", PASSWORD)
    source = ("-srckeystore", store, "-srcstorepass", PASSWORD, "-srcalias", "census")
    keytool("-importkeystore", "-noprompt", *source, "-destkeystore", own, *to)
    words = ("-importcert", "-noprompt", "-alias", "ca", "-file", theirs.cafile, "-storetype", "JKS")
    keytool(*words, "-keystore", trust, "-storepass", PASSWORD)
    files = Ssl(str(trust), None, str(own), None, Secret("of-the-store"), Secret(PASSWORD))
    with Impostor(HTTP, secured=server_context(theirs.keystore, theirs.cafile)) as server:
        assert "it answers HTTP" in line(cluster(server, files))
        assert "it answers HTTP" in line(cluster(server, pickle.loads(pickle.dumps(files))))  # noqa: S301 - our own
    assert own_subject(files) == "CN=census"
    wrong = Secret("not-it")
    for changed, said in (
        ({"cafile_password": wrong}, f"cafile_password: does not open '{trust}'"),
        ({"password": wrong}, f"password: does not open '{own}'"),
        ({"key_password": wrong}, f"key_password: does not open the private key in '{own}'"),
        ({"key_password": None}, "key_password: is not set, and the password of the store does not open the private"),
        ({"password": None, "key_password": None}, f"password: is not set, and the private key in '{own}' is encrypt"),
        (
            {"certfile": str(trust), "password": Secret(PASSWORD)},
            f"certfile: '{trust}' holds no private key with its certificate",
        ),
    ):
        told = line(cluster(unasked, replace(files, **changed)), ConfigError)
        assert told.startswith(f"clusters.prod.ssl.{said}")


@pytest.mark.parametrize("form", ["PEM", "PKCS#12"])
def test_files_come_along_with_a_task(make: Made, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server demands a certificate, and takes an encrypted key, also of a task on a machine that has no file.

    Nothing stays on the disk, and no text shows the key.
    """
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    theirs, is_pem = make("theirs"), form == "PEM"
    pem, store = theirs.client("census", PASSWORD)
    settings = Ssl(
        cafile=str(theirs.cafile if is_pem else theirs.truststore(PASSWORD)),
        cafile_password=None if is_pem else Secret(PASSWORD),
        certfile=str(pem if is_pem else store),
        keyfile=str(pem) if is_pem else None,
        password=Secret(PASSWORD),
    )
    task = pickle.dumps(settings)
    content = pem.read_text(encoding="utf-8").splitlines()[1]
    with Impostor(HTTP, secured=server_context(theirs.keystore, theirs.cafile)) as server:
        assert "it answers HTTP" in line(cluster(server, replace(settings, keyfile=None)))
        assert own_subject(settings) == "CN=census"
        for file in (str(theirs.cafile), settings.cafile, pem, store):
            Path(str(file)).unlink(missing_ok=True)
        assert "cannot be read" in line(cluster(server, settings), ConfigError)
        there = pickle.loads(pickle.dumps(pickle.loads(task)))  # noqa: S301 - our own
        assert "it answers HTTP" in line(cluster(server, there))
    assert there == settings
    assert (content in task.decode("latin-1"), content in repr(there)) == (is_pem, False)
    assert [path for path in tmp_path.iterdir() if path.is_file()] == []


def test_a_key_on_its_way_to_openssl_is_ours_alone(make: Made) -> None:
    _, store = make("ours").client("census", PASSWORD)
    with key_file(opened(store.read_bytes(), PASSWORD)) as (path, password):
        assert Path(path).stat().st_mode & 0o777 == 0o600
        text = Path(path).read_text(encoding="utf-8")
        assert text.startswith("-----BEGIN ENCRYPTED PRIVATE KEY-----")
        assert (len(password) >= 32, password in text, PASSWORD in text) == (True, False, False)
    assert not Path(path).exists()


def test_nobody_is_asked_for_a_password_at_a_terminal(make: Made) -> None:
    """OpenSSL would; the process has a terminal here, ends by itself and has written nothing to it."""
    program = "import sys; from kafka_census.kafka.protocol.tls import *; context(Ssl(certfile=sys.argv[1]))"
    command = [sys.executable, "-c", program, str(make("locked", password=PASSWORD).keystore)]
    ours, theirs = pty.openpty()
    try:
        env = {**os.environ, "PYTHONPATH": "pipelines"}
        on_terminal = {"stdin": theirs, "stdout": theirs, "start_new_session": True}
        ran = subprocess.run(command, stderr=subprocess.PIPE, env=env, timeout=60, check=False, **on_terminal)
        os.set_blocking(ours, False)
        with pytest.raises(BlockingIOError):
            os.read(ours, 100)
    finally:
        os.close(ours)
        os.close(theirs)
    assert b"TlsFileError" in ran.stderr
    assert b"Enter" not in ran.stderr


@pytest.mark.parametrize(
    ("says", "greets", "what", "correct"),
    [
        (HTTP, False, "this is not a Kafka listener: it answers HTTP", "bootstrap_servers"),
        (SSH, True, "this is not a Kafka listener: it answers SSH", "bootstrap_servers"),
        (SMTP, True, "this is not a Kafka listener: it answers text, '220 '", "bootstrap_servers"),
        (TLS_ALERT, False, "this listener speaks TLS", "security_protocol to SSL or SASL_SSL"),
    ],
    ids=["HTTP", "SSH", "SMTP", "TLS"],
)
@pytest.mark.parametrize("largest", [100_000_000, 2**31 - 1])
def test_what_is_not_kafka_s_is_recognised_by_its_first_bytes(
    says: bytes, greets: bool, what: str, correct: str, largest: int
) -> None:
    """At bootstrap, and in a page; however large a response may be."""
    collect = replace(QUICK, receive_message_max_bytes=largest)
    with Impostor(says, greets) as server:
        with pytest.raises(Unreachable) as caught:
            bootstrap(cluster(server), collect)
        (page,) = walk(server, "ListGroups", "groups", collect=collect)
    assert what in str(caught.value)
    assert str(caught.value).endswith(correct)
    assert "receive_message_max_bytes" not in str(caught.value)
    assert (page.error_code, what in str(page.error_message)) == (ErrorCode.CONNECTION_FAILED, True)


@pytest.mark.parametrize(
    ("host", "port", "what"),
    [
        ("a\0b", 9092, "cannot be resolved"),
        ("a..b", 9092, "not a host name"),
        ("x" * 300, 9092, "not a host name"),
        *(("127.0.0.1", port, "there is no such port") for port in (0, -1, 99_999)),
    ],
)
@pytest.mark.parametrize("files", [None, Ssl()], ids=["plaintext", "TLS"])
def test_an_address_that_is_none_is_an_error_page_and_a_finding_of_doctor(
    host: str, port: int, what: str, files: Ssl | None
) -> None:
    """Brokers say where the others listen, and may say anything."""
    endpoint, settings = Endpoint(1, host, port), cluster("127.0.0.1:1", files)
    (page,) = Fetcher("ListGroups", "groups", settings, QUICK).pages(iter([Chain(1, "chain", endpoint)]))
    assert (page.error_code, what in str(page.error_message)) == (ErrorCode.CONNECTION_FAILED, True)
    failure = reach(endpoint, settings, QUICK, (), time.monotonic() + 3).failure
    assert (failure.stage, what in failure.what) == (Stage.NAME, True)
