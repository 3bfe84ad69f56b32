"""One cluster in trouble, three censuses of it, and the answers of Kafka's own AdminClient for each.

The censuses: by a super user, with every table; by the principal `narrow`, who may see some objects; and with a broker
killed, in the lake of the first. Rows are plain dicts. The oracle is read directly after a census, once per census.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import pytest

from e2e.operator import ACCEPT_UNKNOWN, PUBLISH_INCOMPLETE, Operator, plain
from harness import workload
from harness.kafka_cluster import KafkaCluster
from harness.oracle import ask
from harness.trouble import LOST, PASSWORD, trouble
from kafka_census.tables import TABLES
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.without_spark import PublishedLake

Row = Mapping[str, Any]
Answer = TypeVar("Answer")
KINDS = (
    *("cluster", "group", "partition", "config", "reassignment", "log_dir", "transaction"),
    *("acl", "quota", "scram_user", "quorum"),
    *("classic_member", "consumer_member", "share_member", "streams_member"),
    *("group_offset", "share_offset", "group_coordinator"),
    *("earliest", "latest", "last_stable", "max_timestamp"),
    *("producer", "described_transaction", "transaction_coordinator"),
    *("node", "feature", "volume", "config_entry", "config_resource"),
)
"""The kinds that the oracle reads of a whole cluster."""

NARROW_CLIENT = {
    "security.protocol": "SASL_PLAINTEXT",
    "sasl.mechanism": "PLAIN",
    "sasl.jaas.config": "org.apache.kafka.common.security.plain.PlainLoginModule required "
    f'username="narrow" password="{PASSWORD}";',
}
"""Settings of the Java client as the principal `narrow`."""

NOT_ASKED_FOR = {
    "consumer_lag", "group_lag", "group_members", "coordinator_load", "topics", "topic_readiness", "changes"
}  # fmt: skip
"""Tables that its census lacks: they are computed of the same listings as its others, as for anyone."""


@dataclass(frozen=True)
class Surveyed:
    """The rows that a census published, and the answers of Kafka's own client.

    servers  the servers that both have read: the Java client without a password, or with it for `narrow`
    rows     the rows of each published table, and of this census in the audit table `publications`
    said     the oracle's answers, by kind
    """

    servers: str
    rows: Mapping[str, list[Row]]
    said: Mapping[str, list[Row]]


@pytest.fixture(scope="package")
def cluster() -> Iterator[KafkaCluster]:
    """The cluster in trouble, after all groups are stable."""
    with trouble() as cluster:
        settled(lambda: heard(cluster.admin_servers, "group", "share_offset", "streams_member"))
        yield cluster


@pytest.fixture(scope="package")
def lake(cluster: KafkaCluster, operator: Callable[..., Operator]) -> Operator:
    return replace(operator(cluster.bootstrap_servers, "trouble"), tables=TABLES)


@pytest.fixture(scope="package")
def whole(cluster: KafkaCluster, lake: Operator) -> Surveyed:
    """A census with all brokers, by a super user: nothing is refused."""
    return surveyed(lake, cluster.admin_servers)


@pytest.fixture(scope="package")
def narrow_lake(cluster: KafkaCluster, operator: Callable[..., Operator]) -> Operator:
    seen = tuple(table for table in TABLES if table.name not in NOT_ASKED_FOR)
    return replace(operator(cluster.bootstrap("SASL"), "narrow", **plain("narrow")), tables=seen)


@pytest.fixture(scope="package")
def narrow(whole: Surveyed, narrow_lake: Operator) -> Surveyed:
    """A census by the principal `narrow`, published explicitly."""
    accepted = {"CENSUS_PASSWORD": PASSWORD, **PUBLISH_INCOMPLETE, **ACCEPT_UNKNOWN}
    return surveyed(narrow_lake, narrow_lake.servers, **accepted)


@pytest.fixture(scope="package")
def killed(cluster: KafkaCluster, lake: Operator, whole: Surveyed, narrow: Surveyed) -> Surveyed:
    """A census with a broker killed and a config changed, published explicitly, in the first one's lake. Used last."""
    workload.set_config(cluster.admin_servers, "topic", "trimmed", {"retention.ms": 86_400_000})
    cluster.kill_broker(LOST)
    return surveyed(lake, cluster.admin_servers, **PUBLISH_INCOMPLETE)


def surveyed(census: Operator, servers: str, **environment: str) -> Surveyed:
    ran = census.run("census", "--no-report", **environment)
    assert (ran.code, ran.error) == (0, ""), ran.err[-3000:]
    properties = NARROW_CLIENT if "CENSUS_PASSWORD" in environment else None
    rows = {table.name: census.read(table.name) for table in census.tables}
    publications = PublishedLake(census.lake).publications.to_table().to_pylist()
    newest = max(row["census_id"] for row in publications)
    rows[PUBLICATIONS.name] = [row for row in publications if row["census_id"] == newest]
    return Surveyed(servers, rows, heard(servers, *KINDS, properties=properties))


def settled(look: Callable[[], Answer]) -> Answer:
    """The answer once two answers in sequence are equal."""
    before, deadline = None, time.monotonic() + 60
    while (now := look()) != before:
        assert time.monotonic() < deadline, "the cluster does not settle"
        before = now
    return now


def heard(servers: str, *kinds: str, properties: Mapping[str, str] | None = None) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in ask(servers, *kinds, properties=properties):
        found[row["kind"]].append(row)
    return found
