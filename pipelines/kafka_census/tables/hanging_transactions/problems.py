"""Transactions that nobody will end."""

from kafka_census.declarations.problem import Problem, Problems, Remedy

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
            remedy=Remedy(
                "Make sure that the producer is gone, then abort the transaction.",
                "kafka-transactions.sh --bootstrap-server HOST:PORT abort --topic TOPIC --partition PARTITION "
                "--start-offset CURRENT_TXN_START_OFFSET",
                more="Brokers before 3.0 want `--producer-id`, `--producer-epoch` and `--coordinator-epoch` instead "
                "of the offset.",
                fills=("topic", "partition", "current_txn_start_offset"),
            ),
            order=("hanging_since", "topic", "partition"),
        ),
    ),
)
