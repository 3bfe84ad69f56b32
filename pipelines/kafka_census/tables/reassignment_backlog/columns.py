"""Published table: what reassignments and log dir moves still have to copy, one row per replica."""

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructType,
    TimestampType,
)

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column

_BOOLEAN, _INT, _LONG, _STRING, _TIME = BooleanType(), IntegerType(), LongType(), StringType(), TimestampType()
_INTS = ArrayType(_INT, containsNull=False)

REASSIGNMENT_BACKLOG = Table(
    name="reassignment_backlog",
    layer="published",
    comment="One row per replica that is being added, removed or moved between log dirs: bytes left, rate, ETA.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("topic", _STRING, "The topic."),
            column("partition", _INT, "The partition."),
            column(
                "topic_id", _STRING, "Kafka's id of the topic; null if brokers do not say, or it was not described."
            ),
            column(
                "kind",
                _STRING,
                "move (replica being added) | remove (nothing to copy) | log_dir_move (within a broker).",
            ),
            column("replica_id", _INT, "The broker that gets, loses or moves its replica."),
            column(
                "source_id",
                _INT,
                "The broker copied from: the leader, or replica_id itself for log_dir_move; else null.",
            ),
            column(
                "log_dir",
                _STRING,
                "Where replica_id holds its current replica; null if it has none yet or was not read.",
            ),
            column("future_log_dir", _STRING, "Where a log_dir_move goes; else null."),
            column("original_replicas", _INTS, "Replicas before the reassignment: current without adding."),
            column("target_replicas", _INTS, "Replicas after the reassignment: current without removing."),
            column("adding_replicas", _INTS, "All replicas that the partition's reassignment adds."),
            column("removing_replicas", _INTS, "All replicas that the partition's reassignment removes."),
            column("in_isr", _BOOLEAN, "replica_id is in sync; null if the partition was not described."),
            column(
                "adding_in_isr",
                _INT,
                "How many of adding_replicas are in sync; null if the partition was not described.",
            ),
            column("adding_total", _INT, "Number of adding_replicas."),
            column(
                "bytes_total",
                _LONG,
                "Size of the replica copied from, bytes of its local segments; 0 for remove. A new replica of a topic "
                "with tiered storage copies these alone.",
            ),
            column(
                "copied_bytes",
                _LONG,
                "Size of the copy, bytes of its local segments, 0 where there is none yet; null if not known. More "
                "than bytes_total where compaction or retention left the source smaller.",
            ),
            column("bytes_done", _LONG, "bytes_total - bytes_left."),
            column(
                "bytes_left",
                _LONG,
                "Bytes still to copy, at least 0; 0 once in_isr, and for remove; null if not knowable. 0 does not end "
                "a copy that is not in sync: it is not smaller than its source.",
            ),
            column(
                "bytes_left_reason",
                _STRING,
                "Why bytes_left, or bytes_total of an in-sync replica, is null; else null.",
            ),
            column(
                "bytes_per_second",
                DoubleType(),
                "Growth of copied_bytes or fall of bytes_left since the previous census, whichever is less, a second: "
                "what retention takes from the leader is no progress. Null also where both fell, as retention takes "
                "bytes from both.",
            ),
            column(
                "eta_seconds",
                _LONG,
                "Seconds to the end at that rate, 0 once in_isr; null if unknown, or if bytes_left does not fall.",
            ),
            column("eta_reason", _STRING, "Why eta_seconds of a copy is null; null when it is known, and for remove."),
            column(
                "stalled",
                _BOOLEAN,
                "The copy is not in sync, or not current yet, and did not grow since the previous census; null where "
                "it shrank and no more is left than before, as retention takes bytes from both.",
            ),
            column(
                "previous_census_id", _STRING, "The census that rate and stalled compare with; null on a first sight."
            ),
            column(
                "throttle_bytes_per_second",
                _LONG,
                "The lower of the two throttles below; null for none, and where one of them is not known.",
            ),
            column(
                "source_throttle_bytes_per_second",
                _LONG,
                "leader.replication.throttled.rate of source_id where it holds a move back: set dynamically on the "
                "broker, or from 3.9 on for all brokers, and the replica listed in "
                "leader.replication.throttled.replicas. All copies of the broker share it.",
            ),
            column("source_throttle_reason", _STRING, "Why source_throttle_bytes_per_second is not known; else null."),
            column(
                "target_throttle_bytes_per_second",
                _LONG,
                "The same of replica_id: its follower.replication.throttled.rate for a move, its "
                "replica.alter.log.dirs.io.max.bytes.per.second, which knows no list, for a log_dir_move.",
            ),
            column("target_throttle_reason", _STRING, "Why target_throttle_bytes_per_second is not known; else null."),
            OWNER,
        ]
    ),
    key=("topic", "partition", "replica_id", "kind"),
    owned_by=(("topics", "topic"),),
    reads=(
        Read("ListPartitionReassignments", "cluster"),
        Read("DescribeTopicPartitions", "topics"),
        Read("Metadata", "names"),
        Read("DescribeLogDirs", "log_dirs"),
        Read("DescribeConfigs", "topics", required=False),
        Read("DescribeConfigs", "brokers", required=False),
    ),
    questions=(
        Question(
            "Which copies are the last to end, and does a throttle hold them back?",
            """SELECT topic, partition, kind, source_id, replica_id, bytes_left, bytes_per_second, eta_seconds, stalled,
       throttle_bytes_per_second
FROM current_reassignment_backlog
WHERE kind <> 'remove' AND NOT coalesce(eta_seconds = 0, false)
ORDER BY eta_seconds DESC NULLS FIRST, bytes_left DESC NULLS FIRST, topic, partition
LIMIT 20""",
        ),
        Question(
            "How far is each reassignment, by replicas in sync and by bytes?",
            """SELECT topic, partition, max(adding_in_isr) AS in_sync, max(adding_total) AS adding,
       sum(bytes_done) AS bytes_done, sum(bytes_left) AS bytes_left, count_if(bytes_left IS NULL) AS unknown
FROM current_reassignment_backlog
WHERE kind = 'move'
GROUP BY topic, partition
ORDER BY topic, partition""",
        ),
    ),
)
