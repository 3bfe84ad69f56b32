"""TLS, SASL and ACLs on real brokers: what works, what is one clear line, what an ACL hides."""

import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from e2e.operator import Operator, Ran
from harness import workload
from harness.broker import Listener
from harness.canaries import Canaries
from harness.doctored import doctored, written
from harness.kafka_cluster import KafkaCluster
from harness.oracle import command_line
from kafka_census.declarations.audit import PUBLICATIONS
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS
from kafka_census.upkeep.doctor.rights import RIGHTS

PASSWORD = "canary-7d02"
SASL = Listener("SASL", "SASL_PLAINTEXT", ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"))
TLS = Listener("TLS", "SASL_SSL", ("SCRAM-SHA-512",))
TOKENS = Listener("TOKENS", "SASL_SSL", ("OAUTHBEARER",))
MUTUAL = Listener("MUTUAL", "SSL")
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


def test_a_client_that_the_token_endpoint_refuses_is_one_line(
    secure: KafkaCluster, operator: Callable[..., Operator], tmp_path: Path
) -> None:
    """Without the secret, which the endpoint repeats; also in a traceback. (A run that ends: test_spark_cluster.py.)"""
    assert secure.issuer is not None
    secret = f"canary-client-{uuid.uuid4()}"
    (tmp_path / "client").write_text(secret, encoding="utf-8")
    with secure.issuer.endpoint("census", "another") as endpoint:
        credentials = {"client_id": "census", "client_secret": {"file": str(tmp_path / "client")}}
        sasl = {"mechanism": "OAUTHBEARER", "oauth": {"token_endpoint": {"url": endpoint.url, **credentials}}}
        failed = operator(**of(secure, "TOKENS", "SASL_SSL", **sasl)).run("ingest", "--debug")
    assert "Traceback" in failed.err
    assert "answered 401 (invalid_client: who is census, with ***?)" in failed.error
    assert Canaries([secret]).seen_in(failed.out + failed.err) == set()


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_every_mechanism_signs_in(secure: KafkaCluster, mechanism: str, tmp_path: Path) -> None:
    """The password comes from a file."""
    secret = tmp_path / "password"
    secret.write_text(PASSWORD)
    settings = of(secure, "SASL", "SASL_PLAINTEXT", mechanism=mechanism, password={"file": str(secret)})
    found = doctored(written(tmp_path, **settings))
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


@pytest.mark.parametrize("form", ["PEM", "PKCS#12"])
def test_a_client_is_known_by_its_certificate(secure: KafkaCluster, tmp_path: Path, form: str) -> None:
    """The listener requires a certificate; its key is encrypted. The broker's user is the one that `doctor` names."""
    assert secure.tls is not None
    key = tmp_path / "key-password"
    key.write_text(PASSWORD, encoding="utf-8")
    pem, store = secure.tls.client("mutual", PASSWORD)
    files: dict[str, Any] = {"cafile": str(secure.tls.cafile)}
    own = {"certfile": str(pem if form == "PEM" else store), "password": {"file": str(key)}}
    servers = secure.bootstrap("MUTUAL")
    found = doctored(written(tmp_path, servers, security_protocol="SSL", ssl={**files, **own}))
    assert (found.code, found.states("failed")) == (0, set())
    assert found.checks["rights"]["summary"].startswith("User:CN=mutual has all rights")
    without = doctored(written(tmp_path, servers, security_protocol="SSL", ssl=files))
    assert without.code == 1
    assert "the broker did not accept that we have no certificate" in " ".join(without.text.split())


def assert_one_line(ran: Ran, *words: str) -> None:
    assert ran.code == 1
    assert all(word in ran.error for word in ("'test'", *words)), ran.error
    assert "Traceback" not in ran.out + ran.err
    assert PASSWORD not in ran.out + ran.err


def test_a_wrong_password_is_one_line(
    secure: KafkaCluster, operator: Callable[..., Operator], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line names the broker, the error and the key; exit 1, nothing published."""
    monkeypatch.setenv("CENSUS_PASSWORD", "not-it")
    for mechanism in ("PLAIN", "SCRAM-SHA-256"):
        census = operator(**of(secure, "SASL", "SASL_PLAINTEXT", mechanism=mechanism), name="wrong")
        ran = census.run("census")
        assert_one_line(ran, "127.0.0.1:", "clusters.test.sasl")
        assert "not-it" not in ran.out + ran.err
        assert not Path(census.lake).exists()


def test_tls_to_a_plaintext_port_is_one_line(secure: KafkaCluster, operator: Callable[..., Operator]) -> None:
    settings = of(secure, "TLS", "SASL_SSL", mechanism="SCRAM-SHA-512")
    assert_one_line(operator(**{**settings, "servers": secure.bootstrap("SASL")}).run("census"), "TLS")
    plain = of(secure, "TLS", "SASL_PLAINTEXT", mechanism="SCRAM-SHA-512")
    assert_one_line(operator(**plain).run("census"), "security_protocol")


def test_a_certificate_of_nobody_we_know_is_one_line(secure: KafkaCluster, operator: Callable[..., Operator]) -> None:
    """Without the CA file the system's authorities are used, and do not know the issuer."""
    settings = of(secure, "TLS", "SASL_SSL", mechanism="SCRAM-SHA-512")
    settings.pop("ssl")
    assert_one_line(operator(**settings).run("census"), "certificate")


def topics(servers: str) -> set[str]:
    return set(workload.admin(servers).list_topics().topics)


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
    ran = census.run("census", "--no-report")
    assert (ran.code, ran.error) == (0, "")
    rows = census.rows(PUBLICATIONS).collect()
    assert {(row.visibility, row.is_complete) for row in rows} == {("proven", True)}
    assert Canaries([PASSWORD]).files_with_one(Path(census.lake)) == {}
