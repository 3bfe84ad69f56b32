"""What must hold for `transaction_coordinator_placement`.

The table may be empty: a cluster without transactional ids has no rows. It has exactly one row for each id that any
broker listed.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.declarations.walks import TRANSACTIONS_TOPIC
from kafka_census.tables.placement_rules import placement_rules
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT

_OVER = ("Empty", "CompleteCommit", "CompleteAbort", "Dead")

_RULES = (
    *placement_rules(TRANSACTIONS_TOPIC, "transactions_partition"),
    Rule(
        "description_is_whole",
        "(description_reason IS NULL) = (described_state IS NOT NULL AND producer_epoch IS NOT NULL"
        " AND transaction_timeout_ms IS NOT NULL AND written_partitions >= 0)",
        "An id was described with state, epoch, timeout and partitions, or the row says why not.",
    ),
    Rule(
        "duration_or_reason",
        "(duration_ms IS NULL) = (duration_reason IS NOT NULL) AND coalesce(duration_ms, 0) >= 0",
        "duration_ms is known and not negative, or the row says why it is not known.",
    ),
    Rule(
        "only_open_has_duration",
        f"duration_ms IS NULL OR described_state NOT IN {_OVER}",
        "Only an open transaction has a duration.",
    ),
    Rule(
        "over_timeout_has_duration",
        "(over_timeout IS NULL) = (duration_ms IS NULL)",
        "Whether a transaction is over its timeout is known where its duration is.",
    ),
    Rule(
        "id_was_described",
        "description_reason IS NULL",
        "The id could be described; where not, see description_reason.",
        "warning",
    ),
    Rule(
        "transaction_is_within_timeout",
        f"coalesce(NOT over_timeout, description_reason IS NOT NULL OR described_state IN {_OVER})",
        "No transaction is open for longer than its timeout, after which its coordinator should have aborted it; where "
        "that is not known, see duration_reason.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    listed = census.listed("ListTransactions", "transactions")
    return listed.agg(F.count_distinct("transactional_id").alias("transactional_ids"))


TRANSACTION_COORDINATOR_PLACEMENT_SUITE = Suite(
    TRANSACTION_COORDINATOR_PLACEMENT,
    _counts,
    _RULES,
    (row_count("transactional_ids", "There is one row for each transactional id that was listed."),),
)
