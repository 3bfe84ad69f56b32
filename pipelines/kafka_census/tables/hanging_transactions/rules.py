"""What must hold for `hanging_transactions`.

It has one row for each open transaction that a partition reported, and one (producer id -1) for each partition whose
producers are not known, so an empty table means that no transaction is open and all partitions were read.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.hanging_transactions.columns import HANGING_TRANSACTIONS
from kafka_census.tables.producer_state.columns import PRODUCER_STATE

_RULES = (
    Rule(
        "verdict_is_known_word",
        "verdict IN ('hanging', 'held', 'ended', 'unknown')",
        "verdict is one of the words that its comment lists.",
    ),
    Rule(
        "verdict_has_reason",
        "(verdict = 'held') = (reason IS NULL)",
        "A verdict other than held says what it rests on.",
    ),
    Rule(
        "judged_was_rechecked",
        "verdict = 'unknown' OR (rechecked_at IS NOT NULL AND current_txn_start_offset >= 0)",
        "Nothing is judged that was not open, and asked again.",
    ),
    Rule(
        "hanging_has_evidence",
        "(verdict = 'hanging') = (evidence IS NOT NULL) AND coalesce(evidence IN "
        "('no_transactional_id', 'no_description', 'not_in_transaction'), true)",
        "What hangs has one of the pieces of evidence that its comment lists, and nothing else has.",
    ),
    Rule(
        "evidence_is_true",
        "evidence IS NULL OR (evidence = 'no_transactional_id') = (transactional_id IS NULL)",
        "Only where no id was listed can there be none.",
    ),
    Rule(
        "confidence_is_of_hanging",
        "(verdict = 'hanging') = (confidence IS NOT NULL) AND coalesce(confidence IN ('high', 'low'), true)",
        "What hangs does so with high or low confidence.",
    ),
    Rule(
        "low_confidence_has_doubt",
        "(confidence <=> 'low') = (doubt IS NOT NULL)",
        "Low confidence says why.",
    ),
    Rule(
        "held_has_id",
        "verdict != 'held' OR transactional_id IS NOT NULL",
        "A transaction that a coordinator holds has a transactional id.",
    ),
    Rule(
        "run_is_of_hanging",
        "(verdict = 'hanging') = (censuses_hanging > 0) AND (verdict = 'hanging') = (hanging_since IS NOT NULL)",
        "The run of censuses is that of a transaction that hangs now.",
    ),
    Rule(
        "nothing_hangs",
        "NOT confidence <=> 'high'",
        "No transaction hangs beyond doubt; where one does, see evidence.",
        "warning",
    ),
    Rule(
        "nothing_seems_to_hang",
        "NOT confidence <=> 'low'",
        "No transaction may hang, or only look so; where one does, see doubt.",
        "warning",
    ),
    Rule("was_judged", "verdict != 'unknown'", "The partition could be judged; where not, see reason.", "warning"),
)


def _counts(census: Counted) -> DataFrame:
    producers = census.listed("DescribeProducers", "partitions").where("current_txn_start_offset IS NOT NULL")
    opened = producers.agg(F.count_distinct("topic", "partition", "producer_id").alias("opened"))
    unread = census.staged(PRODUCER_STATE).agg(F.count_if(F.col("producer_ids").isNull()).alias("unread"))
    return opened.crossJoin(unread).select((F.col("opened") + F.col("unread")).alias("rows"))


HANGING_TRANSACTIONS_SUITE = Suite(
    HANGING_TRANSACTIONS,
    _counts,
    _RULES,
    (row_count("rows", "There is one row for each open transaction and each partition not read."),),
)
