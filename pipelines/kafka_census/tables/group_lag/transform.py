"""The total lag of each listed group.

Sums run over partitions whose lag is known; the number of other partitions is a column beside the sums. The offset of
an earlier topic has no place in the log of the topic that has its name now: what is ahead of it is no known lag. A
group of which nothing was read is a row with the reason, so that no total looks more complete than it is.
"""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.group_lag.columns import GROUP_LAG
from kafka_census.tables.shared.group_reads import group_reads, members
from kafka_census.tables.shared.items import is_true
from kafka_census.tables.shared.reasons import first_that_holds, words

_COUNTS = (
    "topics",
    "partitions",
    "partitions_known",
    "partitions_missed",
    "partitions_without_commit",
    "partitions_unread",
    "partitions_out_of_range",
    "partitions_unassigned",
    "partitions_without_rate",
    "partitions_not_draining",
    "partitions_without_age",
)


def group_lag(
    *,
    lag: DataFrame,
    groups: DataFrame,
    classic: DataFrame,
    consumer: DataFrame,
    share: DataFrame,
    streams: DataFrame,
    offsets: DataFrame,
    share_offsets: DataFrame,
    missing: Sequence[MissingRead],
) -> DataFrame:
    """One row per listed group. Columns: those of `GROUP_LAG`.

    Inputs are `lag`, the rows of consumer_lag of this census, and items: groups of ListGroups; classic, consumer, share
    and streams of the RPCs that describe them; offsets of OffsetFetch, share_offsets of DescribeShareGroupOffsets; and
    the missing reads.
    """
    described = members(classic=classic, consumer=consumer, share=share, streams=streams)
    reads = group_reads(groups, described, offsets, share_offsets, missing)
    known = F.col("partitions_known") > 0
    reason = first_that_holds(
        (known, F.lit(None)),
        (F.col("partitions") > 0, words("no partition's lag is known, such as: ", F.col("example"))),
        otherwise=F.coalesce("offsets_reason", F.lit("no partition is committed, or assigned to a member")),
    )
    # Where it is undecided whether a partition has a member, a member that was not read may have the partition.
    decided = F.coalesce("partitions_undecided", F.lit(0)) == 0
    return (
        reads.join(_sums(lag), "group_id", "left")
        .withColumns({name: F.coalesce(name, F.lit(0)).cast("int") for name in _COUNTS})
        .withColumns(
            {
                "observed_at": F.greatest("reads_at", "lag_at"),
                "lag_reason": reason,
                "lag_seconds_reason": F.when(F.col("lag_seconds").isNull(), F.coalesce(reason, "no_age")),
                "partitions_unassigned": F.when(decided, F.col("partitions_unassigned")),
                "lag_unassigned": F.when(decided & known, F.coalesce("lag_unassigned", F.lit(0))),
            }
        )
        .select(*GROUP_LAG.computed.names)
    )


def _sums(lag: DataFrame) -> DataFrame:
    """One row per group that has partitions."""
    known = F.col("lag").isNotNull() & ~is_true(F.col("topic_state") == "recreated")
    lag_of, unassigned = F.when(known, F.col("lag")), ~F.col("assigned")
    both = F.col("consumption_rate").isNotNull() & F.col("production_rate").isNotNull()
    by_lag = F.struct("lag", "topic", "partition")
    slowest = F.max(F.when(known, by_lag))
    age, method = F.when(known, F.col("lag_seconds")), F.col("lag_seconds_method")
    ageless = known & age.isNull()
    return (
        lag.groupBy("group_id")
        .agg(
            F.size(F.collect_set("topic")).alias("topics"),
            F.count("*").alias("partitions"),
            F.count_if(known).alias("partitions_known"),
            F.count_if(~known).alias("partitions_missed"),
            F.count_if(F.col("range") == "no_commit").alias("partitions_without_commit"),
            F.count_if("lag_unread").alias("partitions_unread"),
            F.count_if(F.col("range").isin("before_start", "after_end")).alias("partitions_out_of_range"),
            F.count_if(unassigned).alias("partitions_unassigned"),
            F.count_if(F.col("assigned").isNull()).alias("partitions_undecided"),
            F.sum(lag_of).alias("lag_total"),
            F.sum(F.when(unassigned, lag_of)).alias("lag_unassigned"),
            slowest.alias("slowest"),
            F.min(F.when(~known, F.coalesce("lag_reason", "topic_reason"))).alias("example"),
            F.sum(F.when(both, F.col("consumption_rate"))).alias("consumption_rate"),
            F.sum(F.when(both, F.col("production_rate"))).alias("production_rate"),
            F.count_if(~both).alias("partitions_without_rate"),
            F.max(F.when(known, F.col("seconds_to_drain"))).alias("seconds_to_drain"),
            F.count_if(known & (F.col("drain_reason") == "not_draining")).alias("partitions_not_draining"),
            F.count_if(ageless).alias("partitions_without_age"),
            F.min(F.when(ageless, F.col("lag_seconds_reason"))).alias("no_age"),
            F.max(age).alias("lag_seconds"),
            F.when(F.bool_or(known & (method == "at_least")), "at_least")
            .otherwise(F.max_by(method, age))
            .alias("lag_seconds_method"),
            F.max(F.when(known, F.col("lag_read_committed_seconds"))).alias("lag_read_committed_seconds"),
            F.max("observed_at").alias("lag_at"),
        )
        .withColumns(
            {
                "lag_max": F.col("slowest.lag"),
                "slowest_topic": F.col("slowest.topic"),
                "slowest_partition": F.col("slowest.partition"),
            }
        )
    )


GROUP_LAG_TRANSFORM = Transform(
    GROUP_LAG,
    group_lag,
    {
        "lag": CONSUMER_LAG,
        "groups": ("ListGroups", "groups"),
        "classic": ("DescribeGroups", "groups"),
        "consumer": ("ConsumerGroupDescribe", "groups"),
        "share": ("ShareGroupDescribe", "groups"),
        "streams": ("StreamsGroupDescribe", "groups"),
        "offsets": ("OffsetFetch", "groups"),
        "share_offsets": ("DescribeShareGroupOffsets", "groups"),
    },
)
