"""Published table: which broker coordinates each group, by formula, by listing and as Kafka answers."""

from pyspark.sql.types import StringType, StructType, TimestampType

from kafka_census.declarations.placement import placement_columns
from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column
from kafka_census.declarations.walks import OFFSETS_TOPIC

_STRING, _TIME = StringType(), TimestampType()

GROUP_COORDINATOR_PLACEMENT = Table(
    name="group_coordinator_placement",
    layer="published",
    comment="One row per group: the coordinator by formula, by listing and by FindCoordinator, and whether they agree.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("group_id", _STRING, "The group; the empty string is a valid group id."),
            column(
                "group_type",
                _STRING,
                "classic, consumer, share or streams; null where brokers do not say (before 3.8).",
            ),
            column(
                "group_state",
                _STRING,
                "State as the listing broker gave it; null where brokers do not say (before 2.6).",
            ),
            column(
                "protocol_type", _STRING, "Such as consumer or connect; empty for a group that only commits offsets."
            ),
            *placement_columns("group", "group id", OFFSETS_TOPIC, "offsets_partition"),
            OWNER,
        ]
    ),
    key=("group_id",),
    owned_by=(("groups", "group_id"),),
    reads=(
        Read("ListGroups", "groups"),
        Read("FindCoordinator", "groups"),
        Read("Metadata", "names"),
        Read("DescribeTopicPartitions", "topics"),
        Read("DescribeCluster", "cluster"),
    ),
    questions=(
        Question(
            "Which groups must find another coordinator when broker 3 goes down?",
            """SELECT group_id, offsets_partition, found_coordinator
FROM current_group_coordinator_placement
WHERE found_coordinator = 3
ORDER BY group_id""",
        ),
    ),
)
