"""Published table: every member of every group: its ids, its client host, and its assignment."""

from pyspark.sql.types import ArrayType, IntegerType, StringType, StructField, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column

_INT, _STRING, _TIME = IntegerType(), StringType(), TimestampType()
_STRINGS = ArrayType(_STRING, containsNull=False)

_OF_TOPIC = StructType([StructField("topic", _STRING), StructField("partitions", ArrayType(_INT, containsNull=False))])

GROUP_MEMBERS = Table(
    name="group_members",
    layer="published",
    comment="One row per member of a group, of whatever type, and one for each group whose members were not all read. "
    "Client ids and hosts may tell of people: see docs/operations.md.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("group_id", _STRING, "The group; one that was read and has no member has no row."),
            column("member_id", _STRING, "The member; empty for a group whose members were not all read, see reason."),
            column("status", _STRING, "described | not_read (of a group: its members, or some, are not known)."),
            column("reason", _STRING, "Why the group's members are not all known; null when described."),
            column("group_type", _STRING, "classic, consumer, share or streams; null where brokers do not say."),
            column("group_state", _STRING, "State as described, or else as listed; null where brokers do not say."),
            column("protocol_type", _STRING, "Such as consumer or connect."),
            column("client_id", _STRING, "client.id of the member."),
            column("client_host", _STRING, "Address that the member connects from, as Kafka writes it: after a slash."),
            column("instance_id", _STRING, "group.instance.id of a static member; null for others."),
            column("rack_id", _STRING, "client.rack of the member; null where not set, and in classic groups."),
            column("partitions", _INT, "How many partitions it has now; null where unknown, see assignment_reason."),
            column(
                "assignment",
                ArrayType(_OF_TOPIC, containsNull=False),
                "These partitions, by topic; where partitions is null, those that are known. Members of a share group "
                "have the same ones. Of a streams group those of its active tasks.",
            ),
            column("assignment_reason", _STRING, "Why a member's partitions are not known; null when they are."),
            column(
                "assignor",
                _STRING,
                "What assigns the group's partitions or tasks: the protocol of a classic group, else the broker's "
                "assignor; null where not told, such as of streams groups before Kafka 4.4.",
            ),
            column(
                "topology_status",
                _STRING,
                "Of a streams group from Kafka 4.4 on: AVAILABLE where a plugin of the broker stores its topology, "
                "NOT_STORED, ERROR, or NOT_REQUESTED where the answer would have been too large or late; else null.",
            ),
            column("subtopologies", _INT, "Subtopologies of that topology; null where it is not available."),
            column("source_topics", _STRINGS, "Topics that it names as its sources; empty where it is not available."),
            column("stores", _STRINGS, "State stores that it names, global ones too; empty where it is not available."),
            OWNER,
        ]
    ),
    key=("group_id", "member_id"),
    owned_by=(
        ("groups", "group_id"),
        ("client_ids", "client_id"),
    ),
    reads=(
        Read("ListGroups", "groups"),
        Read("DescribeGroups", "groups"),
        Read("ConsumerGroupDescribe", "groups"),
        Read("ShareGroupDescribe", "groups"),
        Read("StreamsGroupDescribe", "groups"),
        # Topics of one subtopology may differ in partition count: a task reads the topics that have its partition.
        Read("Metadata", "names", required=False),
    ),
    questions=(
        Question(
            "Who reads the topic orders, and from which host?",
            """SELECT DISTINCT one.group_id, one.client_id, one.client_host, one.instance_id
FROM current_group_members AS one
JOIN current_consumer_lag AS read ON read.cluster_id = one.cluster_id AND read.group_id = one.group_id
  AND array_contains(read.member_ids, one.member_id)
WHERE read.topic = 'orders'
ORDER BY one.group_id, one.client_id, one.client_host, one.instance_id""",
        ),
        Question(
            "Which members wait without a partition?",
            """SELECT group_id, member_id, client_id, client_host
FROM current_group_members
WHERE partitions = 0
ORDER BY group_id, member_id""",
        ),
        Question(
            "Of which groups is it not known who is in them?",
            """SELECT group_id, group_type, reason
FROM current_group_members
WHERE status = 'not_read'
ORDER BY group_id""",
        ),
    ),
)
