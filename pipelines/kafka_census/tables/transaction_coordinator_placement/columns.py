"""Published table: which broker coordinates each transactional id, and how long its transaction has been open."""

from pyspark.sql.types import BooleanType, IntegerType, LongType, StringType, StructType, TimestampType

from kafka_census.declarations.placement import placement_columns
from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column
from kafka_census.declarations.walks import TRANSACTIONS_TOPIC

_INT, _LONG, _STRING, _TIME = IntegerType(), LongType(), StringType(), TimestampType()

TRANSACTION_COORDINATOR_PLACEMENT = Table(
    name="transaction_coordinator_placement",
    layer="published",
    comment="One row per transactional id that the principal may DESCRIBE (brokers leave out others without a word): "
    "its coordinator by formula, by listing and by FindCoordinator, and its transaction.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("transactional_id", _STRING, "The transactional id; kept for days after its last transaction."),
            column(
                "transaction_state",
                _STRING,
                "State as the listing broker gave it, such as Ongoing, PrepareCommit, CompleteAbort or Empty.",
            ),
            *placement_columns("transactional id", "transactional id", TRANSACTIONS_TOPIC, "transactions_partition"),
            column("producer_id", _LONG, "Producer id, as described; as listed where that is not known."),
            column("producer_epoch", _INT, "Epoch of the producer id; null if not described."),
            column(
                "described_state",
                _STRING,
                "State when described, a moment after it was listed; what follows is of that moment.",
            ),
            column("transaction_timeout_ms", _INT, "How long its transactions may stay open, as its producer asked."),
            column(
                "transaction_started_at",
                _TIME,
                "When the transaction was begun, by the coordinator's clock; in CompleteCommit and CompleteAbort that "
                "of the one that is over. Null without one.",
            ),
            column(
                "written_partitions",
                _INT,
                "Partitions that the open transaction was written to, or that still wait for its marker; those of "
                "topics that the principal may not DESCRIBE are not counted.",
            ),
            column("description_reason", _STRING, "Why it could not be described; null when it was."),
            column(
                "duration_ms",
                _LONG,
                "How long the transaction was open when it was described, at least 0; null if none is open.",
            ),
            column("duration_reason", _STRING, "Why duration_ms is null; else null."),
            column(
                "over_timeout",
                BooleanType(),
                "The transaction is open for longer than transaction_timeout_ms; null where duration_ms is.",
            ),
            OWNER,
        ]
    ),
    key=("transactional_id",),
    owned_by=(("transactional_ids", "transactional_id"),),
    reads=(
        Read("ListTransactions", "transactions"),
        Read("FindCoordinator", "transactional_ids"),
        Read("Metadata", "names"),
        Read("DescribeTopicPartitions", "topics"),
        Read("DescribeCluster", "cluster"),
        Read("DescribeTransactions", "transactional_ids", required=False),
    ),
    questions=(
        Question(
            "Which transactions are open for longer than their timeout, or could not be described?",
            """SELECT transactional_id, described_state, duration_ms, transaction_timeout_ms, found_coordinator,
       description_reason
FROM current_transaction_coordinator_placement
WHERE over_timeout OR description_reason IS NOT NULL
ORDER BY duration_ms DESC""",
        ),
    ),
)
