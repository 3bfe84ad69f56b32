"""Rules for a row that says where a group or a transactional id is coordinated."""

from kafka_census.declarations.placement import AGREEMENTS
from kafka_census.declarations.rules import Rule


def placement_rules(topic: str, partition: str) -> tuple[Rule, ...]:
    """The rules of `placement_columns`; `partition` is the column of the partition of `topic`."""
    agreements = ", ".join(f"'{word}'" for word in sorted(AGREEMENTS))
    return (
        Rule(
            "agreement_is_known_word",
            f"agreement IN ({agreements})",
            "agreement is one of the words that its comment lists.",
        ),
        Rule(
            "disagreement_has_reason",
            "(agreement = 'agree') = (reason IS NULL)",
            "A row that does not agree says why, and only such a row.",
        ),
        Rule(
            "agreement_is_true",
            "agreement != 'agree' OR (found_coordinator = expected_coordinator"
            " AND listed_by = array(found_coordinator))",
            "Where formula, listing and FindCoordinator are said to agree, they do.",
        ),
        Rule(
            "partition_is_in_range",
            f"{partition} IS NULL OR ({partition} >= 0 AND {partition} < {partition}s)",
            f"{partition} is a partition of {topic}.",
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
            "listed_by = sort_array(array_distinct(listed_by))",
            "listed_by names each broker once, ascending.",
        ),
        Rule(
            "coordinators_agree",
            "agreement = 'agree'",
            "Formula, listing and FindCoordinator name the same broker; where not, see reason.",
            "warning",
        ),
    )
