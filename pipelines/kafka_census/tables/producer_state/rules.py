"""What must hold for `producer_state`.

It has one row for each partition that was described, and one (partition -1) for each topic that could not be described,
so that an incomplete description is noticed.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.producer_state.columns import PRODUCER_STATE

_RULES = (
    Rule(
        "unknown_has_reason",
        "(producer_ids IS NULL) = (reason IS NOT NULL)",
        "producer_ids is known, or the row says why it is not.",
    ),
    Rule(
        "numbers_are_of_one_answer",
        "(producer_ids IS NULL) = (idempotent_only IS NULL) AND (producer_ids IS NULL) = (open_transactions IS NULL)",
        "The numbers of a partition are all known, or none is.",
    ),
    Rule(
        "kinds_are_within_all",
        "producer_ids IS NULL OR (idempotent_only >= 0 AND open_transactions >= 0 "
        "AND idempotent_only + open_transactions <= producer_ids)",
        "Idempotent-only producers and those with an open transaction are different ones.",
    ),
    Rule(
        "share_is_a_part",
        "idempotent_only_share IS NULL OR idempotent_only_share BETWEEN 0 AND 1",
        "At most all producers are idempotent-only ones.",
    ),
    Rule(
        "open_transaction_has_offset",
        "coalesce(open_transactions, 0) > 0 = (oldest_open_offset IS NOT NULL)",
        "An open transaction begins somewhere.",
    ),
    Rule(
        "growth_has_census",
        "(producer_ids_per_hour IS NULL) = (previous_census_id IS NULL)",
        "Growth says which census it compares with.",
    ),
    Rule(
        "producers_were_read",
        "producer_ids IS NOT NULL",
        "The producers could be read; where not, see reason.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    return census.listed("DescribeTopicPartitions", "topics").agg(
        F.count_distinct("topic", F.coalesce("partition", F.lit(-1))).alias("rows")
    )


PRODUCER_STATE_SUITE = Suite(
    PRODUCER_STATE, _counts, _RULES, (row_count("rows", "There is one row for each partition that was described."),)
)
