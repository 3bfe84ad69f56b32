"""Published table: which broker coordinates each group, by formula, by listing and as Kafka answers."""

from pyspark.sql.types import ArrayType, IntegerType, StringType, StructType, TimestampType

from kafka_census.tables.table import Question, Read, Table, column

_INT, _STRING, _TIME = IntegerType(), StringType(), TimestampType()

GROUP_COORDINATOR_PLACEMENT = Table(
    name="group_coordinator_placement",
    place="published",
    comment="One row a group: the coordinator by formula, by listing and by FindCoordinator, and whether they agree.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
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
            column("hash", _INT, "Java's String.hashCode of the group id, over UTF-16 units."),
            column(
                "offsets_partition",
                _INT,
                "Partition of __consumer_offsets by formula: Utils.abs(hash) % offsets_partitions.",
            ),
            column(
                "offsets_partitions",
                _INT,
                "Partitions of __consumer_offsets now; brokers go on with the number of their start.",
            ),
            column("expected_coordinator", _INT, "Leader of offsets_partition; null without one, see expected_reason."),
            column("expected_reason", _STRING, "Why expected_coordinator is null; null when it is known."),
            column(
                "listed_by",
                ArrayType(_INT, containsNull=False),
                "Brokers that listed the group, ascending: normally exactly one.",
            ),
            column("found_coordinator", _INT, "The coordinator that FindCoordinator named; null when it named none."),
            column("found_host", _STRING, "Host of found_coordinator, of the listener that was asked."),
            column("found_port", _INT, "Port of found_coordinator, of the listener that was asked."),
            column(
                "found_error",
                _STRING,
                "FindCoordinator's error for this group, such as COORDINATOR_NOT_AVAILABLE; else null.",
            ),
            column(
                "agreement",
                _STRING,
                "agree | formula_differs (another broker than the formula's) | listed_elsewhere (not listed by its "
                "coordinator) | listed_nowhere | listed_twice | no_coordinator | unknown (not read).",
            ),
            column("reason", _STRING, "One line on why agreement is not agree; null when it is."),
        ]
    ),
    key=("group_id",),
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
