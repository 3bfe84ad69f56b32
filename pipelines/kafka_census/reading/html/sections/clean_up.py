"""Candidates for deletion, each for a person to judge."""

from kafka_census.reading.html.cells import NUMBER, PROSE, TIME
from kafka_census.reading.html.figure import Column, Figure, Section

CLEAN_UP = Section(
    "clean-up",
    "Clean-up",
    (
        Figure(
            "Groups by verdict",
            "How many groups are in use, how many are not, and how many are unknown?",
            """\
SELECT verdict, count(*) AS groups, sum(committed_partitions)
FROM current_deletable_groups
WHERE cluster_id = $cluster_id
GROUP BY verdict
ORDER BY groups DESC""",
            (Column("verdict"), Column("groups", NUMBER, bar=True), Column("offsets that they keep", NUMBER)),
        ),
        Figure(
            "Deletable groups",
            "Which groups were empty for long while producers still wrote to their topics?",
            """\
SELECT group_id, group_type, empty_since, censuses_empty, censuses_left_behind, committed_partitions, evidence
FROM current_deletable_groups
WHERE cluster_id = $cluster_id AND deletable
ORDER BY empty_since, group_id""",
            (
                Column("group", of="group"),
                Column("type"),
                Column("empty since", TIME),
                Column("censuses empty", NUMBER),
                Column("censuses left behind", NUMBER),
                Column("offsets", NUMBER),
                Column("evidence"),
            ),
        ),
        Figure(
            "Topics without a group",
            "For which topics is there neither a committed offset nor a member with a partition? "
            "Consumers without a group are not visible.",
            """\
SELECT topic, partitions
FROM current_topic_readiness
WHERE cluster_id = $cluster_id AND NOT is_internal AND partitions IS NOT NULL
  AND topic NOT IN (SELECT topic FROM current_consumer_lag WHERE cluster_id = $cluster_id)
ORDER BY partitions DESC, topic""",
            (Column("topic", of="topic"), Column("partitions", NUMBER, bar=True)),
            calm="Every topic has a group.",
        ),
        Figure(
            "Dangerous grants",
            "Which access control entries are dangerous?",
            """\
SELECT principal, operation, resource_type, pattern_type, resource_name, host, reason
FROM current_acl_inventory
WHERE cluster_id = $cluster_id AND is_dangerous
ORDER BY principal, resource_type, resource_name, operation""",
            (
                Column("principal"),
                Column("may"),
                Column("on"),
                Column("pattern"),
                Column("named"),
                Column("from"),
                Column("why dangerous", PROSE),
            ),
        ),
    ),
)
