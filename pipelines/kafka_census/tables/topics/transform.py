"""Every topic that Metadata lists, with the most requested facts about topics, from answers that a census reads anyway.

bytes         of the leaders' replicas and of all replicas (`topic_bytes`), and their growth since the previous census
configs       the effective values: the topic's own, or the default of the broker that answered
groups        groups with a row in `consumer_lag`, except for offsets of an earlier topic of the same name
last written  the newest timestamp in any partition; null if that of a partition is not known (`last_written`)
racks         the racks of brokers with replicas, by DescribeCluster
"""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.group_lag.columns import GROUP_LAG
from kafka_census.tables.shared.items import broker, is_true, list_of, newest
from kafka_census.tables.shared.last_written import newest_by_topic, why_not_known
from kafka_census.tables.shared.racks import why_no_racks, with_racks
from kafka_census.tables.shared.reasons import not_read, words
from kafka_census.tables.shared.topic_bytes import topic_bytes, with_growth
from kafka_census.tables.topics.columns import TOPICS

_PARTITION = ["topic", "partition"]
_CONFIGS = {"cleanup_policy": "cleanup.policy", "retention_ms": "retention.ms", "retention_bytes": "retention.bytes"}


def topics(
    *,
    listed: DataFrame,
    partitions: DataFrame,
    cluster: DataFrame,
    configs: DataFrame,
    log_dirs: DataFrame,
    newest_records: DataFrame,
    earliest: DataFrame,
    latest: DataFrame,
    lag: DataFrame,
    groups: DataFrame,
    missing: Sequence[MissingRead],
    previous: DataFrame,
) -> DataFrame:
    """One row per topic. Columns: those of `TOPICS`.

    Inputs are items: listed of Metadata, partitions of DescribeTopicPartitions, cluster of DescribeCluster, configs of
    DescribeConfigs (topics), log_dirs of DescribeLogDirs, newest_records, earliest and latest of ListOffsets; lag and
    groups, rows of consumer_lag and group_lag; the missing reads; and `previous`, the rows of this table of the last
    published census, maybe none.
    """
    described = _described(partitions)
    columns = ("census_id", "cluster_id", "topic_id", "is_internal", "partition_count")
    rows = newest(listed, "topic", *columns).withColumnRenamed("received_at", "listed_at")
    parts = (
        _in_all(described, cluster),
        _refused(partitions),
        topic_bytes(described, log_dirs, missing),
        _configured(configs),
        newest_by_topic(newest_records, earliest, latest, log_dirs),
        _readers(lag),
    )
    for part in parts:
        rows = rows.join(part, "topic", "left")
    known = _judged(rows.crossJoin(F.broadcast(_unread_groups(groups))), missing)
    times = ("listed_at", "described_at", "sized_at", "configured_at", "written_at", "lag_at")
    return with_growth(known, previous).withColumn("observed_at", F.greatest(*times)).select(*TOPICS.computed.names)


def _described(partitions: DataFrame) -> DataFrame:
    """One row per partition: leader_id (null for none), replicas, described_at."""
    last = F.max_by(F.struct("leader_id", "replicas"), "received_at").alias("last")
    return (
        partitions.where(F.col("partition").isNotNull())
        .groupBy(*_PARTITION)
        .agg(last, F.max("received_at").alias("described_at"))
        .select(
            *_PARTITION,
            broker(F.col("last.leader_id")).alias("leader_id"),
            list_of(F.col("last.replicas")).alias("replicas"),
            "described_at",
        )
    )


def _in_all(described: DataFrame, cluster: DataFrame) -> DataFrame:
    """One row per described topic: partitions, replication_factor, racks, replicas_sharing, rackless, any_rack."""
    of_brokers = newest(cluster, "node_id", "rack")
    return (
        with_racks(described, of_brokers.withColumnRenamed("node_id", "broker_id"))
        .groupBy("topic")
        .agg(
            F.count("*").cast("int").alias("described_partitions"),
            F.min(F.size("replicas")).alias("fewest_replicas"),
            F.sort_array(F.array_distinct(F.flatten(F.collect_list(F.array_distinct("racks"))))).alias("racks"),
            F.sum("replicas_sharing").cast("int").alias("replicas_sharing"),
            F.min("rackless").alias("rackless"),
            F.max("brokers_with_rack").alias("brokers_with_rack"),
            F.max("described_at").alias("described_at"),
        )
    )


def _refused(partitions: DataFrame) -> DataFrame:
    """One row per topic whose description was refused, with the error."""
    refused = partitions.where(F.col("partition").isNull())
    return refused.groupBy("topic").agg(F.max(error_name("error_code")).alias("refusal"))


def _configured(configs: DataFrame) -> DataFrame:
    """One row per topic that DescribeConfigs answered: the three configs, or its error."""
    values = [
        F.max_by("value", F.when(F.col("name") == key, F.col("received_at"))).alias(name)
        for name, key in _CONFIGS.items()
    ]
    return (
        configs.where(F.col("name").isNull() | F.col("name").isin(*_CONFIGS.values()))
        .groupBy(F.col("resource_name").alias("topic"))
        .agg(
            *values,
            F.max(error_name("error_code")).alias("config_error"),
            F.max("received_at").alias("configured_at"),
        )
    )


def _readers(lag: DataFrame) -> DataFrame:
    """One row per topic that groups read: their ids."""
    own = (F.col("topic_state") != "recreated") | is_true(F.col("assigned"))
    return (
        lag.where(own)
        .groupBy("topic")
        .agg(F.sort_array(F.collect_set("group_id")).alias("readers"), F.max("observed_at").alias("lag_at"))
    )


def _unread_groups(groups: DataFrame) -> DataFrame:
    """One row: the number of groups that were not completely read, and the reason of one of them."""
    reason = F.coalesce("offsets_reason", "members_reason")
    return groups.agg(
        F.count_if(reason.isNotNull()).alias("unread_groups"),
        F.min(F.when(reason.isNotNull(), F.struct("group_id", reason.alias("line")))).alias("unread_group"),
    )


def _judged(rows: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """Adds every column except those of bytes; values that were not read are null, with a reason."""
    gap = not_read(missing, "DescribeTopicPartitions", "topics")
    described = F.col("described_partitions")
    some = words(described, " of ", F.col("partition_count"), " partitions were described")
    none = F.lit("DescribeTopicPartitions did not describe it")
    is_whole = is_true(described >= F.col("partition_count"))
    reason = F.coalesce(words("DescribeTopicPartitions answered ", F.col("refusal")), gap, some, none)
    config_reason = F.coalesce(
        words("DescribeConfigs answered ", F.col("config_error")),
        not_read(missing, "DescribeConfigs", "topics"),
        F.lit("DescribeConfigs did not report it"),
    )
    unread = words(F.col("unread_groups"), " groups were not wholly read, such as ", F.col("unread_group.group_id"))
    readers = F.coalesce("readers", F.array().cast("array<string>"))
    rows = rows.withColumns(
        {
            "reason": F.when(~is_whole, reason),
            "config_reason": F.when(F.col("cleanup_policy").isNull(), config_reason),
            "groups": F.size(readers),
            "group_ids": readers,
            "groups_reason": F.coalesce(
                not_read(missing, "ListGroups", "groups"),
                F.when(F.col("unread_groups") > 0, words(unread, ": ", F.col("unread_group.line"))),
            ),
            "retention_ms": F.expr("try_cast(retention_ms AS BIGINT)"),
            "retention_bytes": F.expr("try_cast(retention_bytes AS BIGINT)"),
            "partitions": F.when(is_whole, described),
            "replication_factor": F.when(is_whole, F.col("fewest_replicas")),
            **{
                f"{name}_reason": F.coalesce(F.when(~is_whole, reason), f"{name}_reason")
                for name in ("leader_bytes", "replica_bytes")
            },
        }
    )
    written_reason, racks_reason = why_not_known(missing), why_no_racks(F.col("reason"))
    return rows.withColumns(
        {
            **{
                name: F.when(F.col(f"{name}_reason").isNull(), F.col(name))
                for name in ("leader_bytes", "replica_bytes")
            },
            "last_written_reason": written_reason,
            "last_written_at": F.when(written_reason.isNull(), F.col("last_written_at_least")),
            "racks": F.coalesce("racks", F.array().cast("array<string>")),
            "racks_reason": racks_reason,
            "replicas_sharing_rack": F.when(racks_reason.isNull(), F.col("replicas_sharing")),
        }
    )


TOPICS_TRANSFORM = Transform(
    TOPICS,
    topics,
    {
        "listed": ("Metadata", "names"),
        "partitions": ("DescribeTopicPartitions", "topics"),
        "cluster": ("DescribeCluster", "cluster"),
        "configs": ("DescribeConfigs", "topics"),
        "log_dirs": ("DescribeLogDirs", "log_dirs"),
        "newest_records": ("ListOffsets", "max_timestamp"),
        "earliest": ("ListOffsets", "earliest"),
        "latest": ("ListOffsets", "latest"),
        "lag": CONSUMER_LAG,
        "groups": GROUP_LAG,
    },
    previous=True,
)
