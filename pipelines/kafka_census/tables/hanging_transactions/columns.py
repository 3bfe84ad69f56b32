"""Published table: open transactions of partitions, and whether a coordinator still holds them."""

from pyspark.sql.types import BooleanType, IntegerType, LongType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column
from kafka_census.tables.producer_state.columns import PRODUCER_STATE

_INT, _LONG, _STRING, _TIME = IntegerType(), LongType(), StringType(), TimestampType()

HANGING_TRANSACTIONS = Table(
    name="hanging_transactions",
    layer="published",
    comment="One row per open transaction of a partition, healthy ones too, and whether it hangs: no coordinator will "
    "end it, and read_committed consumers wait before it. A partition whose producers were not read is a row, too.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("topic", _STRING, "The topic."),
            column("partition", _INT, "The partition; -1 for a topic that could not be described."),
            column("producer_id", _LONG, "The producer id; -1 for a partition whose producers were not read."),
            column("producer_epoch", _INT, "Its epoch."),
            column("current_txn_start_offset", _LONG, "Where its open transaction begins in the partition."),
            column(
                "verdict",
                _STRING,
                "hanging | held (its coordinator knows of it) | ended (no longer open when asked again) | "
                "unknown (not judged: the partition, or a coordinator that may hold it, was not read; see reason).",
            ),
            column(
                "evidence",
                _STRING,
                "Why it hangs: no_transactional_id (none has this producer id) | no_description (its coordinator does "
                "not know the id) | not_in_transaction (the partition is not in the id's transaction). Else null.",
            ),
            column(
                "confidence",
                _STRING,
                "Of hanging: high | low (an id that is hidden, or too short a look, could explain it, see doubt); else "
                "null.",
            ),
            column("doubt", _STRING, "One line on why confidence is low; null when it is not."),
            column("reason", _STRING, "One line on what the verdict rests on; null when held."),
            column("transactional_id", _STRING, "The id that has the producer id, as listed; null if none was."),
            column("transaction_state", _STRING, "State of the id's transaction, as described; else as listed."),
            column("transaction_timeout_ms", _INT, "How long the id's transactions may stay open; null if unknown."),
            column("rechecked_at", _TIME, "When the partition was asked again, after the transactions; null if not."),
            column(
                "last_timestamp",
                _TIME,
                "Timestamp of the producer id's last batch. Its producer set it: it may be wrong by years.",
            ),
            column(
                "record_age_ms",
                _LONG,
                "observed_at - last_timestamp: as far as the record's timestamp can be believed; negative if it is in "
                "the future; null unknown.",
            ),
            column("first_seen_at", _TIME, "When this table first saw this transaction open, in an unbroken run."),
            column("seen_for_ms", _LONG, "observed_at - first_seen_at: it is at least that old, by our clock."),
            column(
                "max_timeout_ms",
                _LONG,
                "How long a transaction may stay open here: transaction.max.timeout.ms, the largest of all brokers, or "
                "more where the id's own timeout is (two-phase commit has no limit).",
            ),
            column("max_timeout_source", _STRING, "broker | default (15 minutes: no broker reported) | transaction."),
            column(
                "late",
                BooleanType(),
                "record_age_ms or seen_for_ms is above max_timeout_ms; null where the record has no timestamp and "
                "seen_for_ms does not tell.",
            ),
            column("hanging_since", _TIME, "First census of an unbroken run that found it hanging; else null."),
            column("censuses_hanging", _INT, "Censuses of that run; 0 when it does not hang."),
            column("previous_census_id", _STRING, "The census that saw it open before; null on a first sight."),
            OWNER,
        ]
    ),
    key=("topic", "partition", "producer_id"),
    owned_by=(
        ("transactional_ids", "transactional_id"),
        ("topics", "topic"),
    ),
    reads=(
        *PRODUCER_STATE.reads,
        Read("ListTransactions", "transactions"),
        Read("DescribeTransactions", "transactional_ids"),
        Read("DescribeProducers", "recheck"),
        Read("DescribeConfigs", "brokers", required=False),
        Read("DescribeTransactions", "probe", required=False),
        Read("DescribeAcls", "acls", required=False),
    ),
    made_of=(PRODUCER_STATE,),
    questions=(
        Question(
            "Which transactions hang, beyond doubt, and since when?",
            """SELECT topic, partition, producer_id, current_txn_start_offset, evidence, transactional_id, hanging_since
FROM current_hanging_transactions
WHERE verdict = 'hanging' AND confidence = 'high'
ORDER BY hanging_since""",
        ),
        Question(
            "Where could a transaction hang without our seeing it?",
            """SELECT topic, partition, reason
FROM current_hanging_transactions
WHERE verdict = 'unknown'
ORDER BY topic, partition""",
        ),
    ),
)
