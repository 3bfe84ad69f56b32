"""Two real clusters behind one address, as after a fail-over of a VIP: nothing is sent to the other one.

Both advertise that address, so that each connection of a task may reach the other cluster: that to the bootstrap
server, and that to a coordinator.
"""

from contextlib import ExitStack
from itertools import product

from confluent_kafka import ConsumerGroupTopicPartitions

from harness import workload
from harness.deleting import OFFSET, TASKS, in_a_task
from harness.failover import Failover
from harness.kafka_cluster import KafkaCluster
from kafka_census.deletion.writing.check import check
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol.settings import ClusterSettings

GROUPS = ["both-1", "both-2"]
SMALL = {"offsets.topic.replication.factor": 1, "offsets.topic.num.partitions": 1}


def there(cluster: KafkaCluster) -> dict[str, int]:
    """The committed offset of each group that exists, as librdkafka reads it."""
    client = workload.admin(cluster.admin_servers)
    asked = [client.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)]) for group in GROUPS]
    answers = [future.result(30) for futures in asked for future in futures.values()]
    return {of.group_id: one.offset for of in answers for one in of.topic_partitions or ()}


def test_a_task_sends_nothing_to_another_cluster() -> None:
    """Each group names both clusters."""
    with ExitStack() as stack:
        front = stack.enter_context(Failover("", ""))
        ports: list[int] = []

        def before(_node: int, _listener: str, port: int) -> int:
            ports.append(port)
            return front.endpoint.port

        first, second = (
            stack.enter_context(KafkaCluster(brokers=1, properties=SMALL, proxies=before, heap="192m"))
            for _ in range(2)
        )
        front.first, front.second = (f"127.0.0.1:{port}" for port in ports)
        for cluster in (first, second):
            workload.create_topic(cluster.admin_servers, "orders", 1, 1)
            workload.commit_offsets(cluster.admin_servers, GROUPS, "orders", offset=OFFSET)
        settings = ClusterSettings("one", (front.address,), cluster_id=first.cluster_id)
        planned = [{"group_id": group, "group_type": None} for group in GROUPS]
        looked = in_a_task(check, settings, planned)
        rows = [one | {"offsets": looked[one["group_id"]]["offsets"]} for one in planned]
        for do, connections in product(TASKS, (0, 1)):
            front.connections, front.after = 0, connections
            found = in_a_task(do, settings, rows).values()
            of = "state" if do is check else "error"
            assert {row[f"{of}_code"] for row in found} == {ErrorCode.WRONG_CLUSTER}
            named = [
                (first.cluster_id in row[f"{of}_message"], second.cluster_id in row[f"{of}_message"]) for row in found
            ]
            assert named == [(True, True)] * len(GROUPS)
            assert front.connections > connections
        assert there(first) == there(second) == dict.fromkeys(GROUPS, OFFSET)
