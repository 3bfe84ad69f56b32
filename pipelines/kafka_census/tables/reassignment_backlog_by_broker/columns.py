"""Published table: what reassignments and log dir moves still have to copy into and out of each broker."""

from pyspark.sql.types import DoubleType, IntegerType, LongType, StringType, StructField, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, Question, Table, column
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG

_INT, _LONG, _STRING, _TIME = IntegerType(), LongType(), StringType(), TimestampType()

WAYS = ("in", "out")
"""In: copies into a broker, including moves between its log dirs. Out: copies from it to other brokers."""


def _of(way: str, copies: str) -> tuple[StructField, ...]:
    """The columns of one direction; `copies` says what is counted."""
    return (
        column(f"replicas_{way}", _INT, copies),
        column(f"unknown_{way}", _INT, f"Those of replicas_{way} whose bytes_left is not known."),
        column(
            f"bytes_left_{way}",
            _LONG,
            f"Bytes still to copy, of those that are known: at least so many where unknown_{way} is above 0; null if "
            "none is known.",
        ),
        column(
            f"bytes_per_second_{way}",
            DoubleType(),
            "Sum of their rates since the previous census, of those that have one; null if none has.",
        ),
        column(f"eta_seconds_{way}", _LONG, f"Seconds to the end of the slowest; null with eta_{way}_reason."),
        column(f"eta_{way}_reason", _STRING, f"How many of replicas_{way} have no ETA; null when all have."),
        column(
            f"stalled_{way}", _INT, "Those that are stalled; null if none could be compared with a previous census."
        ),
    )


REASSIGNMENT_BACKLOG_BY_BROKER = Table(
    name="reassignment_backlog_by_broker",
    layer="published",
    comment="One row per broker that copies, takes or loses replicas: bytes left in and out, rate, ETA and throttles.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("broker_id", _INT, "The broker."),
            *_of("in", "Replicas that are being added to the broker, or moved between its log dirs."),
            column("log_dir_moves", _INT, "Those of replicas_in that move between its log dirs."),
            *_of("out", "Replicas that are being copied from the broker, as leader, to others."),
            column("replicas_removed", _INT, "Replicas that reassignments take away from the broker."),
            column(
                "previous_census_id", _STRING, "The census that rates and stalled compare with; null on a first sight."
            ),
            column(
                "leader_throttle_bytes_per_second",
                _LONG,
                "Its leader.replication.throttled.rate, where it holds one of replicas_out back; null for none.",
            ),
            column(
                "follower_throttle_bytes_per_second",
                _LONG,
                "Its follower.replication.throttled.rate, where it holds one of replicas_in back; null for none.",
            ),
            column(
                "log_dir_throttle_bytes_per_second",
                _LONG,
                "Its replica.alter.log.dirs.io.max.bytes.per.second, where it has log_dir_moves; null for none.",
            ),
            column("throttle_reason", _STRING, "Why a throttle of the broker is not known; null when all are."),
        ]
    ),
    key=("broker_id",),
    reads=REASSIGNMENT_BACKLOG.reads,
    made_of=(REASSIGNMENT_BACKLOG,),
    questions=(
        Question(
            "How much is left to copy to each broker, by when, and is any of it stalled?",
            """SELECT broker_id, replicas_in, bytes_left_in, unknown_in, bytes_per_second_in, eta_seconds_in,
       eta_in_reason, stalled_in
FROM current_reassignment_backlog_by_broker
WHERE replicas_in > 0
ORDER BY bytes_left_in DESC NULLS FIRST""",
        ),
        Question(
            "Which brokers are as fast as their throttle lets them, so that raising it would help?",
            """SELECT broker_id, bytes_per_second_out, leader_throttle_bytes_per_second,
       bytes_per_second_in, follower_throttle_bytes_per_second
FROM current_reassignment_backlog_by_broker
WHERE bytes_per_second_out >= 0.9 * leader_throttle_bytes_per_second
   OR bytes_per_second_in >= 0.9 * follower_throttle_bytes_per_second""",
        ),
    ),
)
