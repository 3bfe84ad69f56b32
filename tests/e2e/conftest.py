"""Special clusters, each started once: one of a single broker, and one of which a broker loses a disk, then itself."""

from collections.abc import Callable, Iterator

import pytest

from e2e.losses import Losses, losses
from e2e.operator import Operator
from harness.broker import Listener
from harness.kafka_cluster import PLAINTEXT, KafkaCluster

PASSWORD = "canary-acls"
SASL = Listener("SASL", "SASL_PLAINTEXT", ("PLAIN",))


@pytest.fixture(scope="package")
def single() -> Iterator[KafkaCluster]:
    """One broker; what no ACL names is allowed."""
    one = ("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")
    quick = {f"group.consumer.{name}heartbeat.interval.ms": 500 for name in ("", "min.")}
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
def lost(operator: Callable[..., Operator]) -> Losses:
    """Six censuses of a cluster of which a broker loses a disk, gets it back, and then goes for good."""
    return losses(operator)
