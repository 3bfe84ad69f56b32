"""Brokers of four releases accept an acks=all write, or refuse it, as the row of the partition says.

The minimum is capped at the number of replicas from 3.7 on. One replica with a minimum of 2 accepts every write
there, and none before. The broker's API ranges prove its release.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from confluent_kafka import KafkaError, Message, Producer

from e2e.operator import PUBLISH_INCOMPLETE, Operator
from harness import workload
from harness.kafka_cluster import KafkaCluster
from kafka_census.tables.brokers import BROKERS
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS

PROVEN = {"2.8.2": "2.8", "3.6.2": "3.5", "3.7.2": "3.7", "4.3.1": "4.3"}
"""The release that each version proves: 3.6 has the API ranges of 3.5."""

CAPPING = ("3.7.2", "4.3.1")
STOPPED = 3
TOPICS = {"one": ([1], 2), "two": ([1, 2], 3), "three": ([1, 2, 3], 2), "old": ([1], 2), "new": ([2], 2)}
"""Replicas and min.insync.replicas."""


@pytest.fixture(params=PROVEN)
def cluster(request: pytest.FixtureRequest) -> Iterator[KafkaCluster]:
    with KafkaCluster(brokers=3, version=request.param, heap="256m") as cluster:
        for name, (replicas, minimum) in TOPICS.items():
            workload.create_topic(cluster.admin_servers, name, assignment=[replicas], min_insync_replicas=minimum)
        cluster.stop_broker(STOPPED)
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


def surveyed(cluster: KafkaCluster, operator: Callable[..., Operator]) -> Operator:
    census = operator(cluster.admin_servers, "min-isr")
    census = replace(census, tables=(BROKERS, UNDER_MIN_ISR_PARTITIONS))
    ran = census.run("census", "--no-report", **PUBLISH_INCOMPLETE)
    assert (ran.code, ran.error) == (0, "")
    return census


def assert_rows_say_what_writes_meet(census: Operator, servers: str, *topics: str) -> dict[str, bool]:
    """Compare the row of each topic's only partition with a write; returns the result of the write by topic."""
    met = {topic: takes_a_write(servers, topic) for topic in topics}
    rows = {row.topic: row for row in census.current("under_min_isr_partitions").collect()}
    assert {topic: rows[topic].ready_for_acks_all for topic in topics} == met
    assert {topic: rows[topic].status == "UNDER" for topic in topics} == {
        topic: not took for topic, took in met.items()
    }
    return met


def test_rows_say_what_an_acks_all_write_meets(cluster: KafkaCluster, operator: Callable[..., Operator]) -> None:
    """One of one with minimum 2, two of two with minimum 3, two of three with minimum 2."""
    census = surveyed(cluster, operator)
    met = assert_rows_say_what_writes_meet(census, cluster.admin_servers, "one", "two", "three")
    capped = cluster.version in CAPPING
    assert met == {"one": capped, "two": capped, "three": True}
    proven = {row.broker_id: row.release_at_least for row in census.current("brokers").collect()}
    assert proven == {1: PROVEN[cluster.version], 2: PROVEN[cluster.version], STOPPED: None}


@pytest.mark.parametrize("cluster", ["3.6.2"], indirect=True)
def test_release_of_the_leader_decides_while_a_cluster_is_upgraded(
    cluster: KafkaCluster, operator: Callable[..., Operator]
) -> None:
    """Broker 2 already runs 3.7.2, in a cluster whose finalized metadata.version is that of 3.6."""
    cluster.start_broker(STOPPED)
    cluster.stop_broker(2)
    cluster.version = "3.7.2"
    cluster.start_broker(2)
    census = surveyed(cluster, operator)
    assert assert_rows_say_what_writes_meet(census, cluster.admin_servers, "old", "new") == {"old": False, "new": True}
    proven = {row.broker_id: row.release_at_least for row in census.current("brokers").collect()}
    assert proven == {1: PROVEN["3.6.2"], 2: PROVEN["3.7.2"], 3: PROVEN["3.6.2"]}
