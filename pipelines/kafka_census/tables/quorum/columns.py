"""Published table: the replicas of the metadata log, with the offset and the lag of each."""

from pyspark.sql.types import BooleanType, IntegerType, LongType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, Question, Read, Table, column

_BOOLEAN, _INT, _LONG, _STRING, _TIME = BooleanType(), IntegerType(), LongType(), StringType(), TimestampType()

QUORUM = Table(
    name="quorum",
    layer="published",
    comment="One row per replica of the metadata log, as the active controller sees it: voter or observer, its lag.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("replica_id", _INT, "The controller or broker; -1 in the only row of a quorum that was not read."),
            column(
                "directory_id",
                _STRING,
                "Id of its metadata log dir; empty where brokers do not say (before 3.9). A node whose disk was "
                "replaced has two rows for a while.",
            ),
            column("role", _STRING, "voter (may be elected) | observer (only follows; brokers, mostly) | unknown."),
            column("is_leader", _BOOLEAN, "It is the active controller; null if not known."),
            column("leader_id", _INT, "The active controller; null when there is none."),
            column("leader_epoch", _INT, "Epoch of that leader."),
            column("high_watermark", _LONG, "Offset that a majority of voters has: what is committed."),
            column("log_end_offset", _LONG, "Its log end offset, as the leader knows it from its last fetch."),
            column("lag_offsets", _LONG, "Log end offset of the leader minus its own, at least 0."),
            column(
                "lag_ms",
                _LONG,
                "By how much it was later caught up than the leader, ms on the leader's clock, at least 0; null before "
                "3.3.",
            ),
            column("last_fetch_at", _TIME, "When the leader last heard it fetch; null unknown, and before 3.3."),
            column("last_caught_up_at", _TIME, "When it last had everything; null unknown, and before 3.3."),
            column(
                "caught_up",
                _BOOLEAN,
                "It has all that is committed, or had everything within the last 2 s (controller.quorum.fetch.timeout."
                "ms); the log grows twice a second even when idle. Null if not known.",
            ),
            column("reason", _STRING, "Why caught_up is not true, or why the quorum was not read; else null."),
        ]
    ),
    key=("replica_id", "directory_id"),
    reads=(Read("DescribeCluster", "cluster"), Read("DescribeQuorum", "quorum", required=False)),
    questions=(
        Question(
            "How many more voters may fail before the cluster has no controller?",
            """SELECT cluster_id, count(*) AS voters, count_if(caught_up) AS caught_up,
       count_if(caught_up IS NULL) AS not_known, count_if(caught_up) - ceil((count(*) + 1) / 2) AS may_fail
FROM current_quorum
WHERE role = 'voter'
GROUP BY cluster_id""",
        ),
    ),
)
