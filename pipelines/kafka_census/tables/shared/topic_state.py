"""Whether the topic of a committed offset exists, and whether the offset was committed for this topic.

OffsetFetch shows offsets of deleted topics until they are tombstoned, and under a re-created topic's name until the
group commits again: it has no topic ids. Two kinds of offsets are known to be of an earlier topic:

- an offset whose leader epoch is beyond the partition's: epochs only grow, and the partition's was read later;
- an offset that is the same as in the previous census, with the same leader epoch, when the topic had another id.
  Later censuses treat it the same while it does not change, except for a group at the end of the log: its commits
  would repeat the same number for the new topic, and there is nothing to read in either case.

Other signs would be guesses: an offset beyond the end may also belong to a truncated log. The state of a share
partition is kept by topic id (KIP-932), so that a start offset is never an earlier topic's.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.pages.error_name import error_name
from kafka_census.tables.shared.group_reads import is_share
from kafka_census.tables.shared.items import is_true
from kafka_census.tables.shared.reasons import first_that_holds, words

LOG_IS_THERE = ("exists", "recreated")
_GONE = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.value, ErrorCode.UNKNOWN_TOPIC_ID.value)
"""UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID."""


def with_topic_state(rows: DataFrame) -> DataFrame:
    """Adds `topic_state` and `topic_reason` to rows of offsets, which have the answers about topic and partition."""
    listed = F.col("listed").isNotNull()
    seen = F.col("described").isNotNull() & ~is_true(F.col("high_watermark_error").isin(*_GONE))
    reported, by_name = F.col("reported").isNotNull(), ~is_share()
    epoch, now = F.col("reported.leader_epoch"), F.col("leader_epoch")
    unmoved = (F.col("committed_offset") == F.col("before_committed_offset")) & epoch.eqNullSafe(
        F.col("before_committed_leader_epoch")
    )
    at_end = is_true(F.col("committed_offset") == F.col("high_watermark"))
    count = F.col("partition_count")
    fewer = words("the topic had ", count, " partitions when listed: it is re-created with fewer, or grew since")
    rules = (
        (
            by_name & seen & (epoch > now),
            "recreated",
            words("committed at leader epoch ", epoch, ", the partition is at ", now),
        ),
        (
            by_name & seen & unmoved & (F.col("before_topic_id") != F.col("topic_id")),
            "recreated",
            words("the topic had another id in the previous census: ", F.col("before_topic_id")),
        ),
        (
            by_name & seen & unmoved & (F.col("before_topic_state") == "recreated") & ~at_end,
            "recreated",
            F.lit("the offset was an earlier topic's in the previous census, and is still the same"),
        ),
        (seen, "exists", F.lit(None)),
        (
            F.coalesce("high_watermark_error", "topic_error").isin(*_GONE),
            "gone",
            F.lit("the topic was deleted during the census"),
        ),
        (~listed & F.col("topics_gap").isNotNull(), "unknown", F.col("topics_gap")),
        # OffsetFetch leaves out topics that the principal may not describe: a topic that it shows is not hidden.
        (~listed & reported, "gone", F.lit("Metadata does not list the topic: it is deleted, or was created since")),
        (~listed, "unknown", F.lit("Metadata does not list the topic: it is deleted, or hidden from this principal")),
        (F.col("partition") >= count, "unknown", fewer),
        (
            F.col("topic_error") != 0,
            "unknown",
            words("DescribeTopicPartitions answered ", error_name("topic_error"), " for this topic"),
        ),
    )
    undescribed = F.coalesce("partitions_gap", F.lit("DescribeTopicPartitions did not describe the partition"))
    return rows.withColumns(
        {
            "topic_state": first_that_holds(*[(holds, word) for holds, word, _ in rules], otherwise="unknown"),
            "topic_reason": first_that_holds(*[(holds, why) for holds, _, why in rules], otherwise=undescribed),
        }
    )
