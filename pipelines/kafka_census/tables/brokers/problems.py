"""Brokers that are down or fenced."""

from kafka_census.declarations.problem import Problem, Problems, Remedy

BROKERS_PROBLEMS = Problems(
    "broker",
    "brokers",
    (
        Problem(
            word="unreachable",
            severity="critical",
            table="brokers",
            meaning="brokers that are down or fenced",
            where="state IN ('not_alive', 'fenced')",
            unknown="state IS NULL",
            name="broker_id",
            shown="broker_id, state, replicas, offline_replicas",
            one="broker is down",
            many="brokers are down",
            effect="replica lists or the controller name them, and they are fenced or not alive",
            remedy=Remedy(
                "Start the broker, or repair the way to it: doctor says why it fails.",
                "kafka-census doctor",
                more="If it was decommissioned, move its replicas away: then a census expects no answer from it. From "
                "4.0 on the broker stays `fenced`, and this alert open, until it is unregistered: `kafka-cluster.sh "
                "unregister --bootstrap-server HOST:PORT --id BROKER_ID`.",
            ),
            order=("-coalesce(replicas, 0)", "broker_id"),
        ),
    ),
)
