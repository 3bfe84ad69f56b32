"""One cluster in trouble, three censuses of it, and the answers of Kafka's own AdminClient for each.

The censuses: by a super user, with every table; by the principal `narrow`, who may see some objects; and with a broker
killed, in the lake of the first. The last two lack tables that say nothing new then: tests/spark has their rows. Rows
are plain dicts. The oracle is read directly after a census, once per census.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

import kafka_census
from e2e.listing import await_rest
from e2e.operator import ACCEPT_UNKNOWN, PUBLISH_INCOMPLETE, Operator, plain
from harness import workload
from harness.kafka_cluster import KafkaCluster
from harness.oracle import ask
from harness.trouble import LOST, PASSWORD, WITH_RECORDS, trouble
from kafka_census.declarations.audit import PUBLICATIONS
from kafka_census.declarations.table import Table
from kafka_census.tables.all_tables import TABLES

Row = Mapping[str, Any]
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

AS_WITH_ALL_BROKERS = {
    *("acl_inventory", "quotas", "scram_users", "changes"),
    *("topic_readiness", "coordinator_load", "group_lag", "group_members", "reassignment_backlog_by_broker"),
}
"""Tables that need no broker of its own, or sum up others: the census with a broker killed lacks them."""

OF_THE_NARROW = {
    *("group_coordinator_placement", "transaction_coordinator_placement", "hanging_transactions"),
    *("under_min_isr_partitions", "configs", "config_drift", "acl_inventory", "brokers", "producer_state"),
}
"""The tables of the census of `narrow`, with those that they are made of: others are refused or hidden as these are."""


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

    @property
    def census_id(self) -> str:
        """The id of the census."""
        (found,) = {row["census_id"] for row in self.rows[PUBLICATIONS.name]}
        return str(found)

    def of(self, name: str) -> dict[Any, Row]:
        """The rows of a published table by its key."""
        (table,) = (table for table in TABLES if table.name == name)
        return by(self.rows[name], *table.key)


def by(rows: Iterable[Row], *names: str) -> dict[Any, Row]:
    """Rows by their unique key: a single value, or a tuple."""
    keyed = [(row[names[0]] if len(names) == 1 else tuple(row[name] for name in names), row) for row in rows]
    found = dict(keyed)
    assert len(found) == len(keyed)
    return found


@pytest.fixture(scope="package")
def cluster() -> Iterator[KafkaCluster]:
    """The cluster in trouble, after all groups are stable."""
    with trouble() as cluster:
        await_rest(cluster.admin_servers, "share-live", WITH_RECORDS)
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
    return replace(operator(cluster.bootstrap("SASL"), "narrow", **plain("narrow")), tables=of_them(OF_THE_NARROW))


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
    return surveyed(
        replace(lake, tables=of_them({table.name for table in TABLES} - AS_WITH_ALL_BROKERS)),
        cluster.admin_servers,
        **PUBLISH_INCOMPLETE,
    )


def of_them(names: Collection[str]) -> tuple[Table, ...]:
    return tuple(table for table in TABLES if table.name in names)


def surveyed(census: Operator, servers: str, **environment: str) -> Surveyed:
    census.done("census", "--no-report", **environment)
    properties = NARROW_CLIENT if "CENSUS_PASSWORD" in environment else None
    names = [table.name for table in census.tables]
    published = zip(names, kafka_census.current(census.lake, *names), strict=True)
    rows = {name: one.to_table().to_pylist() for name, one in published}
    publications = census.stored(PUBLICATIONS)
    newest = max(row["census_id"] for row in publications)
    rows[PUBLICATIONS.name] = [row for row in publications if row["census_id"] == newest]
    return Surveyed(servers, rows, heard(servers, *KINDS, properties=properties))


def heard(servers: str, *kinds: str, properties: Mapping[str, str] | None = None) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in ask(servers, *kinds, properties=properties):
        found[row["kind"]].append(row)
    return found
