"""Transactions that nobody will end."""

from kafka_census.declarations.problem import Problem, Problems

HANGING_TRANSACTIONS_PROBLEMS = Problems(
    "open transaction",
    "open transactions",
    (
        Problem(
            word="hanging",
            severity="critical",
            table="hanging_transactions",
            meaning="transactions that nobody will end, beyond doubt",
            where="verdict = 'hanging' AND confidence = 'high'",
            unknown="coalesce(verdict, 'unknown') = 'unknown' "
            "OR verdict = 'hanging' AND coalesce(confidence, 'low') = 'low'",
            name="concat(topic, '-', partition)",
            shown="topic, partition, producer_id, transactional_id, hanging_since",
            one="transaction hangs",
            many="transactions hang",
            effect="consumers with isolation.level=read_committed cannot read past them",
            remedy="The rows have what `kafka-transactions.sh abort` needs. Make sure first that the producer is gone.",
            order=("hanging_since", "topic", "partition"),
        ),
    ),
)
