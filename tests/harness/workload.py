"""The content of a cluster under test: topics, records, groups, moves, ACLs.

All functions take `servers`, the cluster's `admin_servers`: the listener without security or
proxy. Each returns when the brokers have completed the request.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from kafka import KafkaAdminClient
from kafka import TopicPartition as Partition
from kafka.protocol.admin import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from kafka.structs import OffsetAndMetadata

from harness import wire
from harness.kafka_cluster import KafkaCluster
from harness.live import Live
from harness.oracle import command_line

_RECORD = 10_000
_TIMEOUT_S = 10.0
"""Seconds for one commit of an offset; librdkafka loses some that were sent while coordinators load."""
_ASK_AGAIN = (KafkaError.COORDINATOR_LOAD_IN_PROGRESS, KafkaError.COORDINATOR_NOT_AVAILABLE, KafkaError.NOT_COORDINATOR)


def admin(servers: str) -> AdminClient:
    """librdkafka's admin client, silent about stopped brokers. Keep a reference: its futures fail without it."""
    return AdminClient({"bootstrap.servers": servers, "log_level": 0})


def create_topic(
    servers: str,
    name: str,
    partitions: int = 1,
    replication: int = 1,
    assignment: Sequence[Sequence[int]] | None = None,
    **configs: object,
) -> None:
    """Create a topic; `assignment` gives the replicas of each partition. Config names have _ in place of dots."""
    config = {key.replace("_", "."): str(value) for key, value in configs.items()}
    if assignment is None:
        topic = NewTopic(name, partitions, replication_factor=replication, config=config)
    else:
        placed = [list(replicas) for replicas in assignment]
        topic = NewTopic(name, len(placed), replica_assignment=placed, config=config)
    client = admin(servers)
    _all(client.create_topics([topic], operation_timeout=30))


def produce(
    servers: str, topic: str, size: int, partition: int = 0, *, idempotent: bool = False, key: bytes | None = None
) -> None:
    """About `size` bytes of records that do not compress, into one partition, acknowledged; all of one key, if any."""
    safety = {"enable.idempotence": True} if idempotent else {"acks": 1}
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 20, "log_level": 0, **safety})
    record = os.urandom(_RECORD)
    for _ in range(max(1, size // _RECORD)):
        producer.produce(topic, record, key, partition)
        producer.poll(0)
    if producer.flush(60):
        raise TimeoutError(f"records for {topic} were not acknowledged")


def delete_topic(servers: str, name: str) -> None:
    client = admin(servers)
    _all(client.delete_topics([name], operation_timeout=30))


def delete_records(servers: str, topic: str, before: int, partition: int = 0) -> None:
    """Delete records: the log then starts at the offset `before`."""
    client = admin(servers)
    _all(client.delete_records([TopicPartition(topic, partition, before)]))


def add_partitions(servers: str, topic: str, total: int, assignment: Sequence[Sequence[int]]) -> None:
    client = admin(servers)
    more = NewPartitions(topic, total, replica_assignment=[list(replicas) for replicas in assignment])
    _all(client.create_partitions([more], operation_timeout=30))


def move_log_dir(servers: str, topic: str, node: int, log_dir: str, partition: int = 0) -> None:
    """Start the move of a broker's replica to another of its log dirs."""
    with closing(KafkaAdminClient(bootstrap_servers=servers.split(","))) as client:
        moved = client.alter_replica_log_dirs({(topic, partition, node): log_dir})
    assert not any(error.errno for error in moved.values()), moved


def topics_and_groups(servers: str, *, topics: int, groups: int) -> None:
    """Create topics of three partitions, every second one with two replicas, and groups with an offset in topic-0."""
    for number in range(topics):
        create_topic(servers, f"topic-{number}", 3, 1 + number % 2, min_insync_replicas=2)
    commit_offsets(servers, [f"group-{number}" for number in range(groups)], "topic-0")


def commit_offsets(servers: str, groups: Iterable[str], topic: str, partition: int = 0, offset: int = 0) -> None:
    """Commit one offset per group, without members; hundreds of groups per second.

    The first commit creates `__consumer_offsets`; commits that loading coordinators refuse are sent again.
    """
    client = admin(servers)
    wanted = list(groups)
    deadline = time.monotonic() + 90
    while wanted:
        if time.monotonic() > deadline:
            raise TimeoutError(f"offsets of {len(wanted)} groups were not taken, such as {wanted[0]!r}")
        pending = {group: _commit(client, group, TopicPartition(topic, partition, offset)) for group in wanted}
        wanted = [group for group, future in pending.items() if not _taken(future)]
        time.sleep(0.2 if wanted else 0)


def _commit(client: AdminClient, group: str, where: TopicPartition) -> "Future[ConsumerGroupTopicPartitions]":
    (future,) = client.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, [where])]).values()
    return future


def _taken(future: "Future[ConsumerGroupTopicPartitions]") -> bool:
    """Whether the coordinator accepted the offset; false where a retry may help. Raises KafkaException."""
    try:
        refusals = [where.error for where in future.result(_TIMEOUT_S).topic_partitions if where.error]
    except TimeoutError:
        return False
    except KafkaException as error:
        refusals = [error.args[0]]
    for refusal in refusals:
        if not refusal.retriable() and refusal.code() not in _ASK_AGAIN:
            raise KafkaException(refusal)
    return not refusals


def commit_offset(servers: str, group: str, topic: str, offset: int = 0, leader_epoch: int = -1) -> None:
    """Commit with values that brokers accept and librdkafka does not send: the group id "", or a leader epoch."""
    with closing(KafkaAdminClient(bootstrap_servers=servers.split(","))) as client:
        client.alter_group_offsets(group, {Partition(topic, 0): OffsetAndMetadata(offset, "", leader_epoch)})


class LiveGroups(Live):
    """Groups with live members, one consumer each; `settings` are more of librdkafka's, such as group.protocol."""

    def __init__(
        self, servers: str, topic: str, groups: Sequence[str], log: Path, settings: Mapping[str, str] | None = None
    ) -> None:
        command = [sys.executable, "-m", "harness.members", servers, topic, json.dumps(dict(settings or {})), *groups]
        paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        super().__init__(command, log, {"PYTHONPATH": os.pathsep.join(filter(None, paths))})


def read_from_start(servers: str, group: str, topic: str) -> None:
    """Create a share group without members that starts at the beginning of a topic."""
    where = (f"--group={group}", f"--topic={topic}", "--to-earliest")
    command_line(
        servers, "org.apache.kafka.tools.consumer.group.ShareGroupCommand", "--reset-offsets", *where, "--execute"
    )


def throttle(servers: str, topics: Iterable[str], brokers: Iterable[int], rate: int = 1) -> None:
    """Throttle moves of these topics to `rate` bytes per second and broker: they do not end by themselves."""
    for topic in topics:
        replicas = {"leader.replication.throttled.replicas": "*", "follower.replication.throttled.replicas": "*"}
        set_config(servers, "topic", topic, replicas)
    for broker in brokers:
        rates = {"leader.replication.throttled.rate": rate, "follower.replication.throttled.rate": rate}
        set_config(servers, "broker", str(broker), rates)


def set_config(servers: str, kind: str, name: str, values: Mapping[str, object]) -> None:
    """Set configs of a topic, group or broker; the broker "": of all brokers, about which librdkafka sends nothing."""
    if not name:
        changes = [(key, AlterConfigOpType.SET.value, str(value)) for key, value in values.items()]
        alter = IncrementalAlterConfigsRequest(
            resources=[(ResourceType.BROKER.value, "", changes)], validate_only=False
        )
        answer = wire.send(servers.split(",", maxsplit=1)[0], alter, IncrementalAlterConfigsResponse, 1)
        assert not any(one.error_code for one in answer.responses), answer
        return
    entries = [
        ConfigEntry(key, str(value), incremental_operation=AlterConfigOpType.SET) for key, value in values.items()
    ]
    resource = ConfigResource(ResourceType[kind.upper()], name, incremental_configs=entries)
    client = admin(servers)
    _all(client.incremental_alter_configs([resource]))


def reassign(servers: str, moves: Mapping[tuple[str, int], Sequence[int] | None]) -> None:
    """Start moving partitions, (topic, partition) -> new replicas; None cancels."""
    wanted = {Partition(*where): None if to is None else list(to) for where, to in moves.items()}
    with closing(KafkaAdminClient(bootstrap_servers=servers.split(","))) as client:
        refused = {where: error for where, error in client.alter_partition_reassignments(wanted).items() if error}
    assert not refused, refused


def allow(
    servers: str,
    user: str,
    operation: str,
    kind: str,
    name: str,
    *,
    prefix: bool = False,
    host: str = "*",
    permission: str = "ALLOW",
) -> None:
    """An ACL: `user` may do `operation` (DESCRIBE, READ...) on `kind` (topic, group, broker: the cluster) `name`."""
    binding = AclBinding(
        ResourceType[kind.upper()],
        name,
        ResourcePatternType.PREFIXED if prefix else ResourcePatternType.LITERAL,
        f"User:{user}",
        host,
        AclOperation[operation.upper()],
        AclPermissionType[permission],
    )
    client = admin(servers)
    _all(client.create_acls([binding]))


def forget_acls(servers: str, kind: str) -> None:
    """Delete the ACLs of this type of resource, which the authorizers then no longer apply."""
    which = AclBindingFilter(
        *(ResourceType[kind.upper()], None, ResourcePatternType.ANY, None, None),
        *(AclOperation.ANY, AclPermissionType.ANY),
    )
    client = admin(servers)
    _all(client.delete_acls([which]))
    while client.describe_acls(which).result():
        time.sleep(0.1)


def quotas(servers: str, entities: Iterable[tuple[Mapping[Any, str | None], Mapping[Any, float]]]) -> None:
    """Set quotas by entity, which maps user, client-id or ip to a name; None: the default."""
    entries = [
        (list(entity.items()), [(key, value, False) for key, value in values.items()]) for entity, values in entities
    ]
    request = AlterClientQuotasRequest(entries=entries, validate_only=False)
    answer = wire.send(servers.split(",", maxsplit=1)[0], request, AlterClientQuotasResponse, 1)
    assert not any(entry.error_code for entry in answer.entries), answer


def scram_user(servers: str, user: str, mechanism: str, iterations: int) -> None:
    credential = ScramCredentialInfo(ScramMechanism[mechanism.replace("-", "_")], iterations)
    client = admin(servers)
    _all(client.alter_user_scram_credentials([UserScramCredentialUpsertion(user, credential, b"a password")]))


@contextmanager
def transactions(servers: str, topic: str, *, done: str, undone: str, still_open: str) -> Iterator[None]:
    """Three transactional ids: one has committed, one has aborted, one is in a transaction until the block ends."""
    # Longer than the tests: otherwise the coordinator aborts open transactions.
    common = {"bootstrap.servers": servers, "log_level": 0, "transaction.timeout.ms": 900_000}
    producers = {name: Producer({**common, "transactional.id": name}) for name in (done, undone, still_open)}
    for producer in producers.values():
        producer.init_transactions(60)
        producer.begin_transaction()
        producer.produce(topic, b"in a transaction", partition=0)
        producer.flush(60)
    producers[done].commit_transaction(60)
    producers[undone].abort_transaction(60)
    yield


def hanging_transaction(
    cluster: KafkaCluster, topic: str, transactional_id: str, node: int, meanwhile: Callable[[], None] = lambda: None
) -> None:
    """Leave a transaction that never ends, in partition 0 of a topic whose only replica is on that broker.

    It is committed while the broker is down: the coordinator treats a partition without a leader as deleted,
    writes no marker there, and completes the transaction. `meanwhile` is called while the broker is down, too.
    """
    servers = {"bootstrap.servers": cluster.admin_servers, "log_level": 0}
    producer = Producer({**servers, "transactional.id": transactional_id, "transaction.timeout.ms": 900_000})
    producer.init_transactions(60)
    producer.begin_transaction()
    producer.produce(topic, b"for ever", partition=0)
    producer.flush(60)
    cluster.stop_broker(node)
    producer.commit_transaction(60)
    meanwhile()
    cluster.start_broker(node)


def _all(futures: Mapping[Any, Any]) -> None:
    for future in futures.values():
        future.result(60)
