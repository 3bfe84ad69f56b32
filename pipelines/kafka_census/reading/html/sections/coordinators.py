"""The load of coordinators, its skew, and groups whose coordinator is in doubt."""

from kafka_census.reading.html.cells import CHIP, NUMBER, PROSE, RATIO
from kafka_census.reading.html.figure import Column, Figure, Section

COORDINATORS = Section(
    "coordinators",
    "Coordinators",
    (
        Figure(
            "Load by broker",
            "How many groups and transactional ids does each broker coordinate?",
            """\
SELECT broker_id, broker_state, groups, transactional_ids, groups_expected, members, offsets_partitions_led,
       groups_stranded
FROM current_coordinator_load
WHERE cluster_id = $cluster_id
ORDER BY groups DESC NULLS FIRST, broker_id""",
            (
                Column("broker", of="broker"),
                Column("state", CHIP),
                Column("groups", NUMBER, bar=True),
                Column("transactional ids", NUMBER, bar=True),
                Column("fair share of groups", NUMBER),
                Column("members", NUMBER),
                Column("offsets partitions led", NUMBER),
                Column("groups stranded without it", NUMBER),
            ),
        ),
        Figure(
            "Skew",
            "Is the spread over partitions what a fair hash would give?",
            """\
SELECT DISTINCT unnest(['groups', 'transactional ids']) AS what,
       unnest([groups_skew, transactional_ids_skew]) AS skew,
       unnest([groups_p_value, transactional_ids_p_value]) AS p_value,
       unnest([groups_unplaced, transactional_ids_unplaced]) AS unplaced,
       unnest([groups_skew_reason, transactional_ids_skew_reason]) AS reason
FROM current_coordinator_load
WHERE cluster_id = $cluster_id
ORDER BY what""",
            (
                Column("of"),
                Column("spread", CHIP),
                Column("chance of no better", RATIO),
                Column("without coordinator", NUMBER),
                Column("why not known", PROSE),
            ),
        ),
        Figure(
            "Groups whose coordinator is in doubt",
            "Where do the formula, the listing and FindCoordinator differ?",
            """\
SELECT group_id, agreement, expected_coordinator, found_coordinator, listed_by, reason
FROM current_group_coordinator_placement
WHERE cluster_id = $cluster_id AND agreement <> 'agree'
ORDER BY agreement = 'unknown', group_id""",
            (
                Column("group", of="group"),
                Column("how", CHIP),
                Column("by formula", of="broker"),
                Column("found", of="broker"),
                Column("listed by", of="broker"),
                Column("why", PROSE),
            ),
            calm="All three agree on every group.",
        ),
    ),
)
