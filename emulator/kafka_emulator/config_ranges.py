"""The range of each config that is a whole number: a scenario may not declare a value that a broker refuses.

The bounds are those of the validators of Kafka 4.4.0; where an older Kafka is stricter, the wider bound holds.
"""

from collections.abc import Mapping

from kafka_emulator.config_keys import Key

HIGHEST: Mapping[int, int] = {3: 2**31 - 1, 4: 2**15 - 1, 5: 2**63 - 1}
"""The highest number of a type in Java, by type; the lowest is its negative, less one."""

_FROM: Mapping[int, tuple[str, ...]] = {
    -131072: ("compression.zstd.level",),
    -2: (
        "local.retention.bytes",
        "local.retention.ms",
        "log.local.retention.bytes",
        "log.local.retention.ms",
    ),
    -1: (
        "compression.gzip.level",
        "log.remote.copy.lag.bytes",
        "log.remote.copy.lag.ms",
        "node.id",
        "remote.copy.lag.bytes",
        "remote.copy.lag.ms",
        "retention.ms",
    ),
    0: (
        "consumer.assignment.interval.ms",
        "delete.retention.ms",
        "file.delete.delay.ms",
        "flush.ms",
        "follower.replication.throttled.rate",
        "index.interval.bytes",
        "leader.replication.throttled.rate",
        "log.cleaner.delete.retention.ms",
        "log.cleaner.min.compaction.lag.ms",
        "log.cleaner.threads",
        "log.index.interval.bytes",
        "log.message.timestamp.after.max.ms",
        "log.message.timestamp.before.max.ms",
        "log.message.timestamp.difference.max.ms",
        "log.roll.jitter.hours",
        "log.segment.delete.delay.ms",
        "max.message.bytes",
        "message.max.bytes",
        "message.timestamp.after.max.ms",
        "message.timestamp.before.max.ms",
        "message.timestamp.difference.max.ms",
        "min.compaction.lag.ms",
        "replica.alter.log.dirs.io.max.bytes.per.second",
        "segment.jitter.ms",
        "share.assignment.interval.ms",
        "streams.assignment.interval.ms",
        "streams.initial.rebalance.delay.ms",
        "streams.num.standby.replicas",
    ),
    1: (
        "background.threads",
        "compression.lz4.level",
        "consumer.heartbeat.interval.ms",
        "consumer.session.timeout.ms",
        "flush.messages",
        "leader.imbalance.check.interval.seconds",
        "log.cleaner.max.compaction.lag.ms",
        "log.flush.interval.messages",
        "log.roll.hours",
        "max.compaction.lag.ms",
        "max.request.pagination.size.limit",
        "max.request.partition.size.limit",
        "min.insync.replicas",
        "max.decompressed.message.bytes",
        "num.io.threads",
        "num.network.threads",
        "num.partitions",
        "num.replica.fetchers",
        "offsets.retention.minutes",
        "offsets.topic.num.partitions",
        "offsets.topic.replication.factor",
        "offsets.topic.segment.bytes",
        "producer.id.expiration.ms",
        "replication.quota.window.size.seconds",
        "segment.ms",
        "share.coordinator.state.topic.min.isr",
        "share.coordinator.state.topic.num.partitions",
        "share.coordinator.state.topic.replication.factor",
        "share.heartbeat.interval.ms",
        "share.session.timeout.ms",
        "socket.request.max.bytes",
        "streams.heartbeat.interval.ms",
        "streams.session.timeout.ms",
        "transaction.max.timeout.ms",
        "transaction.state.log.min.isr",
        "transaction.state.log.num.partitions",
        "transaction.state.log.replication.factor",
        "transaction.state.log.segment.bytes",
        "transactional.id.expiration.ms",
    ),
    2: ("share.delivery.count.limit",),
    4: (
        "log.index.size.max.bytes",
        "segment.index.bytes",
    ),
    14: (
        "log.segment.bytes",
        "segment.bytes",
    ),
    100: ("share.partition.max.record.locks",),
    1000: ("share.record.lock.duration.ms",),
    1024: ("fetch.max.bytes",),
}
"""The keys that have a lowest value, by that value."""

LOWEST: Mapping[str, int] = {name: lowest for lowest, names in _FROM.items() for name in names}
"""The lowest values by key."""


def what_is_wrong(key: Key, value: str) -> str | None:
    """Why a whole-number key may not have this value; None where it may."""
    if not value.removeprefix("-").isdecimal():
        return f"must be a whole number, not '{value}'"
    highest = HIGHEST[key.type]
    lowest = LOWEST.get(key.name, -highest - 1)
    return None if lowest <= int(value) <= highest else f"must be {lowest:,} to {highest:,}, not {value}"
