"""The internal topics of groups, transactions and share groups, as FindCoordinator creates them."""

from collections.abc import Mapping

from kafka_emulator.declared import TopicSection
from kafka_emulator.topics import GROUPS_TOPIC, MIN_ISR, SHARES_TOPIC, TRANSACTIONS_TOPIC

FACTOR = 3
"""offsets.topic.replication.factor and the like; at most the number of brokers."""

SHARES_PARTITIONS = "share.coordinator.state.topic.num.partitions"
_SEGMENT = {"segment.bytes": "104857600"}
_CONFIGS = {
    GROUPS_TOPIC: {"cleanup.policy": "compact", "compression.type": "producer", **_SEGMENT},
    TRANSACTIONS_TOPIC: {
        "cleanup.policy": "compact",
        "compression.type": "uncompressed",
        "unclean.leader.election.enable": "false",
        **_SEGMENT,
    },
    SHARES_TOPIC: {"cleanup.policy": "delete", "compression.type": "producer", "retention.ms": "-1", **_SEGMENT},
}
_MIN_ISR = {
    TRANSACTIONS_TOPIC: ("transaction.state.log.min.isr", 2),
    SHARES_TOPIC: ("share.coordinator.state.topic.min.isr", 2),
}
"""The broker's config that becomes the topic's, and its default."""


def internal_topic(name: str, partitions: int, factor: int, configs: Mapping[str, str]) -> TopicSection:
    """An internal topic as brokers with these configs create it; min.insync.replicas is at most `factor`."""
    own = dict(_CONFIGS[name])
    if name in _MIN_ISR:
        key, default = _MIN_ISR[name]
        own[MIN_ISR] = str(min(int(configs.get(key, default)), factor))
    return TopicSection(name=name, partitions=partitions, replication_factor=factor, configs=own, producers=0)
