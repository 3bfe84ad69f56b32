"""What must hold for `consumer_lag`.

The table is empty where no group has committed an offset or was assigned a partition. Otherwise
it has one row for each partition that a group's offsets or its members' assignments name.
"""

from collections.abc import Mapping

from great_expectations.expectations.expectation import Expectation
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.quality.suite import Counted, Rule, Suite, row_count
from kafka_census.tables.consumer_lag import CONSUMER_LAG
from kafka_census.transforms.group_reads import assigned, members

_SHARE = "coalesce(group_type = 'share', false)"
_POSITION = "greatest(committed_offset, log_start_offset)"

_RULES = (
    Rule(
        "range_is_known_word",
        "range IN ('in_range', 'before_start', 'after_end', 'no_commit', 'unknown')",
        "range is one of the words that its comment lists.",
    ),
    Rule(
        "range_is_true",
        "CASE range WHEN 'in_range' THEN committed_offset BETWEEN log_start_offset AND high_watermark "
        "WHEN 'before_start' THEN committed_offset < log_start_offset "
        "WHEN 'after_end' THEN committed_offset > high_watermark "
        "WHEN 'no_commit' THEN committed_offset IS NULL "
        "ELSE committed_offset IS NULL OR log_start_offset IS NULL OR high_watermark IS NULL END",
        "The offset is where range says that it is.",
    ),
    Rule(
        "topic_state_has_reason",
        "topic_state IN ('exists', 'gone', 'recreated', 'unknown') "
        "AND (topic_state = 'exists') = (topic_reason IS NULL)",
        "topic_state is one of its words; a topic that does not simply exist has a reason.",
    ),
    Rule(
        "lag_is_from_the_effective_offset",
        f"{_SHARE} OR lag <=> IF(committed_offset IS NULL OR log_start_offset IS NULL, NULL, "
        f"high_watermark - least({_POSITION}, high_watermark))",
        "lag is what is ahead of the committed offset, or of the log's start; never below 0.",
    ),
    Rule(
        "stable_lag_is_from_the_effective_offset",
        f"lag_read_committed <=> IF({_SHARE} OR committed_offset IS NULL OR log_start_offset IS NULL, NULL, "
        f"last_stable_offset - least({_POSITION}, last_stable_offset))",
        "lag_read_committed is the same up to last_stable_offset.",
    ),
    Rule(
        "share_lag_is_not_negative",
        f"NOT {_SHARE} OR coalesce(lag, 0) >= 0",
        "The lag that Kafka gives for a share group is not negative.",
    ),
    Rule(
        "unknown_lag_has_reason",
        "(lag IS NULL) = (lag_reason IS NOT NULL)"
        " AND (lag_read_committed IS NULL) = (lag_read_committed_reason IS NOT NULL)",
        "A lag is known, or the row says why it is not.",
    ),
    Rule(
        "assigned_has_members",
        "coalesce(assigned, false) = (size(member_ids) > 0) AND (assigned IS NULL) = (assigned_reason IS NOT NULL)",
        "Who has an assigned partition is named; where nobody can tell, the row says why.",
    ),
    Rule(
        "no_commit_is_no_lag",
        "range != 'no_commit' OR lag IS NULL AND raw_lag IS NULL",
        "No offset is no lag: neither 0 nor the whole log.",
    ),
    Rule(
        "rates_have_history",
        "(consumption_rate IS NULL AND production_rate IS NULL OR previous_census_id IS NOT NULL)"
        " AND coalesce(consumption_rate, 0) >= 0 AND coalesce(production_rate, 0) >= 0",
        "A rate compares with a census before, and is not negative.",
    ),
    Rule(
        "drain_has_reason",
        "(seconds_to_drain IS NULL) = (drain_reason IS NOT NULL) AND "
        "coalesce(drain_reason IN ('lag_unknown', 'no_history', 'reset', 'not_draining'), true)",
        "seconds_to_drain is known, or one word says why it is not.",
    ),
    Rule(
        "drain_has_rates",
        "seconds_to_drain IS NULL OR lag = 0 AND seconds_to_drain = 0 OR consumption_rate > production_rate",
        "A time to drain rests on consumption that is faster than production.",
    ),
    Rule("lag_is_known", "lag IS NOT NULL", "The lag could be computed; where not, see lag_reason.", "warning"),
    Rule(
        "offset_is_in_its_log",
        "range NOT IN ('before_start', 'after_end')",
        "The committed offset is within the log; where not, records were deleted, or the log is another one.",
        "warning",
    ),
    Rule(
        "topic_exists",
        "topic_state NOT IN ('gone', 'recreated')",
        "The topic of the committed offset exists; where not, see topic_reason.",
        "warning",
    ),
)


def _described(census: Counted, rpc: str) -> DataFrame:
    # Rows are counted: it does not matter when they were received.
    return census.listed(rpc, "groups").withColumn("received_at", F.lit(None).cast("timestamp"))


def _counts(census: Counted) -> DataFrame:
    described = members(
        classic=_described(census, "DescribeGroups"),
        consumer=_described(census, "ConsumerGroupDescribe"),
        share=_described(census, "ShareGroupDescribe"),
        streams=_described(census, "StreamsGroupDescribe"),
    )
    sizes = census.listed("Metadata", "names").where("error_code = 0").select("topic", "partition_count")
    key = ("group_id", "topic", "partition")
    named = (
        census.listed("OffsetFetch", "groups")
        .select(*key)
        .unionByName(census.listed("DescribeShareGroupOffsets", "groups").select(*key))
        .where(F.col("topic").isNotNull())
        .unionByName(assigned(described, sizes).select(*key))
    )
    return named.agg(F.count_distinct(*key).alias("rows"))


def _expectations(counted: Mapping[str, int]) -> tuple[Expectation, ...]:
    return (row_count(counted["rows"], "There is one row for each partition that offsets or assignments name."),)


CONSUMER_LAG_SUITE = Suite(CONSUMER_LAG, _counts, _RULES, _expectations)
