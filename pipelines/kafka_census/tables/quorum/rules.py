"""What must hold for `quorum`: one row for each listed replica, or a single row if none was listed; never empty."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.quorum.columns import QUORUM

_RULES = (
    Rule("role_is_known_word", "role IN ('voter', 'observer', 'unknown')", "role is one of its comment's words."),
    Rule("unread_is_unknown", "(replica_id < 0) = (role = 'unknown')", "Only a row of no replica has no role."),
    Rule(
        "laggard_has_reason",
        "coalesce(caught_up, false) = (reason IS NULL)",
        "A replica that is not known to be caught up says why, and only such a one.",
    ),
    Rule(
        "lags_are_not_negative",
        "coalesce(lag_offsets, 0) >= 0 AND coalesce(lag_ms, 0) >= 0",
        "Nobody is ahead of the leader.",
    ),
    Rule(
        "replica_is_caught_up", "coalesce(caught_up, false)", "The replica is caught up; if not, see reason.", "warning"
    ),
)


def _counts(census: Counted) -> DataFrame:
    replicas = census.listed("DescribeQuorum", "quorum").agg(F.count("*").alias("replicas"))
    return replicas.select(F.greatest("replicas", F.lit(1)).alias("rows"))


QUORUM_SUITE = Suite(
    QUORUM, _counts, _RULES, (row_count("rows", "There is one row for each replica that was listed, or one for none."),)
)
