"""Other clients, unmodified, read the same from both clusters."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from confluent_kafka import TopicCollection
from confluent_kafka.admin import (
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ConfigResource,
    ResourcePatternType,
    ResourceType,
)

from conformance.both import Emulated
from conformance.by_nature import Row, comparable
from e2e.listing import KEYED, LISTINGS
from harness.kafka_cluster import KafkaCluster
from harness.oracle import ask

KINDS = (
    *("cluster", "group", "coordinator", "partition", "config", "reassignment", "log_dir"),
    *dict.fromkeys(listing.kind for listing in (*LISTINGS, *KEYED)),
)


@pytest.fixture(scope="module")
def java(real: KafkaCluster, emulated: Emulated) -> tuple[dict[str, list[Row]], ...]:
    """The items of each kind that the Java AdminClient reads, from the real cluster and from brokers that page."""
    clusters = (real.bootstrap_servers, emulated(kip_1062=True))
    with ThreadPoolExecutor(2) as together:
        said = list(together.map(lambda servers: ask(servers, *KINDS), clusters))
    walk = {listing.kind: listing.name for listing in (*LISTINGS, *KEYED)}
    return tuple(
        {kind: comparable(walk.get(kind, kind), (row for row in rows if row["kind"] == kind)) for kind in KINDS}
        for rows in said
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_java_admin_client_reads_the_same(java: tuple[dict[str, list[Row]], ...], kind: str) -> None:
    """It does not know that brokers page; and items exist. (Those that do not page: librdkafka, below.)"""
    theirs, ours = (said[kind] for said in java)
    assert theirs
    assert ours == theirs


EVERY_ACL = AclBindingFilter(
    ResourceType.ANY, None, ResourcePatternType.ANY, None, None, AclOperation.ANY, AclPermissionType.ANY
)
READ = {
    "topics": lambda client: [
        {"topic": topic.topic, "partition": one.id, "leader": one.leader, "replicas": one.replicas, "isr": one.isrs}
        for topic in client.list_topics(timeout=20).topics.values()
        for one in topic.partitions.values()
    ],
    "groups": lambda client: [
        {"group_id": one.group_id, "state": one.state, "type": one.type, "simple": one.is_simple_consumer_group}
        for one in client.list_consumer_groups(request_timeout=20).result(30).valid
    ],
    "described topics": lambda client: [
        {"topic": one.name, "internal": one.is_internal, "partitions": len(one.partitions)}
        for one in results(client.describe_topics(TopicCollection(["orders", "moving", "__consumer_offsets"])))
    ],
    "described groups": lambda client: [
        {"group_id": one.group_id, "state": one.state, "type": one.type, "coordinator": one.coordinator.id}
        for one in results(client.describe_consumer_groups(["classic-live", "consumer-live", "polygenelubricants"]))
    ],
    "configs": lambda client: [
        {"name": one.name, "value": one.value, "source": one.source, "read_only": one.is_read_only}
        for configs in results(client.describe_configs([ConfigResource(ResourceType.TOPIC, "orders")]))
        for one in configs.values()
    ],
    "acls": lambda client: [{"acl": str(one)} for one in client.describe_acls(EVERY_ACL).result(30)],
    "scram users": lambda client: [
        {"user": user, "mechanism": str(one.mechanism), "iterations": one.iterations}
        for user, reported in client.describe_user_scram_credentials().result(30).items()
        for one in reported.scram_credential_infos
    ],
}
"""The calls of librdkafka's admin client, and the compared fields of its answers."""


def results(futures: Any) -> Iterator[Any]:
    return (future.result(30) for future in futures.values())


@pytest.mark.parametrize("what", READ)
def test_librdkafka_reads_the_same(real: KafkaCluster, emulated: Emulated, what: str) -> None:
    clients = [AdminClient({"bootstrap.servers": one, "log_level": 0}) for one in (real.bootstrap_servers, emulated())]
    theirs, ours = (comparable(what, READ[what](client)) for client in clients)
    assert theirs
    assert ours == theirs
