"""What must hold for `usage_by_owner`: every topic and every group is in one row."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, Total
from kafka_census.tables.group_lag.columns import GROUP_LAG
from kafka_census.tables.topics.columns import TOPICS
from kafka_census.tables.usage_by_owner.columns import USAGE_BY_OWNER

_RULES = (
    Rule(
        "parts_are_within_their_whole",
        "least(topics_without_bytes, topics_without_growth, groups_without_lag, replica_bytes, lag_total) >= 0"
        " AND greatest(topics_without_bytes, topics_without_growth) <= topics AND groups_without_lag <= groups",
        "What is not known is counted among topics and groups.",
    ),
    Rule("share_is_a_share", "coalesce(share_of_bytes BETWEEN 0 AND 1, true)", "A share is part of the whole."),
    Rule(
        "only_nobody_has_examples",
        "owner = '' OR size(examples) = 0",
        "Names that no pattern matches are examples of nobody's.",
    ),
)


def _counts(census: Counted) -> DataFrame:
    topics = census.staged(TOPICS).agg(F.count("*").alias("topics"))
    return topics.crossJoin(census.staged(GROUP_LAG).agg(F.count("*").alias("groups")))


USAGE_BY_OWNER_SUITE = Suite(
    USAGE_BY_OWNER,
    _counts,
    _RULES,
    (
        Total("topics_are_all", "topics", "Every topic is in one row.", "sum", "topics"),
        Total("groups_are_all", "groups", "Every group is in one row.", "sum", "groups"),
    ),
)
