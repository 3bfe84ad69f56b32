"""The config keys of topics, brokers and groups, by Kafka's version; of a broker's 360 keys those that readers use.

Names, types and defaults are those of the classes of 2.8.2, 3.9.1, 4.3.1 and 4.4.0: a key that changed has an entry
for each definition. `max.request.pagination.size.limit` is KIP-1062's: only brokers that page have it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from kafka_emulator.features import LATEST, AsVersion

NUMBERS = (3, 4, 5)
"""The types that are whole numbers."""


@dataclass(frozen=True)
class Key:
    """A config key.

    type          Kafka's number: 1 boolean, 2 string, 3 int, 4 short, 5 long, 6 double, 7 list, 8 class, 9 password
    since, until  the first and the last version of Kafka with this definition
    """

    name: str
    default: str | None
    type: int
    since: AsVersion = "2.8"
    until: AsVersion = LATEST


PAGINATION_LIMIT = "max.request.pagination.size.limit"
PARTITION_LIMIT = "max.request.partition.size.limit"
"""DescribeTopicPartitions' own limit; where it is not set, max.request.pagination.size.limit holds (KIP-1062)."""

TOPIC_KEYS = (
    Key("cleanup.policy", "delete", 7),
    Key("compression.gzip.level", "-1", 3, since="3.9"),
    Key("compression.lz4.level", "9", 3, since="3.9"),
    Key("compression.type", "producer", 2),
    Key("compression.zstd.level", "3", 3, since="3.9"),
    Key("delete.retention.ms", "86400000", 5),
    Key("errors.deadletterqueue.group.enable", "false", 1, since="4.4"),
    Key("file.delete.delay.ms", "60000", 5),
    Key("flush.messages", "9223372036854775807", 5),
    Key("flush.ms", "9223372036854775807", 5),
    Key("follower.replication.throttled.replicas", "", 7),
    Key("index.interval.bytes", "4096", 3),
    Key("leader.replication.throttled.replicas", "", 7),
    Key("local.retention.bytes", "-2", 5, since="3.9"),
    Key("local.retention.ms", "-2", 5, since="3.9"),
    Key("max.compaction.lag.ms", "9223372036854775807", 5),
    Key("max.decompressed.message.bytes", "2147483639", 3, since="4.4"),
    Key("max.message.bytes", "1048588", 3),
    Key("message.downconversion.enable", "true", 1, until="3.9"),
    Key("message.format.version", "2.8-IV1", 2, until="2.8"),
    Key("message.format.version", "3.0-IV1", 2, since="3.9", until="3.9"),
    Key("message.timestamp.after.max.ms", "9223372036854775807", 5, since="3.9", until="3.9"),
    Key("message.timestamp.after.max.ms", "3600000", 5, since="4.3"),
    Key("message.timestamp.before.max.ms", "9223372036854775807", 5, since="3.9"),
    Key("message.timestamp.difference.max.ms", "9223372036854775807", 5, until="3.9"),
    Key("message.timestamp.type", "CreateTime", 2),
    Key("min.cleanable.dirty.ratio", "0.5", 6),
    Key("min.compaction.lag.ms", "0", 5),
    Key("min.insync.replicas", "1", 3),
    Key("preallocate", "false", 1),
    Key("remote.copy.lag.bytes", "-1", 5, since="4.4"),
    Key("remote.copy.lag.ms", "0", 5, since="4.4"),
    Key("remote.log.copy.disable", "false", 1, since="3.9"),
    Key("remote.log.delete.on.disable", "false", 1, since="3.9"),
    Key("remote.storage.enable", "false", 1, since="3.9"),
    Key("retention.bytes", "-1", 5),
    Key("retention.ms", "604800000", 5),
    Key("segment.bytes", "1073741824", 3),
    Key("segment.index.bytes", "10485760", 3),
    Key("segment.jitter.ms", "0", 5),
    Key("segment.ms", "604800000", 5),
    Key("unclean.leader.election.enable", "false", 1),
)

BROKER_KEYS = (
    Key("advertised.listeners", None, 2, until="3.9"),
    Key("advertised.listeners", None, 7, since="4.3"),
    Key("authorizer.class.name", "", 2),
    Key("auto.create.topics.enable", "true", 1),
    Key("auto.leader.rebalance.enable", "true", 1),
    Key("background.threads", "10", 3),
    Key("broker.id", "-1", 3),
    Key("broker.rack", None, 2),
    Key("compression.gzip.level", "-1", 3, since="3.9"),
    Key("compression.lz4.level", "9", 3, since="3.9"),
    Key("compression.type", "producer", 2),
    Key("compression.zstd.level", "3", 3, since="3.9"),
    Key("controlled.shutdown.enable", "true", 1),
    Key("default.replication.factor", "1", 3),
    Key("fetch.max.bytes", "57671680", 3),
    Key("group.max.session.timeout.ms", "1800000", 3),
    Key("group.min.session.timeout.ms", "6000", 3),
    Key("leader.imbalance.check.interval.seconds", "300", 5),
    Key("listeners", None, 2, until="2.8"),
    Key("listeners", "PLAINTEXT://:9092", 2, since="3.9", until="3.9"),
    Key("listeners", "PLAINTEXT://:9092", 7, since="4.3"),
    Key("log.cleaner.delete.retention.ms", "86400000", 5),
    Key("log.cleaner.max.compaction.lag.ms", "9223372036854775807", 5),
    Key("log.cleaner.min.cleanable.ratio", "0.5", 6),
    Key("log.cleaner.min.compaction.lag.ms", "0", 5),
    Key("log.cleaner.threads", "1", 3),
    Key("log.cleanup.policy", "delete", 7),
    Key("log.dirs", None, 2, until="3.9"),
    Key("log.dirs", None, 7, since="4.3"),
    Key("log.flush.interval.messages", "9223372036854775807", 5),
    Key("log.flush.interval.ms", None, 5),
    Key("log.flush.scheduler.interval.ms", "9223372036854775807", 5),
    Key("log.index.interval.bytes", "4096", 3),
    Key("log.index.size.max.bytes", "10485760", 3),
    Key("log.local.retention.bytes", "-2", 5, since="3.9"),
    Key("log.local.retention.ms", "-2", 5, since="3.9"),
    Key("log.message.downconversion.enable", "true", 1, until="3.9"),
    Key("log.message.format.version", "2.8-IV1", 2, until="2.8"),
    Key("log.message.format.version", "3.0-IV1", 2, since="3.9", until="3.9"),
    Key("log.message.timestamp.after.max.ms", "9223372036854775807", 5, since="3.9", until="3.9"),
    Key("log.message.timestamp.after.max.ms", "3600000", 5, since="4.3"),
    Key("log.message.timestamp.before.max.ms", "9223372036854775807", 5, since="3.9"),
    Key("log.message.timestamp.difference.max.ms", "9223372036854775807", 5, until="3.9"),
    Key("log.message.timestamp.type", "CreateTime", 2),
    Key("log.preallocate", "false", 1),
    Key("log.remote.copy.lag.bytes", "-1", 5, since="4.4"),
    Key("log.remote.copy.lag.ms", "0", 5, since="4.4"),
    Key("log.retention.bytes", "-1", 5),
    Key("log.retention.hours", "168", 3),
    Key("log.retention.minutes", None, 3),
    Key("log.retention.ms", None, 5),
    Key("log.roll.hours", "168", 3),
    Key("log.roll.jitter.hours", "0", 3),
    Key("log.roll.jitter.ms", None, 5),
    Key("log.roll.ms", None, 5),
    Key("log.segment.bytes", "1073741824", 3),
    Key("log.segment.delete.delay.ms", "60000", 5),
    Key("max.decompressed.message.bytes", "2147483639", 3, since="4.4"),
    Key("max.request.pagination.size.limit", "2000", 3),
    Key("max.request.partition.size.limit", "2000", 3, since="3.9"),
    Key("message.max.bytes", "1048588", 3),
    Key("min.insync.replicas", "1", 3),
    Key("node.id", "-1", 3, until="3.9"),
    Key("node.id", None, 3, since="4.3"),
    Key("num.io.threads", "8", 3),
    Key("num.network.threads", "3", 3),
    Key("num.partitions", "1", 3),
    Key("num.replica.fetchers", "1", 3),
    Key("offsets.retention.minutes", "10080", 3),
    Key("offsets.topic.num.partitions", "50", 3),
    Key("offsets.topic.replication.factor", "3", 4),
    Key("offsets.topic.segment.bytes", "104857600", 3),
    Key("process.roles", "", 7, until="3.9"),
    Key("process.roles", None, 7, since="4.3"),
    Key("producer.id.expiration.ms", "86400000", 3, since="3.9"),
    Key("replica.lag.time.max.ms", "30000", 5),
    Key("replication.quota.window.size.seconds", "1", 3),
    Key("request.timeout.ms", "30000", 3),
    Key("share.coordinator.state.topic.min.isr", "2", 4, since="4.3"),
    Key("share.coordinator.state.topic.num.partitions", "50", 3, since="4.3"),
    Key("share.coordinator.state.topic.replication.factor", "3", 4, since="4.3"),
    Key("socket.request.max.bytes", "104857600", 3),
    Key("ssl.keystore.password", None, 9),
    Key("transaction.max.timeout.ms", "900000", 3),
    Key("transaction.state.log.min.isr", "2", 3),
    Key("transaction.state.log.num.partitions", "50", 3),
    Key("transaction.state.log.replication.factor", "3", 4),
    Key("transaction.state.log.segment.bytes", "104857600", 3),
    Key("transactional.id.expiration.ms", "604800000", 3),
    Key("unclean.leader.election.enable", "false", 1),
)

THROTTLES = (
    Key("follower.replication.throttled.rate", None, 5),
    Key("leader.replication.throttled.rate", None, 5),
    Key("replica.alter.log.dirs.io.max.bytes.per.second", None, 5),
)
"""Keys that a broker has only where they are set dynamically."""

GROUP_KEYS = (
    Key("consumer.assignment.interval.ms", "1000", 3, since="4.3"),
    Key("consumer.heartbeat.interval.ms", "5000", 3),
    Key("consumer.session.timeout.ms", "45000", 3),
    Key("errors.deadletterqueue.copy.record.enable", "false", 1, since="4.4"),
    Key("errors.deadletterqueue.topic.name", "", 2, since="4.4"),
    Key("share.assignment.interval.ms", "1000", 3, since="4.3"),
    Key("share.auto.offset.reset", "latest", 2, since="4.3"),
    Key("share.delivery.count.limit", "5", 3, since="4.3"),
    Key("share.heartbeat.interval.ms", "5000", 3, since="4.3"),
    Key("share.isolation.level", "read_uncommitted", 2, since="4.3"),
    Key("share.partition.max.record.locks", "2000", 3, since="4.3"),
    Key("share.record.lock.duration.ms", "30000", 3, since="4.3"),
    Key("share.renew.acknowledge.enable", "true", 1, since="4.3"),
    Key("share.session.timeout.ms", "45000", 3, since="4.3"),
    Key("streams.assignment.interval.ms", "1000", 3, since="4.3"),
    Key("streams.assignor.name", "sticky", 2, since="4.4"),
    Key("streams.heartbeat.interval.ms", "5000", 3, since="4.3"),
    Key("streams.initial.rebalance.delay.ms", "3000", 3, since="4.3"),
    Key("streams.num.standby.replicas", "0", 3, since="4.3"),
    Key("streams.rack.aware.assignment.tags", "", 7, since="4.4"),
    Key("streams.session.timeout.ms", "45000", 3, since="4.3"),
)

OWN_TO_GROUPS = frozenset(
    {
        "errors.deadletterqueue.copy.record.enable",
        "errors.deadletterqueue.topic.name",
        "share.auto.offset.reset",
        "share.isolation.level",
        "share.renew.acknowledge.enable",
    }
)
"""Group keys without a default on the broker."""

BROKER_KEY_OF_GROUPS = {"streams.assignor.name": "group.streams.assignors"}
"""The broker's key with the default of a group's key, where that is not `group.` and the key."""

BROKER_KEY_OF = {
    "cleanup.policy": "log.cleanup.policy",
    "compression.gzip.level": "compression.gzip.level",
    "compression.lz4.level": "compression.lz4.level",
    "compression.type": "compression.type",
    "compression.zstd.level": "compression.zstd.level",
    "delete.retention.ms": "log.cleaner.delete.retention.ms",
    "file.delete.delay.ms": "log.segment.delete.delay.ms",
    "flush.messages": "log.flush.interval.messages",
    "flush.ms": "log.flush.interval.ms",
    "index.interval.bytes": "log.index.interval.bytes",
    "local.retention.bytes": "log.local.retention.bytes",
    "local.retention.ms": "log.local.retention.ms",
    "max.compaction.lag.ms": "log.cleaner.max.compaction.lag.ms",
    "max.decompressed.message.bytes": "max.decompressed.message.bytes",
    "max.message.bytes": "message.max.bytes",
    "message.downconversion.enable": "log.message.downconversion.enable",
    "message.format.version": "log.message.format.version",
    "message.timestamp.after.max.ms": "log.message.timestamp.after.max.ms",
    "message.timestamp.before.max.ms": "log.message.timestamp.before.max.ms",
    "message.timestamp.difference.max.ms": "log.message.timestamp.difference.max.ms",
    "message.timestamp.type": "log.message.timestamp.type",
    "min.cleanable.dirty.ratio": "log.cleaner.min.cleanable.ratio",
    "min.compaction.lag.ms": "log.cleaner.min.compaction.lag.ms",
    "min.insync.replicas": "min.insync.replicas",
    "preallocate": "log.preallocate",
    "remote.copy.lag.bytes": "log.remote.copy.lag.bytes",
    "remote.copy.lag.ms": "log.remote.copy.lag.ms",
    "retention.bytes": "log.retention.bytes",
    "retention.ms": "log.retention.ms",
    "segment.bytes": "log.segment.bytes",
    "segment.index.bytes": "log.index.size.max.bytes",
    "segment.jitter.ms": "log.roll.jitter.ms",
    "segment.ms": "log.roll.ms",
    "unclean.leader.election.enable": "unclean.leader.election.enable",
}
"""The broker's key that is the synonym of a topic's key."""

HOURS_MS, MINUTES_MS = 3_600_000, 60_000
INSTEAD_OF = {
    "log.flush.interval.ms": (("log.flush.scheduler.interval.ms", 1),),
    "log.retention.ms": (("log.retention.minutes", MINUTES_MS), ("log.retention.hours", HOURS_MS)),
    "log.roll.jitter.ms": (("log.roll.jitter.hours", HOURS_MS),),
    "log.roll.ms": (("log.roll.hours", HOURS_MS),),
}
"""The keys that hold, in this order, where a broker's key is not set, and their unit in milliseconds."""

DYNAMIC = frozenset(
    {
        *BROKER_KEY_OF.values(),
        *(key.name for key in THROTTLES),
        "background.threads",
        "listeners",
        "log.cleaner.threads",
        "num.io.threads",
        "num.network.threads",
        "num.replica.fetchers",
        "producer.id.expiration.ms",
        "ssl.keystore.password",
    }
) - {"log.message.format.version"}
"""Keys that can be changed while a broker runs; all others are read-only."""


def of_version(keys: Iterable[Key], as_version: AsVersion) -> tuple[Key, ...]:
    """The keys that a version of Kafka has, in their order."""
    return tuple(key for key in keys if key.since <= as_version <= key.until)
