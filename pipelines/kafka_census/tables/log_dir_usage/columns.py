"""Published table: the replicas and bytes in each log dir, and its free space."""

from pyspark.sql.types import BooleanType, DoubleType, IntegerType, LongType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, Question, Read, Table, column
from kafka_census.tables.brokers.columns import BROKERS

_INT, _LONG, _STRING, _TIME = IntegerType(), LongType(), StringType(), TimestampType()
_DOUBLE = DoubleType()

LOG_DIR_USAGE = Table(
    name="log_dir_usage",
    layer="published",
    comment="One row per log dir of a broker, offline ones too, and one for each broker whose log dirs were not read.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("broker_id", _INT, "The broker."),
            column("log_dir", _STRING, "Absolute path of the dir; empty for a broker that reported none, see reason."),
            column(
                "state",
                _STRING,
                "online | offline (its disk failed) | not_read (the broker's answer is missing) | remote (object "
                "storage that a broker lists as remote://..., as Redpanda does: in no sum).",
            ),
            column("reason", _STRING, "Why what it holds is not known; null when online."),
            column(
                "total_bytes",
                _LONG,
                "Size of its volume; null before 3.3. Dirs that share a volume each tell all of it: do not add up.",
            ),
            column("usable_bytes", _LONG, "What is free of that volume; null before 3.3."),
            column("is_cordoned", BooleanType(), "New replicas are kept out of it; null where brokers do not say."),
            column("replicas", _LONG, "Current replicas in it."),
            column(
                "replica_bytes",
                _LONG,
                "Sum of their sizes, local segments: without what tiered storage holds remotely. A partition is in "
                "this sum once for EACH of its replicas: over a cluster it is about the replication factor times the "
                "data, for which see leader_bytes.",
            ),
            column("leader_replicas", _LONG, "Of replicas: those whose partition the broker leads."),
            column(
                "leader_bytes",
                _LONG,
                "Sum of the sizes of those: over a cluster, each led partition once, so the volume of its data.",
            ),
            column("leader_reason", _STRING, "Why leader_replicas and leader_bytes of a read dir are null; else null."),
            column("future_replicas", _LONG, "Replicas that move into it from another dir of the broker."),
            column("future_bytes", _LONG, "Bytes of those so far; not in replica_bytes."),
            column("broker_bytes", _LONG, "replica_bytes of all of the broker's dirs that are online."),
            column("share_of_broker", _DOUBLE, "replica_bytes / broker_bytes; null when the broker holds nothing."),
            column(
                "skew", _DOUBLE, "replica_bytes / mean of all of the cluster's dirs that are online: 1 is as the mean."
            ),
        ]
    ),
    key=("broker_id", "log_dir"),
    reads=(Read("DescribeLogDirs", "log_dirs"), *BROKERS.reads),
    made_of=(BROKERS,),
    questions=(
        Question(
            "How large is the data, and how much disk does it take with all its replicas?",
            """SELECT cluster_id, sum(leader_bytes) AS data_bytes, sum(replica_bytes) AS disk_bytes,
       sum(replica_bytes) / nullif(sum(leader_bytes), 0) AS times, count_if(state <> 'online') AS dirs_not_known
FROM current_log_dir_usage
GROUP BY cluster_id""",
        ),
        Question(
            "Which log dirs are not known to be online, and to have a tenth of their volume left?",
            """SELECT broker_id, log_dir, state, usable_bytes, total_bytes, reason
FROM current_log_dir_usage
WHERE state <> 'online' OR (usable_bytes >= total_bytes / 10) IS NOT TRUE
ORDER BY broker_id, log_dir""",
        ),
    ),
)
