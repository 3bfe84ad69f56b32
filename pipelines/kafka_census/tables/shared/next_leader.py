"""The next leader of a partition if its leader were lost.

Kafka's own rule (PartitionChangeBuilder, without unclean election): of the other replicas, in the order of their
assignment, the first in-sync replica; only if there is none, the first that is eligible (KIP-966) and alive. A broker
that is lost or fenced leaves the ISR, but stays eligible: of those, only an alive one can be elected. An election of
the last known leader does not help: that is the lost broker itself, once it is back. An unclean election would help,
and lose the records that the replica lacks: it is not foreseen here.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.tables.shared.items import broker, is_true, list_of

_LISTS = ("replicas", "isr", "eligible_leader_replicas")


def with_next_leader(partitions: DataFrame, brokers: DataFrame) -> DataFrame:
    """One row per partition: topic, partition, `broker_id` (its leader) and `next_leader`, null without one; led_at.

    Inputs are items of DescribeTopicPartitions and of DescribeCluster.
    """
    alive = brokers.agg(F.collect_set(F.when(~is_true(F.col("is_fenced")), F.col("node_id"))).alias("alive"))
    others = F.array_remove("replicas", F.col("leader_id"))
    in_sync = F.array_intersect(others, "isr")
    eligible = F.array_intersect(F.array_intersect(others, "eligible_leader_replicas"), "alive")
    return (
        partitions.where("partition IS NOT NULL")
        .groupBy("topic", "partition")
        .agg(F.max_by(F.struct("leader_id", *_LISTS, "received_at"), "received_at").alias("last"))
        .select("topic", "partition", "last.*")
        .withColumns({name: list_of(F.col(name)) for name in _LISTS})
        .crossJoin(F.broadcast(alive))
        .select(
            "topic",
            "partition",
            broker(F.col("leader_id")).alias("broker_id"),
            F.coalesce(F.get(in_sync, 0), F.get(eligible, 0)).alias("next_leader"),
            F.col("received_at").alias("led_at"),
        )
    )
