"""Published table: every broker that any answer names, with its state and its load."""

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

from kafka_census.declarations.table import CLUSTER, Question, Read, Table, column

_INT, _LONG, _STRING, _TIME = IntegerType(), LongType(), StringType(), TimestampType()
_DOUBLE = DoubleType()

_FEATURE = StructType(
    [
        StructField("feature", _STRING),
        StructField("min_version", _INT),
        StructField("max_version", _INT),
        StructField("finalized_version", _INT),
    ]
)

BROKERS = Table(
    name="brokers",
    layer="published",
    comment="One row per broker that the cluster, a replica list or a partition's leadership names, alive or not; and, "
    "once, one that only the previous census knew.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("broker_id", _INT, "The broker's id."),
            column(
                "state",
                _STRING,
                "alive | fenced (registered, but not alive to the controller; before 4.0 that is not_alive) | "
                "not_alive (only partitions name it) | gone (the previous census knew it and nobody names it any more: "
                "decommissioned, or down and without replicas; the next census has no row for it).",
            ),
            column("host", _STRING, "Host of the listener that was asked; null when not_alive or gone."),
            column("port", _INT, "Port of that listener; null when not_alive or gone."),
            column("rack", _STRING, "broker.rack; null when not set, not_alive or gone."),
            column(
                "release_at_least",
                _STRING,
                "The lowest release of Kafka that the broker's API ranges prove, in ZooKeeper and in KRaft mode alike: "
                "2.8, 3.0 to 3.3, 3.5, 3.7 and later. 3.4 and 3.6 have no ranges of their own: such a broker is "
                "3.3 or 3.5 here. Null where it did not answer ApiVersions, or proves none.",
            ),
            column(
                "features",
                ArrayType(_FEATURE, containsNull=False),
                "Its features, such as metadata.version: the levels that it supports, and the one that the cluster has "
                "finalized, as it knows it (null for none). Brokers before 2.8 tell of none, those below ApiVersions "
                "v4 of none whose lowest level is 0; see features_reason.",
            ),
            column("features_reason", _STRING, "Why features and release_at_least are not known; else null."),
            column(
                "is_controller",
                BooleanType(),
                "It is the active controller. Not what DescribeCluster answers: in KRaft mode that is any alive "
                "broker, so that it is null there where DescribeQuorum is not offered or was not read.",
            ),
            column("controller_reason", _STRING, "Why is_controller is null; else null."),
            column("replicas", _LONG, "Partitions of which it has a replica, adding and removing ones included."),
            column("leaders", _LONG, "Partitions that it leads."),
            column("preferred_leaders", _LONG, "Partitions of which it is the first replica, and should lead."),
            column("preferred_elsewhere", _LONG, "Of preferred_leaders: those that another broker leads, or none."),
            column(
                "preferred_imbalance",
                _DOUBLE,
                "preferred_elsewhere / preferred_leaders. With auto.leader.rebalance.enable a KRaft controller moves "
                "every leader back, and one with ZooKeeper above leader.imbalance.per.broker.percentage (0.1). Null "
                "when it is preferred nowhere.",
            ),
            column("out_of_sync_replicas", _LONG, "Partitions of which its replica is not in sync."),
            column("offline_replicas", _LONG, "Partitions of which its replica is offline: broker or log dir down."),
            column("leader_skew", _DOUBLE, "leaders / mean of the brokers that are alive: 1 is as the mean."),
            column("replica_skew", _DOUBLE, "replicas / mean of the brokers that are alive: 1 is as the mean."),
            column(
                "counts_reason",
                _STRING,
                "Why the counts are null, or what they leave out: topics that could not be described; else null.",
            ),
        ]
    ),
    key=("broker_id",),
    reads=(
        Read("DescribeCluster", "cluster"),
        Read("Metadata", "names"),
        Read("DescribeTopicPartitions", "topics"),
        Read("DescribeQuorum", "quorum", required=False),
        Read("DescribeConfigs", "brokers", required=False),
        Read("ApiVersions", "features", required=False),
    ),
    questions=(
        Question(
            "Which releases and features do the brokers have?",
            """SELECT broker_id, state, release_at_least, features, features_reason
FROM current_brokers
ORDER BY release_at_least, broker_id""",
        ),
        Question(
            "Which brokers are down, and how many replicas do they take with them?",
            """SELECT broker_id, state, rack, replicas, offline_replicas, counts_reason
FROM current_brokers
WHERE state <> 'alive'
ORDER BY replicas DESC""",
        ),
        Question(
            "Which brokers lead much more, or much less, than the others?",
            """SELECT broker_id, rack, leaders, leader_skew, preferred_elsewhere, preferred_imbalance
FROM current_brokers
WHERE state = 'alive' AND (leader_skew BETWEEN 0.8 AND 1.2) IS NOT TRUE
ORDER BY leader_skew DESC""",
        ),
    ),
)
