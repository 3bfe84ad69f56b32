"""Whether a broker has the replica of a requested partition, in a log dir that is online.

Kafka's `ReplicaManager` checks this before an RPC reads the leader, the log or the producers.
"""

from kafka_emulator.replicas import Partition
from kafka_emulator.topics import Topic
from kafka_emulator.world import World

UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER, KAFKA_STORAGE_ERROR = 3, 6, 56


def hosted(world: World, broker: int, topic: Topic | None, index: int) -> Partition | int:
    """The partition if the broker has a replica; else 3 no such partition, 6 others have it, 56 its dir is offline."""
    if topic is None or not 0 <= index < topic.partitions:
        return UNKNOWN_TOPIC_OR_PARTITION
    state = world.topics.partition(topic, index)
    if broker not in state.replicas:
        return NOT_LEADER_OR_FOLLOWER
    offline = world.offline_dirs(broker)
    return KAFKA_STORAGE_ERROR if offline and world.topics.log_dir(topic, index, broker) in offline else state
