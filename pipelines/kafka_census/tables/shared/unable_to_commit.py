"""The number of ids that cannot commit, because the partition that the id hashes to accepts no acks=all write.

Groups commit their offsets to `__consumer_offsets`; transactional ids write every step of a transaction to
`__transaction_state`. Kafka does both with acks=all. Only listed ids are counted: the leader of an id's partition lists
it, so only that broker's list has to be read, and ids of a partition without a leader are listed by no broker, without
an error.

Brokers hash an id by the number of partitions that they read when they started, which differs from the current number
after partitions were added. A broker that lists an id whose hash by the current number is another broker's partition
shows that: then the hash does not give the partition of the id, and the count is null.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.walks import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.shared.items import broker
from kafka_census.tables.shared.java_hash import NOT_APPLICABLE, formula_applies, java_hash, offsets_partition
from kafka_census.tables.shared.reasons import first_that_holds, not_read_from, words


@dataclass(frozen=True)
class _Committers:
    """The ids that commit to one internal topic; `walk` (rpc, scope) lists them in the column `id_column`."""

    words: str
    topic: str
    id_column: str
    walk: tuple[str, str]

    @property
    def counted(self) -> str:
        """The column with their number."""
        return f"{self.words.replace(' ', '_')}_unable_to_commit"


_GROUPS = _Committers("groups", OFFSETS_TOPIC, "group_id", ("ListGroups", "groups"))
_TRANSACTIONAL_IDS = _Committers(
    "transactional ids", TRANSACTIONS_TOPIC, "transactional_id", ("ListTransactions", "transactions")
)


def with_unable_to_commit(
    judged: DataFrame,
    partitions: DataFrame,
    groups: DataFrame,
    transactions: DataFrame,
    missing: Sequence[MissingRead],
) -> DataFrame:
    """Adds `groups_unable_to_commit`, `transactional_ids_unable_to_commit`, a `_reason` of each, and `committers_at`.

    `judged` has topic, partition, leader_id, ready_for_acks_all and its reason. The others are items: partitions of
    DescribeTopicPartitions, groups of ListGroups, transactions of ListTransactions.
    """
    listed = _listed(groups, partitions, _GROUPS).unionByName(_listed(transactions, partitions, _TRANSACTIONAL_IDS))
    rows = judged.join(F.broadcast(listed), ["topic", "leader_id"], "left").withColumn(
        "listed", F.coalesce(F.try_element_at("by_partition", "partition"), F.lit(0))
    )
    used = F.col("topic").isin(OFFSETS_TOPIC, TRANSACTIONS_TOPIC) & ~F.col("ready_for_acks_all")
    return rows.withColumns(_counted(_GROUPS, missing) | _counted(_TRANSACTIONAL_IDS, missing)).withColumn(
        "committers_at", F.when(used, F.col("listed_at"))
    )


def _listed(ids: DataFrame, partitions: DataFrame, who: _Committers) -> DataFrame:
    """One row per broker that lists ids: the number that hash to each partition that it leads, and to none of these."""
    led = (
        partitions.where((F.col("topic") == who.topic) & F.col("partition").isNotNull())
        .groupBy("partition")
        .agg(F.max_by(broker(F.col("leader_id")), "received_at").alias("leader_id"))
    )
    topic = led.agg(
        (F.max("partition") + 1).alias("size"),
        F.map_from_entries(F.collect_list(F.struct("partition", "leader_id"))).alias("leaders"),
    )
    partition = offsets_partition(java_hash(F.col(who.id_column)), F.col("size"))
    here = F.try_element_at("leaders", "partition") == F.col("leader_id")
    return (
        ids.groupBy(who.id_column, F.col("asked_node_id").alias("leader_id"))
        .agg(F.max("received_at").alias("listed_at"))
        .crossJoin(F.broadcast(topic))
        .withColumn("partition", partition)
        .groupBy("leader_id", "partition", F.coalesce(here, F.lit(False)).alias("here"))
        .agg(F.count("*").alias("ids"), F.max("listed_at").alias("listed_at"))
        .groupBy("leader_id")
        .agg(
            F.map_from_entries(F.collect_list(F.when(F.col("here"), F.struct("partition", "ids")))).alias(
                "by_partition"
            ),
            F.coalesce(F.sum(F.when(~F.col("here"), F.col("ids"))), F.lit(0)).alias("elsewhere"),
            F.max("listed_at").alias("listed_at"),
        )
        .withColumn("topic", F.lit(who.topic))
    )


def _counted(who: _Committers, missing: Sequence[MissingRead]) -> dict[str, Column]:
    """The number of ids at a partition of their topic and why it is not known; both null for other topics."""
    theirs, ready = F.col("topic") == who.topic, F.col("ready_for_acks_all")
    elsewhere = words(
        F.col("elsewhere"),
        f" {who.words} that broker ",
        F.col("leader_id"),
        f" lists hash to partitions of other brokers: it may know another number of partitions of {who.topic}",
    )
    reason = first_that_holds(
        (~theirs | ready, F.lit(None)),
        (ready.isNull(), F.col("reason")),
        (F.col("leader_id").isNull(), F.lit(f"no leader: its {who.words} are listed by no broker")),
        (~formula_applies(F.col("cluster_id")), F.lit(NOT_APPLICABLE)),
        (F.col("elsewhere") > 0, elsewhere),
        otherwise=not_read_from(missing, *who.walk, "leader_id"),
    )
    number = F.when(ready, F.lit(0)).otherwise(F.col("listed"))
    return {
        who.counted: F.when(theirs & reason.isNull(), number).cast("bigint"),
        f"{who.counted}_reason": reason,
    }
