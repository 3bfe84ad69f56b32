"""Brokers that cannot be lost, or restarted, without harm."""

from kafka_census.declarations.problem import Problem, Problems, Remedy

FAILURE_IMPACT_PROBLEMS = Problems(
    "loss",
    "losses",
    (
        Problem(
            word="broker_loss",
            severity="risk",
            table="failure_impact",
            meaning="brokers whose loss would take partitions offline or stop writes",
            where="kind = 'broker' AND verdict IN ('loses_availability', 'stops_writes')",
            unknown="coalesce(kind, 'broker') = 'broker' AND coalesce(verdict, 'unknown') = 'unknown'",
            name="name",
            shown="name, verdict, reason, examples",
            one="broker cannot be lost without harm",
            many="brokers cannot be lost without harm",
            effect="a restart or a failure of one of them takes partitions offline or stops acks=all writes",
            remedy=Remedy(
                "Wait until the partitions that it names have caught up, or give them more replicas.",
                "kafka-census impact --broker NAME --live",
                more="A partition with one replica, or with as many replicas as its minimum ISR, stops with any of its "
                "brokers: `examples` names the worst.",
                fills=("name",),
            ),
            order=("verdict <> 'loses_availability'", "-coalesce(offline_partitions, 0)", "name"),
        ),
    ),
)
