"""Groups whose coordinator is in doubt."""

from kafka_census.declarations.problem import Problem, Problems, Remedy

GROUP_COORDINATOR_PLACEMENT_PROBLEMS = Problems(
    "coordinator of a group",
    "coordinators of groups",
    (
        Problem(
            word="coordinators_disagree",
            severity="warning",
            table="group_coordinator_placement",
            meaning="groups whose coordinator is not the same by formula, by listing and by FindCoordinator, or that "
            "have none",
            where="agreement NOT IN ('agree', 'unknown')",
            unknown="coalesce(agreement, 'unknown') = 'unknown'",
            name="group_id",
            shown="group_id, agreement, expected_coordinator, listed_by, found_coordinator, reason",
            one="group has no coordinator, or the sources name different ones",
            many="groups have no coordinator, or the sources name different ones",
            effect="their members may not join or commit",
            remedy=Remedy(
                "Repair the offsets partition of the group, or start its leader.",
                "kafka-topics.sh --bootstrap-server HOST:PORT --describe --topic __consumer_offsets",
                more="This is for `no_coordinator`. `formula_differs` of many groups: `__consumer_offsets` got "
                "partitions, which brokers count when they start; restart them all. Others pass when a coordinator "
                "has moved: look at the next census.",
            ),
        ),
    ),
)
