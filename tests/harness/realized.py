"""A real cluster with the objects that a scenario of the emulator declares, section by section.

Everything must be declared: nothing generated, at most one member per group, at most one open transaction per
partition. Values are taken from the scenario's world, so that random numbers hold on the real cluster, too.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter

from confluent_kafka import Producer
from kafka import KafkaAdminClient
from kafka import TopicPartition as Partition
from kafka.structs import OffsetAndMetadata

from harness import live, workload
from harness.kafka_cluster import KafkaCluster
from harness.known_world import KnownWorld, TopicPartition
from kafka_emulator.declared import TransactionSection
from kafka_emulator.logs import OPEN_RECORDS
from kafka_emulator.scenario import Scenario
from kafka_emulator.transactions import OPEN, TIMEOUT_MS
from kafka_emulator.world import World

_RECORD = b"." * 10_000
_MARKED = 2
"""Offsets that an ended transaction of one record takes: the record and the marker."""

_ENOUGH_TIME = 3_600_000

_LEADS_NO_QUORUM = {
    "controller.quorum.election.timeout.ms": _ENOUGH_TIME,
    "controller.quorum.fetch.timeout.ms": _ENOUGH_TIME,
}
"""Properties of a voter that lets the others lead: when it is killed, the leader of the quorum has seen it alive."""


def cluster_of(scenario: Scenario) -> KafkaCluster:
    """The brokers that a scenario declares; `realized` creates their topics and all else.

    As in the emulator, the last of several brokers does not lead the quorum.
    """
    brokers, world = scenario.brokers, World(scenario)
    return KafkaCluster(
        brokers.count,
        authorizer=scenario.security.authorizer,
        log_dirs=brokers.log_dirs,
        properties={
            "offsets.topic.num.partitions": scenario.groups.offsets_partitions,
            "transaction.state.log.num.partitions": scenario.transactions.partitions,
            # Otherwise the coordinator would abort open transactions during the tests.
            "transaction.abort.timed.out.transaction.cleanup.interval.ms": _ENOUGH_TIME,
            **brokers.configs,
        },
        broker_properties={
            node: {
                **({"broker.rack": rack} if (rack := world.brokers.rack(node)) else {}),
                **(_LEADS_NO_QUORUM if node == brokers.count > 1 else {}),
                **brokers.configs_of.get(node, {}),
            }
            for node in world.brokers.ids
        },
    )


@contextmanager
def realized(cluster: KafkaCluster, scenario: Scenario) -> Iterator[None]:
    """Create the objects that the scenario declares, including members, which live until the block ends."""
    servers, known = cluster.admin_servers, KnownWorld(World(scenario))
    for topic in scenario.topics.declared:
        workload.create_topic(servers, topic.name, assignment=topic.assignment, **topic.configs)
    _configs(servers, scenario)
    _security(servers, scenario)
    _records(servers, known, scenario)
    _offsets(servers, known)
    _reassignments(servers, scenario)
    with live.together(*_members(cluster, scenario)):
        yield


def _configs(servers: str, scenario: Scenario) -> None:
    if scenario.brokers.dynamic_configs:
        workload.set_config(servers, "broker", "", scenario.brokers.dynamic_configs)
    for node, values in scenario.brokers.dynamic_configs_of.items():
        workload.set_config(servers, "broker", str(node), values)
    for group in scenario.groups.declared:
        if group.configs:
            workload.set_config(servers, "group", group.id, group.configs)


def _security(servers: str, scenario: Scenario) -> None:
    security = scenario.security
    for acl in security.acls:
        kind = acl.resource_type if acl.resource_type != "CLUSTER" else "BROKER"
        where = (acl.operation, kind, acl.resource_name)
        how = {"host": acl.host, "permission": acl.permission}
        is_prefix = acl.pattern_type == "PREFIXED"
        workload.allow(servers, acl.principal.removeprefix("User:"), *where, prefix=is_prefix, **how)
    for one in security.scram_users:
        # One request per mechanism: a request may name a user only once.
        for name, rounds in one.mechanisms.items():
            workload.scram_user(servers, one.user, name, rounds)
    workload.quotas(servers, [(one.entity, one.values) for one in security.quotas])


def _records(servers: str, known: KnownWorld, scenario: Scenario) -> None:
    """Write logs with the offsets, producers and transactions of the world; open transactions come last."""
    partitions = [(topic.name, index) for topic in scenario.topics.declared for index in range(topic.count)]
    logs = {(topic, index): known.world.log(known.topics[topic], index) for topic, index in partitions}
    transactions = scenario.transactions.declared
    ended, opened = (
        Counter(at for one in transactions if (one.state in OPEN) is is_open for at in one.partitions)
        for is_open in (False, True)
    )
    idle = {at: len(known.world.producers(known.topics[at[0]], at[1])) - ended[at] - opened[at] for at in logs}
    for one in transactions:
        if one.state not in OPEN:
            _transaction(servers, one)
    more = {at: ended[at] * _MARKED + idle[at] + opened[at] * OPEN_RECORDS for at in logs}
    _write(servers, {at: log.end - more[at] for at, log in logs.items()})
    for number in range(max(idle.values())):
        _write(servers, {at: 1 for at in logs if idle[at] > number}, idempotent=True)
    for one in transactions:
        if one.state in OPEN:
            _transaction(servers, one)
    for (topic, partition), log in logs.items():
        if log.start:
            workload.delete_records(servers, topic, log.start, partition)


def _write(servers: str, counts: Mapping[TopicPartition, int], *, idempotent: bool = False) -> None:
    producer = Producer({"bootstrap.servers": servers, "log_level": 0, "enable.idempotence": idempotent})
    for (topic, partition), count in counts.items():
        for _ in range(count):
            producer.produce(topic, _RECORD, b"key", partition)
    if producer.flush(60):
        raise TimeoutError("records were not acknowledged")


def _transaction(servers: str, declared: TransactionSection) -> None:
    """Run the last transaction of an id; a transaction that is declared open is not ended."""
    settings = {"transactional.id": declared.id, "transaction.timeout.ms": TIMEOUT_MS}
    producer = Producer({"bootstrap.servers": servers, "log_level": 0, **settings})
    producer.init_transactions(60)
    if declared.state == "Empty":
        return
    producer.begin_transaction()
    for topic, partition in declared.partitions:
        for _ in range(OPEN_RECORDS if declared.state in OPEN else 1):
            producer.produce(topic, _RECORD, b"key", partition)
    producer.flush(60)
    if declared.state == "CompleteCommit":
        producer.commit_transaction(60)
    elif declared.state == "CompleteAbort":
        producer.abort_transaction(60)


def _offsets(servers: str, known: KnownWorld) -> None:
    """Commit the offsets of all groups except share groups, whose members commit by reading.

    This uses kafka-python: librdkafka refuses an empty group id, and ends metadata with a zero byte.
    """
    client = KafkaAdminClient(bootstrap_servers=servers.split(","))
    # The empty id is last: librdkafka, which waits until coordinators have loaded, cannot wait for its coordinator.
    for group in sorted(known.groups, key=attrgetter("group_id"), reverse=True):
        offsets = known.world.offsets(group) if group.shape.type != "share" else []
        if offsets and group.group_id:
            workload.commit_offsets(servers, [group.group_id], offsets[0].topic.name, offsets[0].partition)
        if offsets:
            committed = {
                Partition(one.topic.name, one.partition): OffsetAndMetadata(one.offset, one.metadata, one.leader_epoch)
                for one in offsets
            }
            client.alter_group_offsets(group.group_id, committed)
    client.close()


def _reassignments(servers: str, scenario: Scenario) -> None:
    """Start moves that do not end: the declared configs throttle the copies."""
    moves = {
        (topic.name, state.partition): [
            *(one for one in topic.assignment[state.partition] if one not in state.removing),
            *state.adding,
        ]
        for topic in scenario.topics.declared
        for state in topic.states
        if state.adding or state.removing
    }
    if moves:
        workload.reassign(servers, moves)


def _members(cluster: KafkaCluster, scenario: Scenario) -> Iterator[live.Live]:
    """One live member for each group that has a member in the scenario."""
    servers = cluster.admin_servers
    for number, group in enumerate(one for one in scenario.groups.declared if one.members):
        log = cluster.folder / f"member-{number}"
        if group.type == "share":
            yield live.share_members(servers, group.id, group.topics[0], log, count=1)
        elif group.type == "streams":
            yield live.streams_members(servers, group.id, group.topics, log, count=1, store=False)
        else:
            settings = {"group.protocol": group.type, "client.id": "client-0", "enable.auto.commit": "false"}
            yield workload.LiveGroups(servers, group.topics[0], [group.id], log, settings)
