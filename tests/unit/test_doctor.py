"""`doctor` reports the cause once, says what to do, and never waits for what is dead: way, brokers, machine, lake."""

import os
import re
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from kafka.protocol.admin import DescribeClusterRequest

from emulator.asking import cluster, serving
from harness.doctored import CLUSTER, Ran, doctored, typed, written
from harness.impostor import HTTP, Impostor
from harness.responses import described_cluster
from harness.sasl import accepting, sasl
from harness.tls import Tls
from kafka_census.jars.delta import delta_set
from kafka_census.lake.lake import Lake
from kafka_census.lake.run_lock import hold
from kafka_census.upkeep.doctor import cluster as looking
from kafka_emulator.server import Server
from unit.test_tls import server_context
from unit.walking import Serve

BELOW = ("names", "TCP", "TLS", "Kafka", "SASL", "cluster id", "brokers", "paging", "RPCs", "rights", "visibility")
"""Checks of the way and of what is at its end; where one fails, those behind it are not checked."""

CLOSED = "127.0.0.1:1"
PASSWORD = "canary-3c1d"
USER = {"mechanism": "PLAIN", "username": "census", "password": {"env": "CENSUS_PASSWORD"}}
CLEAR: dict[str, Any] = {"security_protocol": "SASL_PLAINTEXT", "allow_clear_password": True, "sasl": USER}
QUORUM = {"tables": ["quorum"]}
YESTERDAY = datetime.now(UTC) - timedelta(days=1)

Seen = Callable[..., Ran]


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CENSUS_PASSWORD", PASSWORD)


@pytest.fixture(scope="module")
def emulated() -> Iterator[Server]:
    """Two brokers in which nothing is wrong but their clock."""
    with serving(cluster(kip_1062=False, brokers={"count": 2}, groups={"count": 4})) as server:
        yield server


@pytest.fixture
def seen(tmp_path: Path, emulated: Server) -> Seen:
    return lambda **how: doctored(written(tmp_path, emulated.bootstrap_servers, **how))


def fails(found: Ran, check: str, *words: str) -> None:
    """It is the one check that fails, with these words in its details; nothing behind a check of the way is checked."""
    assert (found.code, found.states("failed")) == (1, {check})
    if check in ("names", "TCP", "TLS", "Kafka", "SASL", "cluster id"):
        assert found.states("not_checked") == {*BELOW[BELOW.index(check) + 1 :], "history"}
    text = "\n".join(found.details(check))
    assert [word for word in words if word not in text] == []


def test_nothing_is_wrong_and_all_is_reported_without_spark_in_time(tmp_path: Path, seen: Seen) -> None:
    """An emulated clock stands still: the one warning. No process but java is started, and no lake is made."""
    began = time.monotonic()
    found = seen()
    assert time.monotonic() - began < 2 * 5  # it was asked twice
    assert (found.code, found.states("failed"), found.states("warning")) == (0, set(), {"clock"})
    assert found.states("not_checked") == set()
    assert "2 of 2 brokers answer: Kafka 4.4 or newer" in found.text
    assert "by cursor: DescribeTopicPartitions; 10 in windows; 12 whole" in found.text
    assert [path.name for path in tmp_path.iterdir()] == ["census.yaml"]


def test_a_broker_that_only_replicas_name_or_that_is_fenced_does_not_answer(tmp_path: Path) -> None:
    """It is down or removed: brokers before 4.0 do not name it, and no later one names a removed one."""
    lost = {"declared": [{"name": "lost", "assignment": [[3, 1]]}]}
    with serving(cluster(kip_1062=True, brokers={"count": 4, "stopped": [3], "fenced": [4]}, topics=lost)) as server:
        found = doctored(written(tmp_path, server.bootstrap_servers))
    down = "broker 3: it has replicas, and the cluster does not name it: it is down, or was removed"
    fails(found, "brokers", down, "it is registered, but not alive")
    assert "2 of 4 brokers answer: Kafka 4.4 or newer" in found.text
    assert "13 RPCs by cursor" in found.checks["paging"]["summary"]
    # An emulated clock is a year behind.
    assert re.search(r"clock +\d+d \d+[hms] ahead of that of broker 1", found.text)


def test_of_servers_that_are_not_there_one_that_is_lets_us_through(tmp_path: Path, emulated: Server) -> None:
    refused = f"{CLOSED}: connection refused: nothing listens there; to do: "
    for server, check, words in (
        (CLOSED, "TCP", refused),
        ("no-such-host.invalid:9092", "names", "'no-such-host.invalid'"),
    ):
        found = doctored(written(tmp_path, server))
        fails(found, check, words, f"clusters.{CLUSTER}.bootstrap_servers")
        assert f"{check} of prod" in found.text.splitlines()[-1]
    servers = f"no-such-host.invalid:9092,{CLOSED},{emulated.bootstrap_servers}"
    found = doctored(written(tmp_path, servers))
    assert (found.code, found.states("failed")) == (0, set())
    assert found.states("warning") == {"names", "TCP", "clock"}


def test_who_never_answers_costs_no_more_than_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name server cannot be asked to give up: it is left alone."""
    monkeypatch.setattr(looking, "TIMEOUT_S", 0.3)
    answer, resolved = threading.Event(), socket.getaddrinfo

    def slow(host: str, *rest: Any, **more: Any) -> Any:
        return answer.wait(20) if host == "slow.invalid" else resolved(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    began = time.monotonic()
    try:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            servers = f"slow.invalid:9092,127.0.0.1:{silent.getsockname()[1]}"
            code, text = typed("--config", str(written(tmp_path, servers)))
        assert time.monotonic() - began < 3
    finally:
        answer.set()
    assert code == 1
    assert "'slow.invalid' was not resolved within 0.3 s" in text
    assert "FAIL Kafka" in text


def test_a_wrong_password_is_reported_once_and_not_shown(tmp_path: Path, serve: Serve) -> None:
    echo = sasl(lambda token: f"who is {token!r}?")
    broker = serve({**echo, DescribeClusterRequest: lambda *_: pytest.fail("let in")})
    found = doctored(written(tmp_path, broker.address, **CLEAR))
    fails(found, "SASL", f"check clusters.{CLUSTER}.sasl")
    assert "User:census" in found.text
    assert PASSWORD not in found.text + str(found.json)


def test_any_host_that_would_get_a_password_in_clear_is_a_warning(tmp_path: Path, serve: Serve) -> None:
    broker = serve(sasl(accepting))
    broker.scripts |= answering((1, broker.port))
    found = doctored(written(tmp_path, broker.address, others=QUORUM, **CLEAR))
    calm = doctored(written(tmp_path, broker.address, others=QUORUM, allowed_hosts=["127.0.0.0/8"], **CLEAR))
    (detail,) = found.details("SASL")
    assert "PLAIN without TLS sends the password in clear to every host that the cluster names" in detail
    assert f"clusters.{CLUSTER}.allowed_hosts" in detail
    assert (found.checks["SASL"]["state"], calm.checks["SASL"]["state"]) == ("warning", "ok")


def presented(tmp_path: Path, theirs: Tls, cafile: Path | None = None) -> Ran:
    """What the doctor says of a listener with this certificate, which is no Kafka's."""
    with Impostor(HTTP, secured=server_context(theirs.keystore)) as server:
        how = {"security_protocol": "SSL", "ssl": {"cafile": str(cafile or theirs.cafile)}}
        return doctored(written(tmp_path, server.address, **how))


@pytest.mark.parametrize(
    ("host", "expired", "why", "remedy"),
    [
        ("127.0.0.9", False, "certificate is not valid for '127.0.0.1'", "check_hostname"),
        ("127.0.0.1", True, "certificate has expired", "renew the certificate"),
    ],
)
def test_a_certificate_that_is_not_accepted_is_shown(
    tmp_path: Path, host: str, expired: bool, why: str, remedy: str
) -> None:
    found = presented(tmp_path, Tls(tmp_path / "theirs", (host,), expired=expired))
    shown = f"it shows CN=broker for localhost, {host}, valid until 20"
    fails(found, "TLS", why, shown, "signed by CN=kafka-census test authority")
    assert remedy in found.details("TLS")[0].partition("; to do: ")[2]


def test_a_certificate_that_is_accepted_shows_its_end_unless_it_cannot_be_read(tmp_path: Path) -> None:
    """OpenSSL accepts an X.400 address among its names; the server chose the bytes, and may choose any."""
    found = presented(tmp_path, Tls(tmp_path / "plain"))
    fails(found, "Kafka", "it answers HTTP")
    assert "chain and host name are verified" in found.checks["TLS"]["summary"]
    assert "its certificate ends in 23h 59m" in found.details("TLS")[0]
    theirs = Tls(tmp_path / "theirs", odd=True)
    for cafile, failed in ((theirs.cafile, "Kafka"), (Tls(tmp_path / "others").cafile, "TLS")):
        found = presented(tmp_path, theirs, cafile)
        assert (found.states("failed"), "it shows" in found.text) == ({failed}, False)


def answering(*others: tuple[int, int], cluster_id: str = "the-cluster") -> Any:
    """A broker's answer who is in its cluster: itself and others, by id and port."""
    named = [(node, "127.0.0.1", port) for node, port in others]
    return {DescribeClusterRequest: lambda _request, _n: described_cluster(cluster_id, named, operations={8, 10})}


def test_one_of_several_brokers_is_dead_or_of_another_cluster(tmp_path: Path, serve: Serve) -> None:
    broker, stranger = serve({}), serve(answering((2, 1), cluster_id="another"))
    broker.scripts |= answering((1, broker.port), (2, 1))
    found = doctored(written(tmp_path, broker.address, others=QUORUM))
    where = f"broker 2 at {CLOSED}: connection refused: nothing listens there; to do: "
    fails(found, "brokers", where, "advertised.listeners")
    assert "1 of 2 brokers answer" in found.text
    accepted = QUORUM | {"completeness": {"unreachable_brokers": "publish_incomplete"}}
    assert doctored(written(tmp_path, broker.address, others=accepted)).code == 0
    broker.scripts |= answering((1, broker.port), (2, stranger.port))
    found = doctored(written(tmp_path, broker.address, others=QUORUM))
    fails(found, "brokers", "belongs to cluster id another, but the-cluster is expected")
    assert {type(one).__name__ for one in stranger.asked} <= {"ApiVersionsRequest", "DescribeClusterRequest"}
    # What a configuration of another cluster leads to is asked for nothing.
    found = doctored(written(tmp_path, stranger.address, cluster_id="mine"))
    fails(found, "cluster id", f"the cluster there is another, and clusters.{CLUSTER}.cluster_id is mine")
    assert {type(one).__name__ for one in stranger.asked} <= {"ApiVersionsRequest", "DescribeClusterRequest"}


def test_a_broker_that_is_too_old_for_a_table(tmp_path: Path) -> None:
    """ListTransactions came with 3.0: which tables lack it, and what to do."""
    with serving(cluster("2.8", kip_1062=False)) as emulated:
        found = doctored(written(tmp_path, emulated.bootstrap_servers))
    assert (found.code, found.states("failed")) == (1, {"paging"})
    lacking = {one["where"]: one["tables"] for one in found.checks["paging"]["details"] if one["tables"]}
    tables = ["transaction_coordinator_placement", "coordinator_load", "hanging_transactions"]
    assert lacking == {"ListTransactions": tables}


def test_java_and_jars_that_are_missing(tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Databricks brings its own. Jars that are there and not whole fail."""
    folder = tmp_path / "broken" / "jars" / delta_set()
    folder.mkdir(parents=True)
    monkeypatch.setenv("KAFKA_CENSUS_CACHE", str(tmp_path / "broken"))
    fails(seen(), "jars", str(folder))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))
    monkeypatch.setenv("KAFKA_CENSUS_CACHE", str(tmp_path / "cache"))
    found = seen()
    assert (found.code, found.states("failed"), found.states("not_checked")) == (1, {"Java"}, set())
    assert "none was found in JAVA_HOME" in found.details("Java")[0]
    assert found.checks["jars"]["state"] == "warning"
    assert "the first job will fetch them" in found.details("jars")[0]
    assert not (tmp_path / "cache").exists()
    monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", "18.0")
    checks = seen().checks
    assert {checks[name]["summary"] for name in ("Java", "jars")} == {"Databricks brings its own"}


def test_a_lake_that_cannot_be_written_or_read_or_that_only_spark_can_see(tmp_path: Path, seen: Seen) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    fails(seen(lake="file/lake"), "lake", "file is not a folder")
    found = seen(others={"lake": {"root": "s3a://bucket/lake"}})
    assert (found.code, found.states("not_checked")) == (0, {"lake", "history"})
    (tmp_path / "lake" / "audit" / "census_runs").mkdir(parents=True)
    found = seen()
    assert found.states("not_checked") == {"history"}
    assert "census_runs cannot be read" in found.checks["history"]["summary"]


def audit_table(folder: Path, name: str, cluster_id: str, begins: datetime, cluster: str = CLUSTER) -> str:
    census_id = f"{begins:%Y%m%dT%H%M%S}000Z-0a1b2c"
    rows = {"census_id": [census_id], "cluster_id": [cluster_id], "cluster": [cluster]}
    write_deltalake(str(folder / "lake" / "audit" / name), pa.table(rows))
    return census_id


def test_names_and_ids_that_differ_from_those_in_the_lake(tmp_path: Path, emulated: Server, seen: Seen) -> None:
    """The name was that of another cluster, or the cluster had another name."""
    audit_table(tmp_path / "former", "census_runs", "the-one-before", YESTERDAY)
    before = f"are of the-one-before; to do: correct clusters.{CLUSTER}.bootstrap_servers"
    fails(seen(lake="former/lake"), "history", before)
    cluster_id = emulated.world.cluster_id
    audit_table(tmp_path, "publications", cluster_id, YESTERDAY, "dev")
    found = seen()
    remedy = f"where 'dev' was renamed to '{CLUSTER}', set clusters.{CLUSTER}.former_names: [dev]"
    fails(found, "history", f"this lake has censuses of cluster id {cluster_id} under another name, 'dev'", remedy)
    renamed = {"clusters": {CLUSTER: {"bootstrap_servers": emulated.bootstrap_servers, "former_names": ["dev"]}}}
    assert seen(others=renamed).code == 0


def test_a_census_of_a_clock_that_was_ahead(tmp_path: Path, emulated: Server, seen: Seen) -> None:
    ahead, names = datetime.now(UTC) + timedelta(hours=3), ("census_runs", "publications")
    ids = {audit_table(tmp_path, name, emulated.world.cluster_id, ahead) for name in names}
    fails(seen(), "clock", f"--retire {ids.pop()}")


def test_a_name_that_is_in_use_and_a_secret_that_others_can_read_are_warnings(tmp_path: Path, seen: Seen) -> None:
    with tempfile.TemporaryDirectory() as folder, hold(Lake(root=str(tmp_path / "lake")), [CLUSTER], "a census"):
        Path(folder).chmod(0o755)
        secret = Path(folder) / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        secret.chmod(0o644)
        found = seen(**CLEAR | {"sasl": {**USER, "password": {"file": str(secret)}}})
    assert f"in use by process {os.getpid()}" in found.details("lock")[0]
    assert {"lock", "secrets"} <= found.states("warning")
    assert PASSWORD not in found.text
    assert seen().checks["lock"]["state"] == "ok"


def test_a_mistake_in_the_configuration_is_reported_before_anything_is_sent(
    tmp_path: Path, emulated: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CENSUS_PASSWORD")
    (tmp_path / "ca.pem").write_text("no PEM", encoding="utf-8")
    mistake = f"clusters.{CLUSTER}.sasl.password: the environment variable CENSUS_PASSWORD is not set"
    config = written(tmp_path, emulated.bootstrap_servers, **CLEAR)
    assert typed("--config", str(config)) == (2, f"{config}:10: {mistake}")
    tls = {"security_protocol": "SSL", "ssl": {"cafile": str(tmp_path / "ca.pem")}}
    code, line = typed("--config", str(written(tmp_path, emulated.bootstrap_servers, **tls)))
    assert (code, "holds no certificate in PEM format" in line) == (2, True)
    code, line = typed("--config", str(written(tmp_path, emulated.bootstrap_servers)), "--cluster", "prd")
    assert (code, "did you mean 'prod'?" in line) == (2, True)
