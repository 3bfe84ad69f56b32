"""Two clusters, each started once: of one broker, and of two that start empty."""

from collections.abc import Iterator

import pytest

from harness.broker import Listener
from harness.kafka_cluster import PLAINTEXT, KafkaCluster
from harness.proxy import CountingProxy

PASSWORD = "canary-acls"
SASL = Listener("SASL", "SASL_PLAINTEXT", ("PLAIN",))
HEARTBEAT_MS = 200

EXTERNAL = Listener("EXTERNAL", brokers=(1,))
SHARED, COUNTED = Listener("SHARED"), Listener("COUNTED")
"""Listeners of the two: both brokers advertise one address of the first; a counting proxy is in front of the second."""


@pytest.fixture(scope="package")
def single() -> Iterator[KafkaCluster]:
    """One broker; what no ACL names is allowed."""
    one = ("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")
    quick = {f"group.consumer.{name}heartbeat.interval.ms": HEARTBEAT_MS for name in ("", "min.")}
    with KafkaCluster(
        brokers=1,
        listeners=(PLAINTEXT, SASL),
        users={"census": PASSWORD},
        authorizer=True,
        properties={
            "allow.everyone.if.no.acl.found": "true",
            **{f"{topic}.replication.factor": 1 for topic in one},
            **quick,
        },
    ) as cluster:
        yield cluster


@pytest.fixture(scope="package")
def proxy() -> Iterator[CountingProxy]:
    with CountingProxy() as counting:
        yield counting


@pytest.fixture(scope="package")
def pair(proxy: CountingProxy) -> Iterator[KafkaCluster]:
    """Two brokers, of which one lacks the listener EXTERNAL; nothing is in them at first."""
    shared: list[int] = []

    def advertised(node: int, listener: str, port: int) -> int:
        if listener == SHARED.name:
            shared.append(port)
            return shared[0]
        return proxy(node, listener, port) if listener == COUNTED.name else port

    with KafkaCluster(
        brokers=2,
        listeners=(PLAINTEXT, EXTERNAL, SHARED, COUNTED),
        properties={"offsets.topic.replication.factor": 1},
        proxies=advertised,
    ) as cluster:
        yield cluster
