"""What must hold for `group_coordinator_placement`.

The table may be empty: a cluster without groups has none. It has exactly one row for
each group that any broker listed.
"""

from collections.abc import Mapping

from great_expectations.expectations.expectation import Expectation
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.quality.suite import Counted, Rule, Suite, row_count
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT

_AGREEMENTS = (
    "'agree', 'formula_differs', 'listed_elsewhere', 'listed_nowhere', 'listed_twice', 'no_coordinator', 'unknown'"
)

_RULES = (
    Rule(
        "agreement_is_known_word",
        f"agreement IN ({_AGREEMENTS})",
        "agreement is one of the words that its comment lists.",
    ),
    Rule(
        "disagreement_has_reason",
        "(agreement = 'agree') = (reason IS NULL)",
        "A row that does not agree says why, and only such a row.",
    ),
    Rule(
        "agreement_is_true",
        "agreement != 'agree' OR (found_coordinator = expected_coordinator AND listed_by = array(found_coordinator))",
        "Where formula, listing and FindCoordinator are said to agree, they do.",
    ),
    Rule(
        "partition_is_in_range",
        "offsets_partition IS NULL OR (offsets_partition >= 0 AND offsets_partition < offsets_partitions)",
        "offsets_partition is a partition of __consumer_offsets.",
    ),
    Rule(
        "unexpected_has_reason",
        "(expected_coordinator IS NULL) = (expected_reason IS NOT NULL)",
        "expected_coordinator is known, or the row says why it is not.",
    ),
    Rule(
        "found_has_endpoint",
        "found_coordinator IS NULL OR (found_host IS NOT NULL AND found_port BETWEEN 1 AND 65535)",
        "A coordinator that FindCoordinator named has a host and a port.",
    ),
    Rule(
        "listed_by_is_sorted_set",
        "listed_by = array_sort(array_distinct(listed_by))",
        "listed_by names each broker once, ascending.",
    ),
    Rule(
        "coordinators_agree",
        "agreement = 'agree'",
        "Formula, listing and FindCoordinator name the same broker; where not, see reason.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    return census.listed("ListGroups", "groups").agg(F.count_distinct("group_id").alias("groups"))


def _expectations(counted: Mapping[str, int]) -> tuple[Expectation, ...]:
    return (row_count(counted["groups"], "There is one row for each group that was listed."),)


GROUP_COORDINATOR_PLACEMENT_SUITE = Suite(GROUP_COORDINATOR_PLACEMENT, _counts, _RULES, _expectations)
