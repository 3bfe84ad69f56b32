"""The lag of each group, one row per partition that the group has committed or that a member is assigned.

Committed offsets alone would leave out partitions that are read and never committed; assignments alone would leave out
groups without members. `range` says where the offset is in the log. An offset outside of it has no lag: nothing can be
read there, so the consumer resets.

The three answers are no snapshot. Log starts are read before commits, and end offsets after them, and all of them only
grow, so each comparison can err in one direction only:

    before_start  is certain: the start was beyond the offset before the offset was read. A start that moved
                  past the offset afterwards is missed, and the lag then counts the deleted records
    after_end     is certain: the end was read later, and was still below
    lag           may be too large, by what was produced and committed between the answers; never too small

    no_commit     no offset: the consumer starts by auto.offset.reset; never 0, and never the end
    before_start  the records at the offset were deleted before the offset was read
    after_end     the log was truncated or recreated, or the offset was set by hand
    unknown       the offset, or an end that would decide, was not read

A lag that is null is either not read, or not there to read: no offset is committed, it is outside its log, the topic is
gone, Kafka keeps no start offset or tells no lag of a share partition. `lag_unread` distinguishes them. Kafka answers
without an error for a share partition whose state it could not read (GroupCoordinatorService): where a partition of
`__share_group_state` has no leader, a start offset that is not told was not read.

How old a lag is in time: see `lag_in_time.py`.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.consumer_lag.lag_in_time import with_end_history, with_lag_in_time
from kafka_census.tables.partitions.columns import PARTITIONS
from kafka_census.tables.shared.drain import with_rates
from kafka_census.tables.shared.group_reads import group_reads, is_share, members
from kafka_census.tables.shared.items import is_true
from kafka_census.tables.shared.partition_ends import end_reason, listed_topics, partition_ends
from kafka_census.tables.shared.positions import KEY, positions
from kafka_census.tables.shared.reasons import first_that_holds, not_read, words
from kafka_census.tables.shared.topic_state import LOG_IS_THERE, with_topic_state


def consumer_lag(
    *,
    groups: DataFrame,
    classic: DataFrame,
    consumer: DataFrame,
    share: DataFrame,
    streams: DataFrame,
    offsets: DataFrame,
    share_offsets: DataFrame,
    topics: DataFrame,
    partitions: DataFrame,
    earliest: DataFrame,
    latest: DataFrame,
    last_stable: DataFrame,
    missing: Sequence[MissingRead],
    previous: DataFrame,
    ends_before: DataFrame | None = None,
) -> DataFrame:
    """One row per group and partition. Columns: those of `CONSUMER_LAG`.

    Inputs are items: groups of ListGroups; classic, consumer, share and streams of the RPCs that describe them; offsets
    of OffsetFetch, share_offsets of DescribeShareGroupOffsets; topics of Metadata, partitions of
    DescribeTopicPartitions; earliest, latest and last_stable of ListOffsets; the missing reads; `previous`, the rows of
    this table of the last published census, maybe none; and `ends_before`, the rows of `partitions` of this census, if
    it has them.
    """
    described = members(classic=classic, consumer=consumer, share=share, streams=streams)
    listed = listed_topics(topics, partitions)
    reads = group_reads(groups, described, offsets, share_offsets, missing)
    ends = partition_ends(partitions=partitions, earliest=earliest, latest=latest, last_stable=last_stable)
    rows = (
        positions(offsets=offsets, share_offsets=share_offsets, members=described, sizes=listed)
        .join(_before(previous), KEY, "left")
        .join(F.broadcast(reads), "group_id")
        .join(F.broadcast(listed), "topic", "left")
        .join(with_end_history(ends, ends_before), ["topic", "partition"], "left")
        .withColumn("starts_gap", not_read(missing, "DescribeShareGroupOffsets", "groups"))
        .withColumn("topics_gap", not_read(missing, "Metadata", "names"))
        .withColumn("partitions_gap", not_read(missing, "DescribeTopicPartitions", "topics"))
        .withColumns(
            {f"{end}_reason": end_reason(end, missing) for end in ("log_start", "high_watermark", "last_stable")}
        )
    )
    judged = with_lag_in_time(with_rates(_with_lag(_with_commit(with_topic_state(rows)))))
    return judged.withColumns(
        {
            "assigned": F.when(F.size("member_ids") > 0, F.lit(True)).when(
                F.col("assigned_reason").isNull(), F.lit(False)
            ),
            "assigned_reason": F.when(F.size("member_ids") == 0, F.col("assigned_reason")),
            "committed_leader_epoch": F.col("reported.leader_epoch"),
            "metadata": F.col("reported.metadata"),
            "log_start_offset": F.col("log_start"),
            "last_stable_offset": F.col("last_stable"),
        }
    ).select(*CONSUMER_LAG.computed.names)


def _before(previous: DataFrame) -> DataFrame:
    """The rows of the previous census, by key, with renamed columns."""
    kept = ("topic_id", "topic_state", "committed_offset", "committed_leader_epoch", "high_watermark")
    return previous.select(
        *KEY,
        F.col("census_id").alias("previous_census_id"),
        F.col("observed_at").alias("before_at"),
        *[F.col(name).alias(f"before_{name}") for name in kept],
    )


def _with_commit(rows: DataFrame) -> DataFrame:
    """Adds `range`, the reason where committed_offset is null, and `told`: Kafka said of the offset what it has."""
    committed, start, end = F.col("committed_offset"), F.col("log_start"), F.col("high_watermark")
    reported, error, share = F.col("reported").isNotNull(), F.col("reported.error_code"), is_share()
    rpc = F.when(share, "DescribeShareGroupOffsets").otherwise("OffsetFetch")
    missing = committed.isNull()
    # OffsetFetch leaves out hidden topics: of a topic that is not listed, a missing offset does not mean no commit.
    silence = F.col("offsets_reason").isNull() & F.col("topic_state").isin(*LOG_IS_THERE)
    never = missing & ~share & F.when(reported, error == 0).otherwise(silence)
    reason = first_that_holds(
        (~missing, F.lit(None)),
        (never, "no offset is committed: it starts by auto.offset.reset"),
        (error != 0, words(rpc, " answered ", error_name("reported.error_code"), " for this partition")),
        (~reported & F.col("offsets_reason").isNotNull(), F.col("offsets_reason")),
        (share, "its start offset is not known: it was never read, or Kafka could not read its state"),
        otherwise=words(rpc, " did not tell of it: ", F.col("topic_reason")),
    )
    kind = first_that_holds(
        (never, "no_commit"),
        (committed < start, "before_start"),
        (committed > end, "after_end"),
        ((committed >= start) & (committed <= end), "in_range"),
        otherwise="unknown",
    )
    told = F.when(reported, error == 0).otherwise(silence) & ~(share & missing & F.col("starts_gap").isNotNull())
    return rows.withColumns({"range": kind, "committed_reason": reason, "told": is_true(told)})


def _with_lag(rows: DataFrame) -> DataFrame:
    """Adds lag, lag_read_committed, their reasons where null, `lag_unread`, and raw_lag."""
    committed, start, share = F.col("committed_offset"), F.col("log_start"), is_share()
    outside = first_that_holds(
        (F.col("range") == "before_start", "the records at the committed offset are deleted: the consumer will reset"),
        (F.col("range") == "after_end", "the committed offset is after the end of the log: the consumer will reset"),
    )
    known = committed.isNotNull() & start.isNotNull() & outside.isNull()

    def up_to(end: str) -> Column:
        # A consumer that reads uncommitted records may be past the last stable offset.
        return F.when(known & F.col(end).isNotNull(), F.greatest(F.col(end) - committed, F.lit(0)))

    def why_not(end: str, of_share: str) -> Column:
        lost = ~F.col("topic_state").isin(*LOG_IS_THERE)
        return F.coalesce(
            "committed_reason",
            F.when(lost, F.col("topic_reason")),
            F.when(share, F.lit(of_share)),
            outside,
            f"{end}_reason",
            "log_start_reason",
        )

    lag = F.when(share, F.col("reported.share_lag")).otherwise(up_to("high_watermark"))
    stable = F.when(~share, up_to("last_stable"))
    nothing_to_read = F.col("told") & (
        share | committed.isNull() | outside.isNotNull() | ~F.col("topic_state").isin("exists", "unknown")
    )
    not_reported = "DescribeShareGroupOffsets did not tell the lag"
    not_stable = "Kafka tells one lag of a share group, not one for each isolation level"
    return rows.withColumns(
        {
            "lag": lag,
            "lag_reason": F.when(lag.isNull(), why_not("high_watermark", not_reported)),
            "lag_unread": lag.isNull() & ~nothing_to_read,
            "lag_read_committed": stable,
            "lag_read_committed_reason": F.when(stable.isNull(), why_not("last_stable", not_stable)),
            "raw_lag": F.col("high_watermark") - committed,
            "observed_at": F.greatest("position_at", "ends_at", "reads_at"),
        }
    )


CONSUMER_LAG_TRANSFORM = Transform(
    CONSUMER_LAG,
    consumer_lag,
    {
        "groups": ("ListGroups", "groups"),
        "classic": ("DescribeGroups", "groups"),
        "consumer": ("ConsumerGroupDescribe", "groups"),
        "share": ("ShareGroupDescribe", "groups"),
        "streams": ("StreamsGroupDescribe", "groups"),
        "offsets": ("OffsetFetch", "groups"),
        "share_offsets": ("DescribeShareGroupOffsets", "groups"),
        "topics": ("Metadata", "names"),
        "partitions": ("DescribeTopicPartitions", "topics"),
        "earliest": ("ListOffsets", "earliest"),
        "latest": ("ListOffsets", "latest"),
        "last_stable": ("ListOffsets", "last_stable"),
        "ends_before": PARTITIONS,
    },
    previous=True,
)
