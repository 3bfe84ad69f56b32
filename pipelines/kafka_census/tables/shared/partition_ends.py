"""The start and end offsets of each partition, from the three walks of ListOffsets, and whether its topic is listed.

One aggregate over the walks replaces one join per walk: the walks name the same partitions, and only numbers are kept,
which Spark aggregates without sorting. Offsets only grow: of two answers the larger is the later one.
"""

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.shared.items import broker, newest
from kafka_census.tables.shared.reasons import first_that_holds, not_read, not_read_from, words

ENDS = {"log_start": "earliest", "high_watermark": "latest", "last_stable": "last_stable"}
"""The scope of ListOffsets that reports each column."""


def partition_ends(
    *, partitions: DataFrame, earliest: DataFrame, latest: DataFrame, last_stable: DataFrame
) -> DataFrame:
    """One row per partition: log_start, high_watermark, last_stable, with `_error`; leader_id, leader_epoch, ends_at.

    Inputs are items of DescribeTopicPartitions and of ListOffsets. `leader_epoch` is that of the high watermark, null
    where no broker reported an epoch.
    """
    described = partitions.where(F.col("partition").isNotNull())
    return _by_partition(
        described.select("topic", "partition", "received_at", "leader_id", F.lit(1).alias("described")),
        _answers("log_start", earliest),
        _answers("high_watermark", latest, F.col("leader_epoch")),
        _answers("last_stable", last_stable),
    ).withColumn("leader_id", broker(F.col("leader_id")))


def log_ends(*, earliest: DataFrame, latest: DataFrame) -> DataFrame:
    """One row per partition that a leader answered for: log_start, high_watermark, with `_error`; ends_at.

    Inputs are items of ListOffsets. `high_watermark_at` is when that was received, null with it.
    """
    at = F.when(F.col("offset").isNotNull(), F.col("received_at")).alias("high_watermark_at")
    return _by_partition(_answers("log_start", earliest), _answers("high_watermark", latest, at))


def _answers(name: str, items: DataFrame, *more: Column) -> DataFrame:
    """The answers about one end, under its name."""
    found = F.col("offset").alias(name), F.col("error_code").alias(f"{name}_error")
    return items.select("topic", "partition", "received_at", *found, *more)


def _by_partition(*answers: DataFrame) -> DataFrame:
    union = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), answers)
    kept = [name for name in union.columns if name not in ("topic", "partition", "received_at")]
    return union.groupBy("topic", "partition").agg(
        *[F.max(name).alias(name) for name in kept], F.max("received_at").alias("ends_at")
    )


def listed_topics(topics: DataFrame, partitions: DataFrame) -> DataFrame:
    """One row per topic that Metadata listed: topic_id, partition_count, `topic_error` of DescribeTopicPartitions."""
    refused = partitions.where(F.col("partition").isNull()).groupBy("topic")
    return (
        newest(topics, "topic", "topic_id", "partition_count", "error_code")
        .select(
            "topic",
            "topic_id",
            F.when(F.col("error_code") == 0, F.col("partition_count")).alias("partition_count"),
            F.lit(True).alias("listed"),
        )
        .join(refused.agg(F.max("error_code").alias("topic_error")), "topic", "left")
    )


def end_reason(name: str, missing: Sequence[MissingRead]) -> Column:
    """Why an end (a key of `ENDS`) is not known; null where it is."""
    scope = ENDS[name]
    walk = f"ListOffsets ({scope})"
    return first_that_holds(
        (F.col(name).isNotNull(), F.lit(None)),
        ((F.col("described") == 1) & F.col("leader_id").isNull(), "the partition has no leader"),
        (F.col(f"{name}_error") != 0, words(f"{walk} answered ", error_name(f"{name}_error"))),
        otherwise=F.coalesce(
            not_read_from(missing, "ListOffsets", scope, "leader_id"),
            not_read(missing, "ListOffsets", scope),
            F.lit(f"{walk} did not tell of this partition"),
        ),
    )
