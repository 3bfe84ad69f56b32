"""What must hold for `deletable_groups`.

It has one row for each group of `group_coordinator_placement`, and for groups of the previous census that could not be
listed; no group is deletable without evidence, because the deletion acts on the verdict.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT

_RULES = (
    Rule(
        "verdict_is_known_word",
        "verdict IN ('deletable', 'in_use', 'undecided', 'unknown')",
        "verdict is one of the words that its comment lists.",
    ),
    Rule("deletable_is_verdict", "deletable = (verdict = 'deletable')", "deletable is what the verdict says."),
    Rule("verdict_has_reason", "deletable = (reason IS NULL)", "A group that is not deletable says why."),
    Rule(
        "deletable_has_evidence",
        "NOT deletable OR (array_contains(evidence, 'empty') AND size(evidence) > 1)",
        "A deletable group is empty, and that is not all.",
    ),
    Rule(
        "deletable_is_without_members",
        "NOT deletable OR (group_state IN ('Empty', 'Dead') AND members = 0)",
        "A deletable group was described, and has no members.",
    ),
    Rule(
        "deletable_did_not_move",
        "NOT (deletable AND coalesce(offsets_moved, false))",
        "Nobody commits offsets of a deletable group.",
    ),
    Rule(
        "deletable_was_counted",
        "NOT deletable OR censuses_empty > 0",
        "This census is one of the run that found a deletable group empty.",
    ),
    Rule(
        "evidence_is_known_words",
        "size(array_except(evidence, array('empty', 'no_offsets', 'topics_gone', 'left_behind'))) = 0",
        "evidence is of the words that its comment lists.",
    ),
    Rule(
        "run_has_begin",
        "(censuses_empty > 0) = (empty_since IS NOT NULL) AND coalesce(empty_since <= observed_at, true)",
        "A run of censuses began, and not later than now.",
    ),
    Rule(
        "left_behind_is_within_run",
        "censuses_left_behind BETWEEN 0 AND censuses_empty",
        "Censuses in which end offsets grew are of the empty run.",
    ),
    Rule(
        "offsets_have_begin",
        "(offsets_fingerprint IS NULL) = (offsets_unchanged_since IS NULL)"
        " AND coalesce(offsets_unchanged_since <= observed_at, true)",
        "Offsets that were read are unchanged since some census.",
    ),
    Rule(
        "gone_is_within_committed",
        "partitions_gone IS NULL OR partitions_gone BETWEEN 0 AND committed_partitions",
        "Of the partitions with offsets at most all are gone.",
    ),
    Rule(
        "growth_is_of_unmoved",
        "NOT (coalesce(end_offsets_grew, false) AND coalesce(offsets_moved, true))",
        "End offsets are compared only where the group's own did not move.",
    ),
    Rule("group_was_read", "verdict != 'unknown'", "State and offsets were read; where not, see reason.", "warning"),
)


def _counts(census: Counted) -> DataFrame:
    return census.staged(GROUP_COORDINATOR_PLACEMENT).agg(F.count("*").alias("groups"))


DELETABLE_GROUPS_SUITE = Suite(
    DELETABLE_GROUPS,
    _counts,
    _RULES,
    (row_count("groups", "There is a row for each group that was listed.", at_least=True),),
)
