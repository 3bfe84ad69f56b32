"""Published table: every topic: its bytes and their growth, readers, time of the last write, and brokers."""

from pyspark.sql.types import ArrayType, BooleanType, IntegerType, LongType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.group_lag.columns import GROUP_LAG

_INT, _LONG, _STRING, _TIME = IntegerType(), LongType(), StringType(), TimestampType()
_STRINGS = ArrayType(_STRING, containsNull=False)

TOPICS = Table(
    name="topics",
    layer="published",
    comment="One row per topic: partitions, bytes and their growth, retention, the groups that read it, when it was "
    "last written, and the racks that hold it.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("topic", _STRING, "The topic."),
            column("topic_id", _STRING, "Kafka's id of the topic; null where brokers do not say."),
            column("is_internal", BooleanType(), "True for Kafka's own topics, such as __consumer_offsets."),
            column("partitions", _INT, "Number of partitions; null where not all were described, see reason."),
            column(
                "reason", _STRING, "Why partitions, and all that follows from them, is null; null when they are known."
            ),
            column(
                "replication_factor",
                _INT,
                "The fewest replicas that one of its partitions has; during a move adding and removing ones count.",
            ),
            column(
                "leader_bytes",
                _LONG,
                "Bytes of one replica of each partition, the leader's: the volume of its data. Local segments, without "
                "what tiered storage holds remotely.",
            ),
            column("leader_bytes_reason", _STRING, "Why leader_bytes is null; else null."),
            column(
                "replica_bytes",
                _LONG,
                "Bytes of all replicas: what it takes of the brokers' disks, without replicas that move between dirs.",
            ),
            column("replica_bytes_reason", _STRING, "Why replica_bytes is null; else null."),
            column(
                "growth_bytes",
                _LONG,
                "leader_bytes less those of the previous census; below 0 where more was deleted than written.",
            ),
            column("growth_reason", _STRING, "Why growth_bytes is null; else null."),
            column("growth_since", _TIME, "observed_at of the row that growth_bytes compares with; null with it."),
            column("previous_census_id", _STRING, "The census of that row; null with growth_bytes."),
            column("cleanup_policy", _STRING, "cleanup.policy as in force: delete, compact, or both."),
            column("retention_ms", _LONG, "retention.ms as in force; -1 keeps records for ever."),
            column("retention_bytes", _LONG, "retention.bytes as in force, of each partition; -1 is no limit."),
            column("config_reason", _STRING, "Why these three are null; else null."),
            column(
                "groups", _INT, "Groups that have an offset of it, or a member with a partition; see groups_reason."
            ),
            column("group_ids", _STRINGS, "These groups."),
            column("groups_reason", _STRING, "Why groups may be too few: something of groups was not read; else null."),
            column(
                "last_written_at",
                _TIME,
                "The newest timestamp of its records. It is the producer's, unless message.timestamp.type is "
                "LogAppendTime: a clock that is wrong shows. Of internal topics the brokers'. Null where that of one "
                "partition is not known.",
            ),
            column(
                "last_written_reason",
                _STRING,
                "Why last_written_at is null: no record, records without a usable time or in remote storage only, "
                "brokers before 3.0, a partition that did not tell; else null.",
            ),
            column(
                "last_written_at_least",
                _TIME,
                "The newest timestamp that a partition told: the topic was written then or later. As last_written_at "
                "where that is known; null where no partition told a time.",
            ),
            column("racks", _STRINGS, "Racks of the brokers that have a replica of it, those that are known."),
            column(
                "replicas_sharing_rack",
                _INT,
                "Replicas in a rack that holds another one of the same partition, not counting the first in each "
                "rack: 0 where every replica has a rack to itself.",
            ),
            column("racks_reason", _STRING, "Why replicas_sharing_rack is null; else null."),
            OWNER,
        ]
    ),
    key=("topic",),
    owned_by=(("topics", "topic"),),
    reads=(
        *GROUP_LAG.reads,
        Read("DescribeCluster", "cluster"),
        Read("DescribeConfigs", "topics", required=False),
        Read("DescribeLogDirs", "log_dirs", required=False),
        Read("ListOffsets", "max_timestamp", required=False),
    ),
    made_of=(CONSUMER_LAG, GROUP_LAG),
    questions=(
        Question(
            "Which topics are the largest, and how fast do they grow?",
            """SELECT topic, partitions, leader_bytes, replica_bytes, growth_bytes, growth_since, retention_ms
FROM current_topics
ORDER BY leader_bytes DESC NULLS LAST, topic
LIMIT 20""",
        ),
        Question(
            "Which topics does nobody read, and when were they last written?",
            """SELECT topic, leader_bytes, last_written_at, last_written_reason, last_written_at_least
FROM current_topics
WHERE NOT is_internal AND groups = 0 AND groups_reason IS NULL
ORDER BY leader_bytes DESC NULLS LAST, topic""",
        ),
        Question(
            "Which topics lose more than one replica of a partition with one rack?",
            """SELECT topic, replication_factor, racks, replicas_sharing_rack, racks_reason
FROM current_topics
WHERE (replicas_sharing_rack = 0) IS NOT TRUE
ORDER BY replicas_sharing_rack DESC, topic""",
        ),
    ),
)
