"""Coordinators that have far more ids than a hash would give them."""

from kafka_census.declarations.problem import Problem, Problems, Remedy

COORDINATOR_LOAD_PROBLEMS = Problems(
    "coordinator",
    "coordinators",
    (
        Problem(
            word="skewed",
            severity="risk",
            table="coordinator_load",
            meaning="coordinators of a cluster whose groups or transactional ids are spread as chance does not explain",
            where="groups_skew = 'wrong' OR transactional_ids_skew = 'wrong'",
            # Too few ids have no skew, and a share nevertheless.
            unknown="groups_skew IS NULL AND groups_expected IS NULL "
            "OR transactional_ids_skew IS NULL AND transactional_ids_expected IS NULL",
            name="broker_id",
            shown="broker_id, groups, groups_skew, transactional_ids, transactional_ids_skew",
            one="coordinator is part of a spread that chance does not explain",
            many="coordinators are part of a spread that chance does not explain",
            effect="a few of them have most groups or transactional ids, because their names defeat the hash",
            remedy=Remedy(
                "Rename ids that follow a pattern, or strengthen the busiest broker.",
                'kafka-census sql -e "SELECT group_id, offsets_partition FROM current_group_coordinator_placement '
                'WHERE found_coordinator = BROKER_ID"',
                more="Ids that follow a pattern may hash to the same partitions. `if_lost` names the brokers that "
                "would take over from the busiest.",
                fills=("broker_id",),
            ),
            order=("-coalesce(groups, 0)", "broker_id"),
        ),
    ),
)
