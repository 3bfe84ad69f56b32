"""Three real brokers in trouble: examples of everything that published tables report.

The cluster does not change: moves are throttled to one byte per second once they have begun, members commit nothing,
and no client writes. So Kafka's own tools, run some time after a census, see the same state as the census.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from harness import live, workload
from harness.broker import Listener
from harness.kafka_cluster import PLAINTEXT, KafkaCluster

SASL = Listener("SASL", "SASL_PLAINTEXT", ("PLAIN",))
PASSWORD = "canary-5f1c"
"""The password of the user `narrow`, who may describe some objects of each kind."""

LOST = 3
"""The broker that was down for a while, and that tests may kill: it has data of every kind."""

FORGOTTEN = tuple(f"forgotten-{number}" for number in range(24))
"""Groups with offsets of topics `gone` and `again`, which were deleted while the coordinator of some was down."""

ORPHANS = tuple(f"orphan-{number}" for number in range(24))
"""Groups with offsets of `gone` only."""

SPELLINGS = ("polygenelubricants", "é", "\U0001f600", "ｆｕｌｌ")
"""Groups whose ids hash to Integer.MIN_VALUE, have one unit of UTF-16, two units, or wide letters."""

OFFSETS = "__consumer_offsets"

WITH_RECORDS = (0, 1)
"""The partitions of `orders` with records, which `share-live` reads."""

_EACH_FIRST = ([1, 2, 3], [2, 3, 1], [3, 1, 2])
"""Replicas of three partitions, of which each broker leads one. Kafka's own assignment may leave a broker out."""

_PROPERTIES = {
    # The first fetch of a move is far larger than its rate allows: the move continues only hours later.
    "replication.quota.window.size.seconds": 3600,
    "alter.log.dirs.replication.quota.window.size.seconds": 3600,
    "log.cleaner.backoff.ms": 500,
    "log.initial.task.delay.ms": 500,
    # Leaders do not move back, and groups without offsets are not removed.
    "auto.leader.rebalance.enable": "false",
    "offsets.retention.check.interval.ms": 86_400_000,
    # Otherwise the coordinator would abort open transactions.
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": 3_600_000,
}
_SLOW = {
    "leader.replication.throttled.rate": 1,
    "follower.replication.throttled.rate": 1,
    "replica.alter.log.dirs.io.max.bytes.per.second": 1,
}
_MEGABYTE = 1_000_000


@contextmanager
def trouble() -> Iterator[KafkaCluster]:
    with KafkaCluster(
        brokers=3,
        listeners=(PLAINTEXT, SASL),
        users={"narrow": PASSWORD},
        authorizer=True,
        properties=_PROPERTIES,
        broker_properties={node: {"broker.rack": f"rack-{node % 2}"} for node in (1, 2, 3)},
        log_dirs=2,
    ) as cluster:
        servers, folder = cluster.admin_servers, cluster.folder
        _topics(servers)
        _offsets(servers)
        workload.hanging_transaction(cluster, "lonely", "hung", LOST, lambda: _topics_go(servers))
        workload.commit_offset(servers, "late", "again", 4, leader_epoch=5)
        workload.add_partitions(servers, OFFSETS, 10, [[LOST], [1]])
        _security(servers)
        quiet = {"enable.auto.commit": "false"}
        new = {**quiet, "group.protocol": "consumer"}
        named = {"group.instance.id": "s"}
        members = (
            workload.LiveGroups(servers, "payments", ["classic-0", "classic-1"], folder / "classic", quiet),
            workload.LiveGroups(servers, "payments", ["classic-0"], folder / "second", {**quiet, **named}),
            workload.LiveGroups(servers, "orders", ["new-0"], folder / "new", new),
            live.share_members(servers, "share-live", "orders", folder / "share"),
            live.streams_members(servers, "streams-live", ["orders"], folder / "streams"),
        )
        # Joins last: a group resolves its regular expressions anew, with a record, 10 s after it did so if a topic was
        # made meanwhile (GroupMetadataManager), and the brokers make one for the streams group.
        regex = workload.LiveGroups(servers, "^p.*", ["new-0"], folder / "regex", {**new, **named, "client.rack": "r"})
        seen = {"done": "done", "undone": "undone", "still_open": "open"}
        veiled = {role: f"veiled-{name}" for role, name in seen.items()}
        transactions = workload.transactions(servers, "ledgers", **seen)
        hidden = workload.transactions(servers, "ledgers", **veiled)
        with live.together(*members), regex, transactions, hidden:
            _moves(cluster)
            yield cluster


def _topics(servers: str) -> None:
    # As brokers would create it, but with one replica: while a broker is down, its groups have no coordinator.
    as_made = {"cleanup_policy": "compact", "compression_type": "producer", "segment_bytes": 100 << 20}
    workload.create_topic(servers, OFFSETS, assignment=[[1], [2], [LOST], [1], [2], [LOST], [1], [2]], **as_made)
    workload.create_topic(servers, "orders", assignment=[*_EACH_FIRST, *_EACH_FIRST], min_insync_replicas=2)
    strict = {"min_insync_replicas": 3, "retention_ms": 86_400_000}
    workload.create_topic(servers, "payments", assignment=_EACH_FIRST, **strict)
    workload.create_topic(servers, "audit", assignment=[[1], [2], [3]], min_insync_replicas=2)
    workload.create_topic(servers, "ledgers", assignment=[[1, 2, 3], [2, 3, 1]])
    workload.create_topic(servers, "lonely", assignment=[[LOST]])
    workload.create_topic(servers, "trimmed", assignment=[[1, 2]])
    workload.create_topic(servers, "folders", assignment=[[1, 2]])
    compact = {"cleanup_policy": "compact", "min_cleanable_dirty_ratio": 0.01, "segment_bytes": 1 << 20}
    workload.create_topic(servers, "words", assignment=[[1, 2], [2, 3]], **compact)
    for name in ("clickstream", "archive"):
        workload.create_topic(servers, name, assignment=[[1], [2]])
    for name in ("gone", "again"):
        workload.create_topic(servers, name, assignment=[[1]])
        workload.produce(servers, name, 100_000)
    for name, megabytes in (("clickstream", 20), ("archive", 10), ("folders", 5)):
        workload.produce(servers, name, megabytes * _MEGABYTE)
    workload.produce(servers, "orders", 500_000)
    workload.produce(servers, "orders", 300_000, 1, idempotent=True)
    # Acknowledged by all: otherwise the records to delete may not be below the high watermark yet.
    workload.produce(servers, "trimmed", 200_000, idempotent=True)
    workload.produce(servers, "words", 3 * _MEGABYTE, key=b"the same")
    workload.delete_records(servers, "trimmed", 15)


def _offsets(servers: str) -> None:
    """Groups without members: offsets in range, before the log's start, after its end, and of topics to delete."""
    workload.commit_offsets(servers, ["left", "classic-0", *SPELLINGS], "orders", offset=3)
    workload.commit_offset(servers, "", "orders")
    workload.commit_offsets(servers, ["left"], "words", offset=100)
    workload.commit_offsets(servers, ["left"], "ledgers")
    workload.commit_offsets(servers, ["before"], "trimmed", offset=2)
    workload.commit_offsets(servers, ["after"], "trimmed", offset=99)
    for topic in ("gone", "again"):
        workload.commit_offsets(servers, FORGOTTEN, topic, offset=4)
    workload.commit_offsets(servers, ORPHANS, "gone", offset=4)


def _topics_go(servers: str) -> None:
    for name in ("gone", "again"):
        workload.delete_topic(servers, name)
    workload.create_topic(servers, "again", assignment=[[1]])


QUOTAS: tuple[tuple[dict[str, str | None], dict[str, float]], ...] = (
    ({"user": "alice"}, {"producer_byte_rate": 1024}),
    ({"user": None, "client-id": "reports"}, {"request_percentage": 12.5, "consumer_byte_rate": 7}),
    ({"ip": None}, {"connection_creation_rate": 300}),
    ({"user": None, "client-id": None}, {"producer_byte_rate": 1e12}),
    ({"user": None, "client-id": "<default>"}, {"producer_byte_rate": 1e12}),
    ({"user": "<default>", "client-id": None}, {"producer_byte_rate": 1e12}),
    ({"user": "a, client-id b"}, {"producer_byte_rate": 1e12}),
    ({"user": "a", "client-id": "b"}, {"producer_byte_rate": 1e12}),
)
"""Quotas by entity; Kafka's tools print the last five entities alike, three by three and two by two."""


def _security(servers: str) -> None:
    """Create ACLs (harmless, dangerous, and those of `narrow`), quotas, SCRAM users, and configs that drift."""
    for operation in ("DESCRIBE", "DESCRIBE_CONFIGS"):
        workload.allow(servers, "narrow", operation, "topic", "o", prefix=True)
    workload.allow(servers, "narrow", "DESCRIBE", "group", "c", prefix=True)
    workload.allow(servers, "narrow", "DESCRIBE", "transactional_id", "open")
    workload.allow(servers, "root", "ALL", "broker", "kafka-cluster")
    workload.allow(servers, "*", "READ", "topic", "*")
    workload.allow(servers, "bob", "READ", "group", "payroll", host="10.9.8.7")
    workload.quotas(servers, QUOTAS)
    workload.scram_user(servers, "alice", "SCRAM-SHA-256", 4096)
    workload.scram_user(servers, "bob", "SCRAM-SHA-256", 4096)
    workload.scram_user(servers, "bob", "SCRAM-SHA-512", 8192)
    workload.set_config(servers, "group", "share-live", {"share.auto.offset.reset": "earliest"})
    workload.read_from_start(servers, "share-left", "orders")
    workload.set_config(servers, "broker", "", {"log.retention.ms": 1_000_000_000})
    workload.set_config(servers, "broker", "2", {"log.cleaner.backoff.ms": 600})


def _moves(cluster: KafkaCluster) -> None:
    """Start moves between brokers and between log dirs, none of which ends."""
    servers = cluster.admin_servers
    workload.throttle(servers, ["clickstream", "archive"], ())
    for node in cluster.brokers:
        workload.set_config(servers, "broker", str(node), _SLOW)
    workload.reassign(servers, {("clickstream", 0): [2], ("archive", 0): [1, LOST]})
    dirs = [cluster.brokers[1].folder / f"data{number}" for number in (0, 1)]
    (other,) = (log_dir for log_dir in dirs if not (log_dir / "folders-0").exists())
    workload.move_log_dir(servers, "folders", 1, str(other))
