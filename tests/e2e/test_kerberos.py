"""GSSAPI on a real broker, with a real KDC: authentication, one clear line per error, and no leak of the keytab."""

import pickle
import socket
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.broker import Listener
from harness.canaries import Canaries, watched
from harness.doctored import CLUSTER, Ran, doctored, written
from harness.kafka_cluster import KafkaCluster
from harness.kdc import REALM, SERVICE, Kdc
from harness.sasl import sasl
from harness.standin import StandIn
from harness.submitted import HANGS_S, submit, write_spark_conf
from kafka_census.config import load
from kafka_census.errors import AuthenticationFailed
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.kerberos import NoTicket, Tickets
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import ClusterSettings, Kerberos, Keytab, Sasl

KERBEROS = Listener("KERBEROS", "SASL_PLAINTEXT", ("GSSAPI",))
CENSUS = f"census/batch@{REALM}"


@pytest.fixture(scope="module")
def kdc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kdc]:
    with Kdc(tmp_path_factory.mktemp("kdc")) as one:
        yield one


@pytest.fixture(scope="module")
def cluster(kdc: Kdc) -> Iterator[KafkaCluster]:
    properties = {"offsets.topic.replication.factor": 1}
    with KafkaCluster(
        brokers=1, listeners=(KERBEROS,), kdc=kdc, authorizer=True, super_users=("census",), properties=properties
    ) as one:
        yield one


@pytest.fixture(scope="module")
def keytab(kdc: Kdc) -> Path:
    """The keytab of `census/batch`, whom brokers call `census`."""
    return kdc.keytab(CENSUS)


@pytest.fixture(autouse=True)
def realm(kdc: Kdc, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment with the KDC, and without other tickets."""
    monkeypatch.setenv("KRB5_CONFIG", str(kdc.krb5_conf))
    monkeypatch.setenv("KRB5CCNAME", f"FILE:{kdc.folder / 'nobody'}")


def config(folder: Path, cluster: KafkaCluster, others: Any = None, **kerberos: object) -> Path:
    sasl = {"mechanism": "GSSAPI", "kerberos": kerberos}
    return written(folder, cluster.bootstrap_servers, security_protocol="SASL_PLAINTEXT", sasl=sasl, others=others)


def refused(found: Ran) -> str:
    """The error of `doctor` where a census would end with exit code 1 because authentication fails."""
    assert (found.code, found.states("failed")) == (1, {"SASL"})
    (detail,) = found.details("SASL")
    return detail


def test_a_keytab_signs_in(cluster: KafkaCluster, keytab: Path, tmp_path: Path) -> None:
    """The broker's user is the one that `doctor` names: a super user by the first part of its principal."""
    found = doctored(config(tmp_path, cluster, principal=CENSUS, keytab={"file": str(keytab)}))
    assert (found.code, found.states("failed")) == (0, set())
    assert found.checks["SASL"]["summary"] == "'census' signs in by GSSAPI"
    assert found.checks["rights"]["summary"] == "User:census has all rights that a census needs"


def test_tickets_of_a_cache_sign_in(
    cluster: KafkaCluster, kdc: Kdc, keytab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A configured cache, and that of KRB5CCNAME, whose principal is not configured."""
    cache = kdc.ticket_cache(CENSUS, keytab)
    named = doctored(config(tmp_path, cluster, ticket_cache=str(cache)))
    monkeypatch.setenv("KRB5CCNAME", f"FILE:{cache}")
    own = doctored(config(tmp_path, cluster))
    for found in (named, own):
        assert (found.code, found.checks["SASL"]["summary"]) == (0, "'census' signs in by GSSAPI")


def test_a_keytab_travels_with_a_task(
    cluster: KafkaCluster, kdc: Kdc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the file, its contents at the time of serialization authenticate; so does the same text in a variable."""
    there = kdc.keytab("traveller")
    text = text_of(there)
    by_file = load(config(tmp_path, cluster, principal="traveller", keytab={"file": str(there)})).cluster(CLUSTER)
    task = pickle.dumps(by_file)
    assert there.read_bytes() not in task
    there.unlink()
    arrived = pickle.loads(task)  # noqa: S301 - as a worker does
    monkeypatch.setenv("KEYTAB", text)
    by_variable = load(config(tmp_path, cluster, principal="traveller", keytab={"env": "KEYTAB"})).cluster(CLUSTER)
    for settings in (arrived, by_variable):
        assert bootstrap(settings, CollectSettings()).cluster_id == cluster.cluster_id
        assert text not in repr(settings)


def test_a_keytab_is_renewed_in_its_file_while_nobody_looks(cluster: KafkaCluster, kdc: Kdc, tmp_path: Path) -> None:
    """A keytab that the KDC has invalidated is one line; its successor is read at the next authentication."""
    old = kdc.keytab("renewed")
    new = kdc.keytab("renewed")
    path = config(tmp_path, cluster, principal=f"renewed@{REALM}", keytab={"file": str(old)})
    said = refused(doctored(path))
    assert "no Kerberos ticket for kafka/127.0.0.1: Preauthentication failed; to do: check clusters.prod.sasl" in said
    old.write_bytes(new.read_bytes())
    assert doctored(path).checks["SASL"]["state"] == "ok"


def test_what_is_not_known_is_one_line(cluster: KafkaCluster, kdc: Kdc, keytab: Path, tmp_path: Path) -> None:
    gone = kdc.keytab("gone")
    kdc.delete("gone")
    mine = {"file": str(keytab)}
    for settings, reported in (
        ({"principal": f"other@{REALM}", "keytab": mine}, f"{keytab} has no key of other@{REALM}"),
        (
            {"principal": f"gone@{REALM}", "keytab": {"file": str(gone)}},
            f"Client 'gone@{REALM}' not found in Kerberos database",
        ),
        (
            {"principal": CENSUS, "keytab": mine, "service_name": "kavka"},
            f"no Kerberos ticket for kavka/127.0.0.1: Server kavka/127.0.0.1@{REALM} not found in Kerberos database",
        ),
        ({"ticket_cache": str(tmp_path / "none")}, "ticket for kafka/127.0.0.1: No credentials cache found"),
    ):
        assert reported in refused(doctored(config(tmp_path, cluster, **settings)))


def test_a_kdc_that_is_down_is_one_line(cluster: KafkaCluster, kdc: Kdc, tmp_path: Path) -> None:
    """The line says what to check; once the KDC is up it is used again."""
    keytab = kdc.keytab("patient")
    path = config(tmp_path, cluster, principal=f"patient@{REALM}", keytab={"file": str(keytab)})
    kdc.stop()
    try:
        said = refused(doctored(path))
    finally:
        kdc.start()
    assert f"Cannot contact any KDC for realm '{REALM}'; to do: check clusters.prod.sasl.kerberos, and the way " in said
    assert doctored(path).checks["SASL"]["state"] == "ok"


def test_a_kdc_that_says_nothing_is_not_waited_for(kdc: Kdc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library would try for a quarter of a minute; a ticket may be available later."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        monkeypatch.setenv("KRB5_CONFIG", str(kdc.conf("silent.conf", port=silent.getsockname()[1])))
        of_nobody = Kerberos(principal="silent", keytab=Keytab(Secret(text_of(kdc.keytab("silent")))))
        with pytest.raises(NoTicket, match=r"^the KDC gave no ticket within 0\.2 s$"):
            Tickets(of_nobody, 0.2).context("127.0.0.1")


@pytest.mark.parametrize("answer", [b"", b"nonsense"])
def test_a_broker_that_does_not_prove_itself_is_refused(kdc: Kdc, keytab: Path, answer: bytes) -> None:
    """It does not have the key of its service, so it receives nothing more."""
    tokens: list[bytes] = []

    def unproven(token: bytes) -> bytes:
        tokens.append(token)
        return answer

    with StandIn(sasl(unproven, ("GSSAPI",))) as broker:
        kerberos = Kerberos(principal=CENSUS, keytab=Keytab(Secret(text_of(keytab))))
        settings = ClusterSettings(
            "prod",
            (f"127.0.0.1:{broker.endpoint.port}",),
            security_protocol="SASL_PLAINTEXT",
            sasl=Sasl("GSSAPI", kerberos=kerberos),
        )
        with pytest.raises(AuthenticationFailed, match=r"the broker's GSSAPI exchange was refused: .*prod\.sasl$"):
            bootstrap(settings, CollectSettings())
    assert len(tokens) == 1


def text_of(keytab: Path) -> str:
    return b64encode(keytab.read_bytes()).decode()


def test_a_whole_run_tells_no_key(cluster: KafkaCluster, kdc: Kdc, keytab: Path, tmp_path: Path) -> None:
    """Under spark-submit, with an event log: the key is in no line, plan, event, file of the lake, or process."""
    folder = tmp_path / "run"
    events = folder / "events"
    conf = write_spark_conf(tmp_path / "spark-conf", events)
    others = {"tables": ["brokers"]}
    path = config(folder, cluster, others=others, principal=CENSUS, keytab={"file": str(keytab)})
    run = submit(conf, "kafka-census", "run", "--config", str(path), "--cluster", CLUSTER)
    with watched(run.pid) as processes:
        out, err = run.communicate(timeout=HANGS_S)
    assert run.returncode == 0, err[-3000:]
    canaries = Canaries(kdc.keys(keytab))
    assert canaries.seen_in(out + err) == set()
    assert canaries.files_with_one(folder) == {}
    assert any(b"worker_daemon" in one for one in processes.command_lines)
    assert "MapInArrow" in "".join(file.read_text(encoding="utf-8") for file in events.rglob("*") if file.is_file())
    assert canaries.seen_in(b"".join(processes.command_lines | processes.environments)) == set()


def test_a_broker_that_cannot_read_the_ticket_is_one_line(cluster: KafkaCluster, kdc: Kdc, tmp_path: Path) -> None:
    """Its service has a new key, and its keytab the old one. The last test: the broker accepts no client afterwards."""
    kdc.keytab(SERVICE)
    keytab = kdc.keytab("stranger")
    said = refused(doctored(config(tmp_path, cluster, principal=f"stranger@{REALM}", keytab={"file": str(keytab)})))
    assert "due to invalid credentials with SASL mechanism GSSAPI; to do: check clusters.prod.sasl" in said
