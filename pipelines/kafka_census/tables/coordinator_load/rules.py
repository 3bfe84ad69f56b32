"""What must hold for `coordinator_load`.

It has one row for each broker that DescribeCluster names, that is in a replica list, or that coordinates something. The
ids of a broker are those that would move, would be stranded, or whose next coordinator is unknown.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.coordinator_load.columns import COORDINATOR_LOAD


def _rules_of(ids: str, words: str, led: str) -> tuple[Rule, ...]:
    """The rules for groups, or in the same way for transactional ids."""
    moved = f"aggregate(if_lost, 0L, (n, next) -> n + next.{ids})"
    return (
        Rule(
            f"{ids}_or_reason",
            f"({ids} IS NULL) = ({ids}_reason IS NOT NULL) AND ({led} IS NULL) = ({led}_reason IS NOT NULL)",
            f"{ids} and {led} are known, or the row says why not.",
        ),
        Rule(
            f"{ids}_go_somewhere",
            f"{ids} IS NULL OR {ids} = {moved} + {ids}_stranded + {ids}_unforeseen",
            f"What would become of each of its {words} is said, once.",
        ),
        Rule(
            f"{ids}_share_is_fair",
            f"{ids}_expected IS NULL OR {ids}_expected >= 0",
            f"A share of {words} is not negative.",
        ),
        Rule(
            f"{ids}_skew_is_judged",
            f"({ids}_skew IS NULL) = ({ids}_skew_reason IS NOT NULL) AND ({ids}_skew IS NULL OR"
            f" {ids}_skew IN ('fair', 'unlucky', 'wrong') AND {ids}_p_value BETWEEN 0 AND 1 AND {ids}_chi_square >= 0)",
            f"The skew of {words} is a known word with the statistic behind it, or the row says why there is none.",
        ),
        Rule(
            f"{ids}_have_a_next_coordinator",
            f"coalesce({ids}_stranded, 0) = 0",
            f"No {words} would be without a coordinator if the broker were lost.",
            "warning",
        ),
        Rule(
            f"{ids}_are_placed",
            f"{ids} IS NOT NULL AND {ids}_unplaced = 0",
            f"All {words} are counted at a broker; where not, see {ids}_reason and {ids}_unplaced.",
            "warning",
        ),
        Rule(
            f"{ids}_hash_is_fair",
            f"coalesce({ids}_skew != 'wrong', {ids}_expected IS NOT NULL)",
            f"The names of {words} spread as a fair hash spreads them; where no share is known, that cannot be told.",
            "warning",
        ),
    )


_RULES = (
    Rule(
        "state_is_known_word",
        "broker_state IN ('alive', 'fenced', 'not_alive', 'unknown')",
        "broker_state is one of the words that its comment lists.",
    ),
    *_rules_of("groups", "groups", "offsets_partitions_led"),
    *_rules_of("transactional_ids", "transactional ids", "transactions_partitions_led"),
    Rule(
        "next_are_others",
        "NOT exists(if_lost, next -> next.broker_id <=> broker_id OR next.broker_id IS NULL)"
        " AND transform(if_lost, next -> next.broker_id)"
        " = sort_array(array_distinct(transform(if_lost, next -> next.broker_id)))",
        "if_lost names other brokers, each once, ascending.",
    ),
    Rule(
        "unknown_members_have_reason",
        "members >= 0 OR members_reason IS NOT NULL",
        "The number of members is known, or the row says why it is not.",
    ),
    Rule(
        "undescribed_are_of_its_groups",
        "coalesce(groups_undescribed, 0) BETWEEN 0 AND coalesce(groups, 0)",
        "Of the groups of the broker at most all were not described.",
    ),
    Rule(
        "members_are_whole",
        "members_reason IS NULL",
        "Every group of the broker could be described; where not, see members_reason.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    named = census.listed("DescribeCluster", "cluster").select(F.col("node_id").alias("broker_id"))
    replicas = census.listed("DescribeTopicPartitions", "topics").select(F.explode("replicas").alias("broker_id"))
    known = named.union(replicas)
    for table in COORDINATOR_LOAD.made_of:
        found = F.col("found_coordinator")
        known = known.union(census.staged(table).where(found.isNotNull()).select(found.alias("broker_id")))
    return known.agg(F.count_distinct("broker_id").alias("brokers"))


COORDINATOR_LOAD_SUITE = Suite(
    COORDINATOR_LOAD,
    _counts,
    _RULES,
    (row_count("brokers", "There is one row for each broker that any answer names."),),
)
