"""What must hold for `consumer_lag`.

It has one row for each partition for which a group's offset was read. Partitions that are assigned but were never
committed add rows: the transform decodes assignments, and they are not decoded again only to be counted.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG

_RULES = (
    Rule(
        "range_is_known_word",
        "range IN ('in_range', 'before_start', 'after_end', 'no_commit', 'unknown')",
        "range is one of the words that its comment lists.",
    ),
    Rule(
        "in_range_is_within_the_log",
        "range != 'in_range' OR committed_offset BETWEEN log_start_offset AND high_watermark",
        "An offset that is in range is between both ends of its log.",
    ),
    Rule(
        "topic_state_has_reason",
        "topic_state IN ('exists', 'gone', 'recreated', 'unknown') "
        "AND (topic_state = 'exists') = (topic_reason IS NULL)",
        "topic_state is one of its words; a topic that does not simply exist has a reason.",
    ),
    Rule(
        "lag_is_not_negative",
        "coalesce(lag, 0) >= 0 AND coalesce(lag_read_committed, 0) >= 0",
        "A lag is at least 0, of share groups too, whose lag is Kafka's own.",
    ),
    Rule(
        "unknown_lag_has_reason",
        "(lag IS NULL) = (lag_reason IS NOT NULL)"
        " AND (lag_read_committed IS NULL) = (lag_read_committed_reason IS NOT NULL)",
        "A lag is known, or the row says why it is not.",
    ),
    Rule(
        "unread_lag_is_unknown",
        "lag_unread IS NOT NULL AND NOT (lag_unread AND (lag IS NOT NULL OR range = 'no_commit'))",
        "A lag that was not read is null, and no commit was read.",
    ),
    Rule(
        "outside_the_log_is_no_lag",
        "range NOT IN ('before_start', 'after_end') OR group_type <=> 'share'"
        " OR lag IS NULL AND lag_read_committed IS NULL",
        "From an offset outside its log nothing is read, and no lag counted.",
    ),
    Rule(
        "lag_in_time_has_reason",
        "(lag_seconds IS NULL) = (lag_seconds_reason IS NOT NULL)"
        " AND (lag_seconds IS NULL) = (lag_seconds_method IS NULL)"
        " AND coalesce(lag_seconds_method IN ('exact', 'interpolated', 'at_least'), true)"
        " AND (lag IS NOT NULL OR lag_seconds IS NULL)",
        "A lag in time has a method, and rests on a lag; where it is not known, the row says why.",
    ),
    Rule(
        "lag_in_time_is_bracketed",
        "coalesce(lag_seconds, 0) >= 0 AND coalesce(lag_read_committed_seconds <= lag_seconds, true)"
        " AND coalesce(appended_after < appended_before, true)"
        " AND (lag_seconds_method <> 'interpolated' OR appended_after IS NOT NULL AND appended_before IS NOT NULL"
        " OR lag_seconds IS NULL)",
        "A lag in time is not negative, and an interpolated one has both times that bracket it.",
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
        "A rate compares with a previous census, and is not negative.",
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


def _counts(census: Counted) -> DataFrame:
    offsets, of_share = (census.listed(rpc, "groups") for rpc in ("OffsetFetch", "DescribeShareGroupOffsets"))
    key = ("group_id", "topic", "partition")
    # An error of a whole group has no topic, and is not counted.
    return offsets.select(*key).unionByName(of_share.select(*key)).agg(F.count_distinct(*key).alias("offsets"))


CONSUMER_LAG_SUITE = Suite(
    CONSUMER_LAG,
    _counts,
    _RULES,
    (row_count("offsets", "There is a row for each partition of which an offset was read.", at_least=True),),
)
