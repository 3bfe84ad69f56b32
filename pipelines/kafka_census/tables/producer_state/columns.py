"""Published table: the producer ids that each partition's brokers keep, and how fast they grow."""

from pyspark.sql.types import DoubleType, IntegerType, LongType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column

_DOUBLE, _INT, _LONG, _STRING, _TIME = DoubleType(), IntegerType(), LongType(), StringType(), TimestampType()

PRODUCER_STATE = Table(
    name="producer_state",
    layer="published",
    comment="One row per partition: the producer ids that its leader keeps, open transactions, growth.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("topic", _STRING, "The topic."),
            column("partition", _INT, "The partition; -1 for a topic that could not be described, see reason."),
            column("topic_id", _STRING, "Kafka's id of the topic; null where brokers do not say."),
            column(
                "asked_broker_id",
                _INT,
                "The broker that answered for it, be it with an error: normally the leader; null for none.",
            ),
            column(
                "producer_ids",
                _LONG,
                "Producer ids with state in the partition: after their last record for producer.id.expiration.ms (a "
                "day by default), before 3.4 for transactional.id.expiration.ms (seven days), and longer while a "
                "transaction is open; null if not read, see reason.",
            ),
            column(
                "idempotent_only",
                _LONG,
                "Those without a transaction, now or before: none is open and no coordinator ever ended one here.",
            ),
            column("idempotent_only_share", _DOUBLE, "idempotent_only / producer_ids; null without producer ids."),
            column("open_transactions", _LONG, "Producer ids with an open transaction in the partition."),
            column(
                "oldest_open_offset",
                _LONG,
                "First offset of the earliest open transaction: read_committed consumers wait there; null for none.",
            ),
            column(
                "oldest_open_timestamp",
                _TIME,
                "Least timestamp of the last batch of an open transaction, as its producer set it, of those with a "
                "time since 1970; null for none.",
            ),
            column(
                "oldest_last_timestamp",
                _TIME,
                "Least timestamp of a producer id's last batch, as its producer set it, of those with a time since "
                "1970; null for none.",
            ),
            column(
                "producer_ids_per_hour",
                _DOUBLE,
                "Growth of producer_ids since the previous census, net of expired ones; null on a first sight, for "
                "another topic of that name, or where either was not read.",
            ),
            column("previous_census_id", _STRING, "The census that growth compares with; null where nothing compares."),
            column("reason", _STRING, "Why producer_ids is null; null when it is known."),
            OWNER,
        ]
    ),
    key=("topic", "partition"),
    owned_by=(("topics", "topic"),),
    reads=(
        Read("Metadata", "names"),
        Read("DescribeTopicPartitions", "topics"),
        Read("DescribeProducers", "partitions"),
    ),
    questions=(
        Question(
            "Which topics hold the most producer ids, and how fast do these grow?",
            """SELECT topic, sum(producer_ids) AS producer_ids, sum(idempotent_only) AS idempotent_only,
       sum(producer_ids_per_hour) AS per_hour, count_if(producer_ids IS NULL) AS partitions_not_read
FROM current_producer_state
GROUP BY topic
ORDER BY producer_ids DESC, topic
LIMIT 20""",
        ),
        Question(
            "Where do open transactions hold back read_committed consumers, or may do so unseen?",
            """SELECT topic, partition, open_transactions, oldest_open_offset, oldest_open_timestamp, reason
FROM current_producer_state
WHERE coalesce(open_transactions, 1) > 0
ORDER BY oldest_open_timestamp""",
        ),
    ),
)
