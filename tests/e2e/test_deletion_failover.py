"""Two real clusters behind one address, as after a fail-over of a VIP: nothing is sent to the other one.

Both advertise that address, so that each connection may reach the other cluster: that of the driver, of the task
that looks, and of the tasks that delete and restore, to the bootstrap server or to a coordinator.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions
from pyspark.sql import SparkSession

from e2e.test_groups_that_join import SCHEMAS, run
from harness import workload
from harness.deleting import OFFSET, Deleting
from harness.failover import Failover
from harness.kafka_cluster import KafkaCluster
from kafka_census.deletion.writing.check import check
from kafka_census.error_codes import ErrorCode

GROUPS = ["both-1", "both-2"]
SMALL = {"offsets.topic.replication.factor": 1, "offsets.topic.num.partitions": 1}
TO_DELETE, TO_RESTORE = 5, 3
"""Connections of an apply and of an undo: the driver's, and of each task one to the bootstrap server and one to the
coordinator. An apply has two tasks, one that looks and one that deletes."""


@dataclass
class Behind:
    """The address, and the clusters behind it."""

    front: Failover
    first: KafkaCluster
    second: KafkaCluster

    def lead(self, connections: int | None) -> None:
        """Lead only `connections` to the first cluster, all later ones to the second; None: all to the first."""
        self.front.connections, self.front.after = 0, connections


@pytest.fixture(scope="module")
def behind() -> Iterator[Behind]:
    with ExitStack() as stack:
        front = stack.enter_context(Failover("", ""))
        ports: list[int] = []

        def before(_node: int, _listener: str, port: int) -> int:
            ports.append(port)
            return front.endpoint.port

        made = [
            stack.enter_context(KafkaCluster(brokers=1, properties=SMALL, proxies=before, heap="192m"))
            for _ in range(2)
        ]
        front.first, front.second = (f"127.0.0.1:{port}" for port in ports)
        for cluster in made:
            workload.create_topic(cluster.admin_servers, "orders", 1, 1)
            workload.produce(cluster.admin_servers, "orders", 20_000)
            workload.commit_offsets(cluster.admin_servers, GROUPS, "orders", offset=OFFSET)
        yield Behind(front, *made)


def there(cluster: KafkaCluster) -> dict[str, int]:
    """The committed offset of each group that exists, as librdkafka reads it."""
    client = workload.admin(cluster.admin_servers)
    asked = [client.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)]) for group in GROUPS]
    answers = [future.result(30) for futures in asked for future in futures.values()]
    return {of.group_id: one.offset for of in answers for one in of.topic_partitions or ()}


def test_a_task_sends_nothing_to_another_cluster(behind: Behind) -> None:
    """At its connection to the bootstrap server, and at that to the coordinator: each group names both clusters."""
    first, second = behind.first.cluster_id, behind.second.cluster_id
    planned = [{"group_id": group, "group_type": None} for group in GROUPS]
    behind.lead(None)
    looked = run(check, behind.front.address, planned, first)
    rows = [one | {"offsets": looked[one["group_id"]]["offsets"]} for one in planned]
    for task, connections in product(SCHEMAS, (0, 1)):
        behind.lead(connections)
        found = run(task, behind.front.address, rows, first)
        of = "state" if task is check else "error"
        codes = {name: row[f"{of}_code"] for name, row in found.items()}
        assert codes == dict.fromkeys(GROUPS, ErrorCode.WRONG_CLUSTER)
        assert all(first in row[f"{of}_message"] and second in row[f"{of}_message"] for row in found.values())
        assert behind.front.connections > connections
    assert there(behind.first) == there(behind.second) == dict.fromkeys(GROUPS, OFFSET)


def test_a_run_that_met_another_cluster_is_taken_up_by_the_next(
    behind: Behind, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """At the last connection that fails over, the audit names the cluster that answered; the next run does the rest."""
    first, second, all_of_them = behind.first, behind.second, dict.fromkeys(GROUPS, OFFSET)
    folder = tmp_path_factory.mktemp("failover")
    deleting = Deleting(spark, folder, behind.front.address, first.cluster_id, ("orders",))
    plan_id = deleting.plan(GROUPS)

    def refused(step: str, connections: int) -> None:
        behind.lead(connections)
        reported = deleting.run(step, plan_id)
        assert reported.startswith(f"NotAllDone: 2 groups of plan {plan_id} are not ")
        assert "2 WRONG_CLUSTER" in reported
        last = deleting.reported(plan_id)[-len(GROUPS) :]
        assert {(row.step, row.outcome, row.error, row.sent) for row in last} == {
            (step, "failed", "WRONG_CLUSTER", False)
        }
        assert all(first.cluster_id in row.reason and second.cluster_id in row.reason for row in last)
        behind.lead(None)

    refused("apply", TO_DELETE - 1)
    assert (there(first), there(second)) == (all_of_them, all_of_them)
    assert deleting.run("apply", plan_id) == ""
    assert behind.front.connections == TO_DELETE
    assert (there(first), there(second)) == ({}, all_of_them)
    client = workload.admin(second.admin_servers)
    for done in client.delete_consumer_groups(GROUPS).values():
        done.result(30)
    refused("undo", TO_RESTORE - 1)
    assert (there(first), there(second)) == ({}, {})
    assert deleting.run("undo", plan_id) == ""
    assert (there(first), there(second)) == (all_of_them, {})
    behind.lead(0)
    reported = deleting.run("undo", plan_id)
    assert (
        f"is for cluster id {first.cluster_id}, but {second.cluster_id} answers as 'one': nothing was sent" in reported
    )
