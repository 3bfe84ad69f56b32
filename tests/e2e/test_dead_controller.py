"""A controller that is dead while every broker works: the leader has not heard from it, which is no all-clear."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from e2e.operator import Operator
from harness import workload
from harness.kafka_cluster import KafkaCluster
from harness.oracle import ask
from kafka_census.tables.brokers import BROKERS
from kafka_census.tables.quorum import QUORUM
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS

TABLES = (UNDER_MIN_ISR_PARTITIONS, BROKERS, QUORUM)
ONE_BROKER = {
    f"{topic}.replication.factor": 1
    for topic in ("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")
}
WORDS = "offline,under_min_isr,unreachable,under_replicated,voters_behind,incomplete,not_known"


@pytest.fixture(scope="module")
def cluster() -> Iterator[KafkaCluster]:
    """One broker, and three controllers that are nothing else."""
    with KafkaCluster(brokers=1, controllers=3, heap="256m", properties=ONE_BROKER) as made:
        workload.create_topic(made.admin_servers, "orders")
        yield made


def leader(cluster: KafkaCluster) -> int:
    """The active controller, as the Java client reads it; no controller while there is no leader."""
    rows = ask(cluster.admin_servers, "quorum")
    return int(rows[0]["leader_id"]) if rows else -1


def test_a_dead_controller_is_reported_and_fails_a_run_that_asks_for_it(
    cluster: KafkaCluster, operator: Callable[..., Operator]
) -> None:
    """Of a healthy cluster nothing is wrong; then one line names the voter, and the exit code is that of a problem."""
    census = replace(operator(cluster.bootstrap_servers, "controllers"), tables=TABLES)
    healthy = census.run("census", "--fail-on", WORDS)
    assert (healthy.code, healthy.out.splitlines()[0].rpartition(": ")[2]) == (0, "nothing is wrong")

    dead = leader(cluster)
    assert dead in cluster.controllers
    cluster.kill_controller(dead)
    deadline = time.monotonic() + 60
    while leader(cluster) in (dead, -1):
        assert time.monotonic() < deadline, "no other controller is elected"
    found = census.run("census", "--fail-on", "voters_behind")
    (voter,) = [row for row in census.read("quorum") if (row["role"], row["replica_id"]) == ("voter", dead)]
    told = [voter[name] for name in ("caught_up", "log_end_offset", "reason")]
    assert told == [None, None, "the leader has not heard from it"]
    assert f"- 1 voter of the metadata quorum is not known to be caught up: {dead}" in found.out
    assert "nothing is wrong" not in found.out
    assert (found.code, found.error.rpartition(": ")[2]) == (4, "1 voters_behind")
