"""Voters of the metadata quorum on which a majority may not count."""

from kafka_census.declarations.problem import Problem, Problems, Remedy

QUORUM_PROBLEMS = Problems(
    "replica of the metadata quorum",
    "replicas of the metadata quorum",
    (
        Problem(
            word="voters_behind",
            severity="critical",
            table="quorum",
            meaning="voters of the metadata quorum that are not known to be caught up: behind, or not heard by the "
            "leader",
            where="role = 'voter' AND caught_up IS NOT TRUE",
            unknown="coalesce(role, 'unknown') = 'unknown'",
            name="replica_id",
            shown="replica_id, lag_offsets, lag_ms, last_fetch_at, reason",
            one="voter of the metadata quorum is not known to be caught up",
            many="voters of the metadata quorum are not known to be caught up",
            effect="with fewer than a majority there is no controller",
            remedy=Remedy(
                "Start that controller, or repair its network, before another fails.",
                "kafka-metadata-quorum.sh --bootstrap-server HOST:PORT describe --replication --human-readable",
                more="`caught_up` is null where the active controller has not heard from a voter since it was "
                "elected: a controller that is dead, or that cannot reach the others. Without a majority no leader is "
                "elected and no topic is created. A voter that stays behind has a slow disk or too little CPU.",
            ),
            order=("lag_offsets IS NOT NULL", "-lag_offsets", "replica_id"),
            lost="replica_id = {broker}",
        ),
    ),
)
