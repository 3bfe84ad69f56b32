"""What must hold for `failure_impact`.

It is never empty: it has one row for nothing, and one for each broker, rack and log dir that the tables it is made of
name, and for each voter.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.impact.verdict import VERDICTS
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.failure_impact.columns import FAILURE_IMPACT, KINDS
from kafka_census.tables.quorum.columns import QUORUM

_OF_PARTITIONS = (
    "offline_partitions",
    "offline_topics",
    "unclean_partitions",
    "last_in_sync_partitions",
    "leaders_moving",
)
_OF_MINIMA = ("under_min_isr_partitions", "at_min_isr_partitions")
_OF_IDS = ("groups_stranded", "transactional_ids_stranded")

_RULES = (
    Rule("kind_is_known_word", f"kind IN {KINDS}", "kind is one of the words that its comment lists."),
    Rule("verdict_is_known_word", f"verdict IN {VERDICTS}", "verdict is one of the words that its comment lists."),
    Rule("verdict_has_reason", "reason IS NOT NULL", "The row says what its verdict rests on."),
    Rule("only_nothing_has_no_name", "(kind = 'nothing') = (name = '')", "What can be lost has a name."),
    Rule(
        "partitions_or_reason",
        " AND ".join(f"({name} IS NULL) = (partitions_reason IS NOT NULL)" for name in _OF_PARTITIONS),
        "Partitions are counted, or the row says why not.",
    ),
    Rule(
        "minima_or_reason",
        " AND ".join(
            f"({name} IS NULL) = (coalesce(partitions_reason, min_isr_reason) IS NOT NULL)" for name in _OF_MINIMA
        ),
        "Partitions at and under their minimum ISR are counted, or the row says why not.",
    ),
    Rule(
        "ids_or_reason",
        " AND ".join(f"({name} IS NULL) = ({name.removesuffix('_stranded')}_reason IS NOT NULL)" for name in _OF_IDS),
        "Stranded groups and transactional ids are counted, or the row says why not.",
    ),
    Rule(
        "offline_bytes_or_reason",
        "(offline_bytes IS NULL) = (offline_bytes_reason IS NOT NULL)",
        "The bytes that go offline are known, or the row says why not.",
    ),
    Rule(
        "reassignments_or_reason",
        "(reassignments_stopped IS NULL) = (reassignments_reason IS NOT NULL)",
        "The reassignments that stop are counted, or the row says why not.",
    ),
    Rule(
        "moves_go_somewhere",
        "leaders_moving IS NULL OR leaders_moving = aggregate(leaders_to, 0L, (n, heir) -> n + heir.leaders)",
        "Each leader that moves goes to one broker.",
    ),
    Rule(
        "stranded_are_of_moving",
        "coalesce(groups_stranded <= groups_moving, true) "
        "AND coalesce(transactional_ids_stranded <= transactional_ids_moving, true)",
        "Stranded ids are some of those whose coordinator is lost.",
    ),
    Rule(
        "safe_is_known",
        "verdict NOT IN ('safe', 'degrades') OR (offline_partitions = 0 AND unclean_partitions = 0 "
        "AND under_min_isr_partitions = 0 AND coalesce(keeps_quorum, quorum_reason IS NULL) "
        "AND groups_stranded IS NOT NULL AND transactional_ids_stranded IS NOT NULL) IS TRUE",
        "Nothing is called safe of which an answer is missing, or that stops something.",
    ),
    Rule(
        "harm_is_told",
        "verdict <> 'loses_availability' OR "
        "coalesce(offline_partitions + unclean_partitions > 0 OR NOT keeps_quorum, partitions_reason IS NOT NULL)",
        "A loss of availability shows partitions without a leader that was in sync, or a quorum without a majority.",
    ),
    Rule(
        "impact_is_known",
        "verdict <> 'unknown'",
        "What the loss would stop is known; where not, see reason.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    brokers = (
        census.staged(BROKERS)
        .where("state <> 'gone'")
        .agg(F.count("*").alias("brokers"), F.count_distinct("rack").alias("racks"))
    )
    voters = census.staged(QUORUM).where("role = 'voter'").agg(F.count_distinct("replica_id").alias("voters"))
    return brokers.crossJoin(voters).select((F.col("brokers") + F.col("racks") + F.col("voters") + 1).alias("things"))


FAILURE_IMPACT_SUITE = Suite(
    FAILURE_IMPACT,
    _counts,
    _RULES,
    (
        row_count(
            "things",
            "There is a row for nothing, and one for each broker, rack and voter, besides those of log dirs.",
            at_least=True,
        ),
    ),
)
