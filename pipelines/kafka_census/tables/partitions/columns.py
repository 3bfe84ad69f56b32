"""Published table: every partition: where it is, how large it is, how fast it is written, and how it is."""

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.under_min_isr_partitions.columns import STATUSES, UNDER_MIN_ISR_PARTITIONS

_BOOLEAN, _DOUBLE, _INT, _LONG = BooleanType(), DoubleType(), IntegerType(), LongType()
_STRING, _TIME = StringType(), TimestampType()
_INTS, _STRINGS = ArrayType(_INT, containsNull=False), ArrayType(_STRING, containsNull=False)
_DIR = StructType([StructField("broker_id", _INT), StructField("log_dir", _STRING), StructField("bytes", _LONG)])

POINTS = 24
"""The longest history of end offsets."""
HISTORY = ArrayType(StructType([StructField("at", _TIME), StructField("end_offset", _LONG)]), containsNull=False)

PARTITIONS = Table(
    name="partitions",
    layer="published",
    comment="One row per partition (healthy ones too): leader, replicas and their racks and log dirs, bytes, start and "
    "end offset, records per second, status.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("topic", _STRING, "The topic."),
            column("partition", _INT, "The partition; -1 for a topic that could not be described, see reason."),
            column("topic_id", _STRING, "Kafka's id of the topic; null where brokers do not say."),
            column("is_internal", _BOOLEAN, "True for Kafka's own topics, such as __consumer_offsets."),
            column("status", _STRING, f"As in {UNDER_MIN_ISR_PARTITIONS.name}, worst first: {' | '.join(STATUSES)}."),
            column("reason", _STRING, "One line on what the status rests on, or on what was not read; null when OK."),
            column("leader_id", _INT, "The leader; null when there is none, or none on the listener that was asked."),
            column(
                "is_preferred_leader",
                _BOOLEAN,
                "The leader is the first of the replicas, which Kafka prefers; false without a leader. Null where the "
                "leader is not known, see reason.",
            ),
            column("replicas", _INTS, "Current replicas in order, adding and removing ones included."),
            column("isr", _INTS, "In-sync replicas; may be empty on a cluster with eligible leader replicas."),
            column("eligible_leader_replicas", _INTS, "ELR (KIP-966); empty also when elr_known is false."),
            column("last_known_elr", _INTS, "Last leader of a leaderless partition, as Kafka keeps it; else empty."),
            column("elr_known", _BOOLEAN, "False where the broker has no API for ELR."),
            column("offline_replicas", _INTS, "Replicas on brokers that are down, or in offline log dirs."),
            column(
                "min_isr_effective",
                _INT,
                f"The minimum ISR that the leader enforces; null where it is not known, see "
                f"{UNDER_MIN_ISR_PARTITIONS.name}.",
            ),
            column(
                "leader_bytes",
                _LONG,
                "Bytes of the leader's replica: local segments, without what tiered storage holds remotely.",
            ),
            column("leader_bytes_reason", _STRING, "Why leader_bytes is null; else null."),
            column(
                "replica_bytes",
                _LONG,
                "Bytes of all replicas, without copies that move between dirs. A broker that has not made its replica "
                "yet has 0.",
            ),
            column("replica_bytes_reason", _STRING, "Why replica_bytes is null, and log_dirs lacks one; else null."),
            column(
                "log_dirs",
                ArrayType(_DIR, containsNull=False),
                "Where the replicas are: broker, log dir and bytes of each that a broker told, by broker.",
            ),
            column(
                "racks",
                _STRINGS,
                "The rack of each replica's broker, in the order of replicas; brokers without a known rack are left "
                "out, see racks_reason.",
            ),
            column(
                "replicas_sharing_rack",
                _INT,
                "Replicas in a rack that holds another one, not counting the first in each rack: 0 where every replica "
                "has a rack to itself.",
            ),
            column("racks_reason", _STRING, "Why replicas_sharing_rack is null; else null."),
            column("start_offset", _LONG, "Where the log starts, tiered segments included."),
            column("start_offset_reason", _STRING, "Why start_offset is null; else null."),
            column(
                "end_offset", _LONG, "The high watermark: the end for read_uncommitted. It stands still under min ISR."
            ),
            column("end_offset_at", _TIME, "When end_offset was received; null with it."),
            column("end_offset_reason", _STRING, "Why end_offset is null; else null."),
            column(
                "end_offset_history",
                HISTORY,
                f"Where the log ended and when that was read, oldest first and this census last: at most {POINTS}, "
                "closer together the younger they are. Empty where no end is known; it begins anew with a new log.",
            ),
            column(
                "newest_record_offset",
                _LONG,
                "Offset of the record with the newest timestamp (KIP-734); null where the leader told none.",
            ),
            column("newest_record_at", _TIME, "That timestamp, as its producer or the broker set it; null with it."),
            column(
                "records_per_second",
                _DOUBLE,
                "Growth of end_offset since the previous census, offsets per second: transactions' markers count, too.",
            ),
            column("records_per_second_reason", _STRING, "Why records_per_second is null; else null."),
            column("previous_census_id", _STRING, "The census that records_per_second compares with; null with it."),
            OWNER,
        ]
    ),
    key=("topic", "partition"),
    owned_by=(("topics", "topic"),),
    reads=(
        *UNDER_MIN_ISR_PARTITIONS.reads,
        *(read for read in BROKERS.reads if read not in UNDER_MIN_ISR_PARTITIONS.reads),
        Read("DescribeLogDirs", "log_dirs", required=False),
        Read("ListOffsets", "earliest", required=False),
        Read("ListOffsets", "latest", required=False),
        Read("ListOffsets", "max_timestamp", required=False),
    ),
    made_of=(UNDER_MIN_ISR_PARTITIONS, BROKERS),
    questions=(
        Question(
            "Which partitions are written most, and who leads them?",
            """SELECT topic, partition, leader_id, records_per_second, leader_bytes
FROM current_partitions
ORDER BY records_per_second DESC NULLS LAST, topic, partition
LIMIT 20""",
        ),
        Question(
            "Which partitions are not led by their preferred leader?",
            """SELECT topic, partition, leader_id, replicas, isr, status, reason
FROM current_partitions
WHERE is_preferred_leader IS NOT TRUE
ORDER BY topic, partition""",
        ),
        Question(
            "How unevenly are the records of a topic spread over its partitions?",
            """SELECT topic, count(*) AS partitions, min(end_offset - start_offset) AS least,
       max(end_offset - start_offset) AS most, count_if(end_offset - start_offset IS NULL) AS not_known
FROM current_partitions
WHERE partition >= 0
GROUP BY topic
ORDER BY most - least DESC NULLS LAST, topic""",
        ),
    ),
)
