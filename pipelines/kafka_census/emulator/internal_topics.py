"""The internal topics of groups and of transactions, as FindCoordinator's walkthrough creates them."""

from kafka_census.emulator.declared import TopicSection
from kafka_census.emulator.topics import GROUPS_TOPIC, MIN_ISR, TRANSACTIONS_TOPIC

FACTOR = 3
"""offsets.topic.replication.factor and its sister; a cluster of fewer brokers has as many as these."""

_CONFIGS = {
    GROUPS_TOPIC: {"cleanup.policy": "compact", "compression.type": "producer", "segment.bytes": "104857600"},
    TRANSACTIONS_TOPIC: {
        "cleanup.policy": "compact",
        "compression.type": "uncompressed",
        "min.insync.replicas": "2",
        "segment.bytes": "104857600",
        "unclean.leader.election.enable": "false",
    },
}


def internal_topic(name: str, partitions: int, factor: int) -> TopicSection:
    """One of them, as it is created; min.insync.replicas is no more than there are replicas."""
    configs = dict(_CONFIGS[name])
    if MIN_ISR in configs:
        configs[MIN_ISR] = str(min(int(configs[MIN_ISR]), factor))
    return TopicSection(name=name, partitions=partitions, replication_factor=factor, configs=configs, producers=0)
