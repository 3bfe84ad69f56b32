"""Brokers of three releases in one cluster accept an acks=all write, or refuse it, as the row of the partition says.

The minimum is capped at the number of replicas where the leader is of 3.7 or later: one replica with a minimum of 2
accepts every write there, and none before. test_old_brokers.py shows the same of whole clusters of 2.8.2 and of 3.9.1.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from confluent_kafka import KafkaError, Message, Producer

from e2e.operator import Operator
from harness import workload
from harness.kafka_cluster import KafkaCluster
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS

RUNNING = {1: "3.6.2", 2: "3.7.2", 3: "4.3.1"}
PROVEN = {1: "3.5", 2: "3.7", 3: "4.3"}
"""The release that each broker proves: 3.6 has the API ranges of 3.5."""

TOPICS = {
    **{f"one-{leader}": ([leader], 2) for leader in RUNNING},
    **{f"two-{leader}": ([leader, leader % 3 + 1], 3) for leader in RUNNING},
    "enough-1": ([1, 2], 2),
}
"""Replicas, the leader first, and min.insync.replicas."""


@pytest.fixture
def cluster() -> Iterator[KafkaCluster]:
    """In the middle of an upgrade: the finalized metadata.version is that of 3.6."""
    with KafkaCluster(brokers=3, version=RUNNING[1], heap="256m") as cluster:
        for node in (2, 3):
            cluster.stop_broker(node)
            cluster.version = RUNNING[node]
            cluster.start_broker(node)
        for name, (replicas, minimum) in TOPICS.items():
            workload.create_topic(cluster.admin_servers, name, assignment=[replicas], min_insync_replicas=minimum)
        yield cluster


def takes_a_write(servers: str, topic: str) -> bool:
    """Whether an acks=all write succeeds; False where it gets NOT_ENOUGH_REPLICAS."""
    reported: list[KafkaError | None] = []

    def on_delivery(error: KafkaError | None, _message: Message) -> None:
        reported.append(error)

    producer = Producer({"bootstrap.servers": servers, "acks": "all", "retries": 0, "log_level": 0})
    producer.produce(topic, b"x", on_delivery=on_delivery)
    assert producer.flush(30) == 0
    (error,) = reported
    assert error is None or error.code() == KafkaError.NOT_ENOUGH_REPLICAS, error
    return error is None


def assert_rows_say_what_writes_meet(census: Operator, servers: str, took: dict[str, bool]) -> None:
    """Compare a row of each topic with a write, which succeeds or does not."""
    assert {topic: takes_a_write(servers, topic) for topic in took} == took
    rows = {row["topic"]: row for row in census.read("under_min_isr_partitions")}
    said = {topic: (rows[topic]["ready_for_acks_all"], rows[topic]["status"] == "UNDER") for topic in took}
    assert said == {topic: (ready, not ready) for topic, ready in took.items()}


def test_the_release_of_the_leader_decides_what_an_acks_all_write_meets(
    cluster: KafkaCluster, operator: Callable[..., Operator]
) -> None:
    census = replace(operator(cluster.admin_servers, "min-isr"), tables=(BROKERS, UNDER_MIN_ISR_PARTITIONS))
    census.done("census", "--no-report")
    took = {topic: topic not in ("one-1", "two-1") for topic in TOPICS}
    assert_rows_say_what_writes_meet(census, cluster.admin_servers, took)
    assert {row["broker_id"]: row["release_at_least"] for row in census.read("brokers")} == PROVEN
