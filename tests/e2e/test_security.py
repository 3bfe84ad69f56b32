"""TLS, SASL and ACLs on real brokers: what works, what is one clear line, what an ACL hides."""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from e2e.listing import topics
from e2e.operator import Operator, Ran
from harness import workload
from harness.broker import Listener
from harness.canaries import Canaries, watched
from harness.doctored import Ran as Doctored
from harness.doctored import doctored, written
from harness.kafka_cluster import KafkaCluster
from harness.oracle import command_line
from harness.submitted import HANGS_S, submit, write_spark_conf
from kafka_census.declarations.audit import CALLS, PUBLICATIONS
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.config_drift.columns import CONFIG_DRIFT
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.scram_users.columns import SCRAM_USERS
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS
from kafka_census.upkeep.doctor.rights import RIGHTS

PASSWORD = "canary-7d02"
SASL = Listener("SASL", "SASL_PLAINTEXT", ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"))
TLS = Listener("TLS", "SASL_SSL", ("SCRAM-SHA-512",))
TOKENS = Listener("TOKENS", "SASL_SSL", ("OAUTHBEARER",))
MUTUAL = Listener("MUTUAL", "SSL")
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
LOGIN = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": SCRAM,
    "SCRAM-SHA-512": SCRAM,
    "OAUTHBEARER": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
}
PLAIN = {"mechanism": "PLAIN", "username": "census", "password": {"env": "CENSUS_PASSWORD"}}


@pytest.fixture(scope="module")
def secure() -> Iterator[KafkaCluster]:
    """StandardAuthorizer; `census` may describe everything, `fresh` nothing."""
    with KafkaCluster(
        brokers=2,
        listeners=(SASL, TLS, TOKENS, MUTUAL),
        users={"census": PASSWORD, "fresh": PASSWORD},
        authorizer=True,
        super_users=("CN=mutual",),
        properties={"offsets.topic.replication.factor": 1, "listener.name.mutual.ssl.client.auth": "required"},
    ) as cluster:
        servers = cluster.admin_servers
        workload.create_topic(servers, "orders", 2, 1)
        workload.commit_offsets(servers, ["left", "right"], "orders")
        for operation in ("DESCRIBE", "DESCRIBE_CONFIGS"):
            workload.allow(servers, "census", operation, "broker", "kafka-cluster")
            workload.allow(servers, "census", operation, "topic", "*")
        workload.allow(servers, "census", "DESCRIBE", "group", "*")
        workload.allow(servers, "census", "DESCRIBE", "transactional_id", "*")
        with workload.transactions(servers, "orders", done="done", undone="undone", still_open="open"):
            yield cluster


def of(secure: KafkaCluster, listener: str, protocol: str, **sasl: object) -> dict[str, Any]:
    how = sasl if "oauth" in sasl else {**PLAIN, **sasl}
    settings: dict[str, Any] = {"security_protocol": protocol, "allow_clear_password": True, "sasl": how}
    if protocol.endswith("SSL") and secure.tls:
        settings["ssl"] = {"cafile": str(secure.tls.cafile)}
    return {"servers": secure.bootstrap(listener), **settings}


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CENSUS_PASSWORD", PASSWORD)


def test_a_whole_run_tells_no_secret(
    secure: KafkaCluster, operator: Callable[..., Operator], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client's secret, tokens, key and passwords are in no line, plan, event, file of the lake, or process.

    Under spark-submit, with an event log, which contains the plans; all secrets are in a client.properties. Then a run
    that fails, with its traceback.
    """
    monkeypatch.delenv("CENSUS_PASSWORD")
    assert secure.issuer is not None
    assert secure.tls is not None
    client, key, trust = (f"canary-{word}-{uuid.uuid4()}" for word in ("client", "key", "trust"))
    for name, secret in {"client": client, "key": key, "trust": trust}.items():
        (tmp_path / name).write_text(secret, encoding="utf-8")
    _, store = secure.tls.client("census", key)
    files = {"cafile": str(secure.tls.truststore(trust)), "cafile_password": {"file": str(tmp_path / "trust")}}
    own = {"certfile": str(store), "password": {"file": str(tmp_path / "key")}}
    with secure.issuer.endpoint("census", client) as endpoint:
        credentials = {"client_id": "census", "client_secret": {"file": str(tmp_path / "client")}}
        sasl = {"mechanism": "OAUTHBEARER", "oauth": {"token_endpoint": {"url": endpoint.url, **credentials}}}
        settings = {**of(secure, "TOKENS", "SASL_SSL", **sasl), "ssl": {**files, **own}}
        census = replace(operator(**settings, name="canaries"), tables=(SCRAM_USERS, CONFIG_DRIFT))
        events = census.folder / "events"
        conf = write_spark_conf(tmp_path / "spark-conf", events)
        file = properties(
            tmp_path,
            {"security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER"},
            {"sasl.login.callback.handler.class": LOGIN["OAUTHBEARER"].replace("Module", "CallbackHandler")},
            {"sasl.oauthbearer.token.endpoint.url": endpoint.url},
            jaas("OAUTHBEARER", clientId="census", clientSecret=client),
            {"ssl.truststore.location": files["cafile"], "ssl.truststore.password": trust},
            {"ssl.keystore.location": store, "ssl.keystore.password": key, "ssl.keystore.type": "PKCS12"},
        )
        monkeypatch.setenv("KAFKA_CENSUS__TABLES", "scram_users,config_drift")
        brokers = ("--bootstrap-server", secure.bootstrap("TOKENS"), "--command-config", str(file))
        run = submit(conf, "kafka-census", "run", *brokers, "--cluster", "test", "--lake", census.lake)
        with watched(run.pid) as processes:
            out, err = run.communicate(timeout=HANGS_S)
        assert run.returncode == 0, err[-3000:]
        assert processes.unseen(b"SparkSubmit", b"worker_daemon") == []
        assert {row.errors for row in census.rows(CALLS).select("errors").distinct().collect()} == {0}
        # Brokers have the password in their configuration.
        canaries = Canaries([client, key, trust, PASSWORD, *(token.rpartition(".")[2] for token in endpoint.issued)])
        assert len(endpoint.issued) >= 2  # the driver's, and those of Spark's Python workers
        assert canaries.seen_in(out + err) == set()
        assert canaries.files_with_one(census.folder) == {}
        assert "MapInArrow" in "".join(path.read_text(encoding="utf-8") for path in events.rglob("*") if path.is_file())
        assert canaries.seen_in(b"".join(processes.command_lines | processes.environments)) == set()

        endpoint.client = ("census", "another")
        failed = census.run("ingest", "--debug")
    assert "Traceback" in failed.err
    assert "answered 401 (invalid_client: who is census, with ***?)" in failed.error
    assert canaries.seen_in(failed.out + failed.err) == set()


def properties(folder: Path, *some: Mapping[str, object]) -> Path:
    """A client.properties."""
    path = folder / "client.properties"
    lines = [f"{key}={value}\n" for each in some for key, value in each.items()]
    path.write_text("".join(lines), encoding="latin-1")
    return path


def jaas(mechanism: str, **options: str) -> Mapping[str, object]:
    given = " ".join(f'{key}="{value}"' for key, value in options.items())
    return {"sasl.jaas.config": f"{LOGIN[mechanism]} required {given};"}


def doctored_as_kafkas_tools_read_it(servers: str, file: Path) -> Doctored:
    """What the doctor says of a client.properties with which a tool of Kafka's has listed the topics."""
    listed = command_line(servers, "org.apache.kafka.tools.TopicCommand", "--list", file=file)
    assert "orders" in listed.split()
    return doctored(None, "--bootstrap-server", servers, "--command-config", str(file))


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_every_mechanism_signs_in(secure: KafkaCluster, mechanism: str, tmp_path: Path) -> None:
    protocol = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": mechanism}
    file = properties(tmp_path, protocol, jaas(mechanism, username="census", password=PASSWORD))
    found = doctored_as_kafkas_tools_read_it(secure.bootstrap("SASL"), file)
    assert found.checks["SASL"]["summary"] == f"'census' signs in by {mechanism}"
    assert PASSWORD not in found.text


def test_a_token_is_renewed_in_its_file_while_nobody_looks(secure: KafkaCluster, tmp_path: Path) -> None:
    """A broker verifies signature, issuer and audience with the issuer's keys; `doctor` knows the subject."""
    assert secure.issuer is not None
    file = tmp_path / "token"
    file.write_text(secure.issuer.token("census", -60), encoding="utf-8")
    sasl = {"mechanism": "OAUTHBEARER", "oauth": {"token": {"file": str(file)}}}
    config = written(tmp_path, **of(secure, "TOKENS", "SASL_SSL", **sasl))
    ended = doctored(config)
    assert (ended.code, ended.states("failed")) == (1, {"SASL"})
    (detail, *_) = ended.details("SASL")
    assert "the broker refused the token (invalid_token): it expired at " in detail
    assert detail.endswith("check clusters.prod.sasl")
    file.write_text(secure.issuer.token("census"), encoding="utf-8")
    found = doctored(config)
    assert found.checks["SASL"]["summary"] == "'census' signs in by OAUTHBEARER"
    # For all tables; any user but `census` lacks more than Read on topics.
    assert found.checks["rights"]["summary"] == "User:census lacks 1 right"
    for text in (ended.text, found.text):
        assert file.read_text(encoding="utf-8").rpartition(".")[2] not in text


def inline(text: str) -> str:
    """A text of several lines as one value."""
    return text.replace("\n", "\\n")


@pytest.mark.parametrize("form", ["PEM", "PKCS#12"])
def test_a_client_is_known_by_its_certificate(secure: KafkaCluster, tmp_path: Path, form: str) -> None:
    """The listener requires a certificate. The broker's user is the one that `doctor` names.

    PEM texts stand in client.properties itself, as Kafka's tools take them; of an encrypted key Java knows no PBES2.
    """
    assert secure.tls is not None
    pem, store = secure.tls.client("mutual", PASSWORD)
    key, begin, certificate = pem.read_text(encoding="ascii").partition("-----BEGIN CERTIFICATE")
    trusted = {"ssl.truststore.certificates": inline(secure.tls.cafile.read_text(encoding="ascii"))}
    plain = load_pem_private_key(key.encode(), PASSWORD.encode()).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    chain = {"ssl.keystore.certificate.chain": inline(begin + certificate), "ssl.keystore.type": "PEM"}
    how: dict[str, object] = {**trusted, **chain, "ssl.keystore.key": inline(plain.decode())}
    encrypted = {**trusted, **chain, "ssl.keystore.key": inline(key), "ssl.key.password": PASSWORD}
    if form == "PKCS#12":
        trusted = {"ssl.truststore.location": str(secure.tls.cafile)}
        how = {**trusted, "ssl.keystore.location": store, "ssl.keystore.password": PASSWORD}
    servers, protocol = secure.bootstrap("MUTUAL"), {"security.protocol": "SSL", "ssl.truststore.type": "PEM"}
    found = doctored_as_kafkas_tools_read_it(servers, properties(tmp_path, protocol, how))
    assert (found.code, found.states("failed")) == (0, set())
    assert found.checks["rights"]["summary"].startswith("User:CN=mutual has all rights")
    if form == "PEM":
        file = properties(tmp_path, protocol, encrypted)
        assert doctored(None, "--bootstrap-server", servers, "--command-config", str(file)).code == 0
    file = properties(tmp_path, protocol, trusted)
    without = doctored(None, "--bootstrap-server", servers, "--command-config", str(file))
    assert without.code == 1
    assert "the broker did not accept that we have no certificate" in " ".join(without.text.split())


def assert_one_line(ran: Ran, *words: str) -> None:
    assert ran.code == 1
    assert all(word in ran.error for word in ("'test'", *words)), ran.error
    assert "Traceback" not in ran.out + ran.err
    assert PASSWORD not in ran.out + ran.err


def test_what_does_not_fit_is_one_line(
    secure: KafkaCluster, operator: Callable[..., Operator], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line names the broker, the error and the key; exit 1, nothing published.

    TLS to a port of plain text, and the reverse; without the CA file the system's authorities are used, and do not know
    the issuer; a wrong password.
    """
    tls, plain = (of(secure, "TLS", one, mechanism="SCRAM-SHA-512") for one in ("SASL_SSL", "SASL_PLAINTEXT"))
    assert_one_line(operator(**{**tls, "servers": secure.bootstrap("SASL")}).run("census"), "TLS")
    assert_one_line(operator(**plain).run("census"), "security_protocol")
    tls.pop("ssl")
    assert_one_line(operator(**tls).run("census"), "certificate")
    monkeypatch.setenv("CENSUS_PASSWORD", "not-it")
    for mechanism in ("PLAIN", "SCRAM-SHA-256"):
        census = operator(**of(secure, "SASL", "SASL_PLAINTEXT", mechanism=mechanism), name="wrong")
        ran = census.run("census")
        assert_one_line(ran, "127.0.0.1:", "clusters.test.sasl")
        assert "not-it" not in ran.out + ran.err
        assert not Path(census.lake).exists()


def test_who_pastes_what_the_doctor_prints_has_a_census_that_is_proven_to_see_all(
    secure: KafkaCluster, operator: Callable[..., Operator], tmp_path: Path
) -> None:
    """Kafka's own tool accepts its lines; the doctor created no topic. The last test: the ACLs stay."""
    servers = secure.admin_servers
    settings = of(secure, "TLS", "SASL_SSL", mechanism="SCRAM-SHA-512", username="fresh")
    listings = (GROUP_COORDINATOR_PLACEMENT, TRANSACTION_COORDINATOR_PLACEMENT, UNDER_MIN_ISR_PARTITIONS)
    fresh = replace(operator(**settings, name="fresh"), tables=TABLES)
    before = topics(servers)
    found = doctored(fresh.config)
    assert (found.code, found.states("failed"), found.states("not_checked")) == (1, {"rights"}, {"visibility"})
    assert {one["where"] for one in found.checks["rights"]["details"]} == set(map(str, RIGHTS))
    for words in found.pasted(tmp_path):
        assert words[:3] == ["kafka-acls", "--bootstrap-server", "HOST:PORT"]
        command_line(servers, "org.apache.kafka.tools.AclCommand", *words[3:])
    deadline = time.monotonic() + 30
    while (found := doctored(fresh.config)).code and time.monotonic() < deadline:
        time.sleep(0.2)
    # The remaining warning is a certificate of one day.
    assert (found.code, found.states("warning"), found.states("not_checked")) == (0, {"TLS"}, set())
    assert found.checks["clock"]["summary"].endswith("the active controller")
    assert float(found.json["seconds"]) < 5
    assert PASSWORD not in found.text + str(found.json)
    assert topics(servers) == before

    census = replace(fresh, tables=listings)
    census.done("census", "--no-report")
    rows = census.rows(PUBLICATIONS).collect()
    assert {(row.visibility, row.is_complete) for row in rows} == {("proven", True)}
