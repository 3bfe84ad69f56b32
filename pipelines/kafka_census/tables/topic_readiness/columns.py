"""Published table: every topic, and how many of its partitions are available and ready for an acks=all write."""

from pyspark.sql.types import BooleanType, IntegerType, LongType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Table, column
from kafka_census.tables.under_min_isr_partitions.columns import STATUSES, UNDER_MIN_ISR_PARTITIONS

_BOOLEAN, _INT, _LONG, _STRING, _TIME = BooleanType(), IntegerType(), LongType(), StringType(), TimestampType()

TOPIC_READINESS = Table(
    name="topic_readiness",
    layer="published",
    comment="One row per topic: its partitions by status, how many are available, and how many ready for acks=all.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("topic", _STRING, "The topic."),
            column("topic_id", _STRING, "Kafka's id of the topic; null where brokers do not say."),
            column("is_internal", _BOOLEAN, "True for Kafka's own topics, such as __consumer_offsets."),
            column("status", _STRING, f"The worst status of its partitions: {' | '.join(STATUSES)}."),
            column("reason", _STRING, "The first partition of that status, and what it rests on; null when OK."),
            column(
                "partitions", _INT, "Number of partitions; null, as all counts, where the topic could not be described."
            ),
            column(
                "available_partitions",
                _INT,
                "Partitions whose leader is known: our reading of KIP-637's availablePartitions. Null also where one "
                "of them has a leader without the listener that was asked.",
            ),
            column(
                "ready_partitions",
                _INT,
                "Available partitions with isr_size >= min_isr_effective: our reading of KIP-637's readyPartitions for "
                "acks=all (for acks 0 and 1 they are the available ones), a proposal no broker ships. Null where it is "
                "not known of every partition, see ready_reason.",
            ),
            column("ready_reason", _STRING, "Why ready_partitions is null; else null."),
            column(
                "ready_for_acks_all",
                _BOOLEAN,
                "Every partition is ready for acks=all; false as soon as one is not; null if unknown.",
            ),
            *[
                column(f"{status.lower()}_partitions", _INT, f"Partitions with the status {status}.")
                for status in STATUSES
            ],
            column(
                "min_isr_raw",
                _INT,
                "min.insync.replicas as configured; the highest where leaders differ; null if not read of any.",
            ),
            column(
                "min_isr_source",
                _STRING,
                "Where min_isr_raw is from, as in under_min_isr_partitions.",
            ),
            column("min_isr_differs", _BOOLEAN, "Partitions have several min_isr_raw: their leaders' own settings."),
            column("error_code", _INT, "Kafka's error for the topic, 0 when none."),
            column(
                "groups_unable_to_commit",
                _LONG,
                "__consumer_offsets only: the sum over its partitions; null if it is not known of one of them.",
            ),
            column("groups_unable_to_commit_reason", _STRING, "Why groups_unable_to_commit is not known; else null."),
            column(
                "transactional_ids_unable_to_commit",
                _LONG,
                "__transaction_state only: the sum over its partitions; null if it is not known of one of them.",
            ),
            column(
                "transactional_ids_unable_to_commit_reason",
                _STRING,
                "Why transactional_ids_unable_to_commit is not known; else null.",
            ),
            OWNER,
        ]
    ),
    key=("topic",),
    owned_by=(("topics", "topic"),),
    reads=UNDER_MIN_ISR_PARTITIONS.reads,
    made_of=(UNDER_MIN_ISR_PARTITIONS,),
    questions=(
        Question(
            "Which topics refuse some of their acks=all writes now, or may, and how many of their partitions?",
            """SELECT topic, status, partitions, available_partitions, ready_partitions, min_isr_raw, reason
FROM current_topic_readiness
WHERE ready_for_acks_all IS NOT TRUE
ORDER BY partitions - ready_partitions DESC, topic""",
        ),
        Question(
            "Of which topics is it not known whether they take acks=all writes?",
            """SELECT topic, error_code, coalesce(ready_reason, reason) AS why
FROM current_topic_readiness
WHERE ready_for_acks_all IS NULL
ORDER BY topic""",
        ),
    ),
)
