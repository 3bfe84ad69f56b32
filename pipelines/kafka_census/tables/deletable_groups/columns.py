"""Published table: every group, and whether its history shows that it may be deleted without harm."""

from pyspark.sql.types import ArrayType, BooleanType, IntegerType, LongType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT

_BOOLEAN, _INT, _LONG, _STRING, _TIME = BooleanType(), IntegerType(), LongType(), StringType(), TimestampType()

UNLISTED = "it could not be listed"
"""The beginning of `reason` in a row that only repeats what the previous census knew."""

DELETABLE_GROUPS = Table(
    name="deletable_groups",
    layer="published",
    comment="One row per group, those in use too: the evidence that nobody needs it, gathered census by census. Kafka "
    "deletes a group that has no members even while a consumer commits with it, so being empty proves nothing. A group "
    "of the previous census that could not be listed now is a row with the verdict unknown, which keeps its history.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("group_id", _STRING, "The group; the empty string is a valid group id."),
            column(
                "verdict",
                _STRING,
                "deletable (by the evidence so far) | in_use | undecided (no evidence yet) | unknown (not read).",
            ),
            column(
                "deletable",
                _BOOLEAN,
                "The verdict is deletable: empty, and left_behind, topics_gone or no_offsets. How long that must have "
                "held is for the deletion to say, from the columns below.",
            ),
            column("reason", _STRING, "One line on why it is not deletable; null when it is."),
            column(
                "evidence",
                ArrayType(_STRING, containsNull=False),
                "Of: empty (Empty or Dead, no members), no_offsets (none committed), topics_gone (all partitions with "
                "offsets are gone; decides nothing on a first sight, since topics may be younger than their list), "
                "left_behind (offsets stood still while end offsets grew).",
            ),
            column("group_type", _STRING, "classic, consumer, share or streams; null where brokers do not say."),
            column("group_state", _STRING, "State by the RPC of its type; null if it was not described."),
            column("members", _LONG, "Members by the RPC of its type; null if it was not described."),
            column("protocol_type", _STRING, "Such as consumer or connect, as listed."),
            column(
                "commits_only",
                _BOOLEAN,
                "It never had members (protocol_type is empty): an assign() consumer, Flink, Spark or MirrorMaker. "
                "Such a group is always empty; only its offsets show life.",
            ),
            column(
                "empty_since", _TIME, "First census of an unbroken run that found it empty, no offset new or moved."
            ),
            column("censuses_empty", _INT, "Censuses of that run; one that could not read the group is not counted."),
            column(
                "committed_partitions",
                _LONG,
                "Partitions with a committed offset (of share groups, a start offset), as last read; null if never.",
            ),
            column(
                "partitions_gone",
                _LONG,
                "Those whose topic or partition is no more, as last read; null if never.",
            ),
            column(
                "offsets_fingerprint",
                _LONG,
                "Hash over all (topic, partition, committed offset), as last read: it changes when one of them does.",
            ),
            column(
                "offset_hashes",
                ArrayType(_LONG, containsNull=False),
                "One hash per (topic, partition, committed offset), sorted, as last read: the next census compares "
                "with them. Empty if never read.",
            ),
            column(
                "offsets_moved",
                _BOOLEAN,
                "A committed offset is new or another than in the previous census; null without one to compare. One "
                "that was removed (expired, or its topic deleted) is not counted.",
            ),
            column(
                "offsets_removed",
                _LONG,
                "Committed offsets of the previous census that are not there as they were: removed, or moved; null "
                "without one to compare.",
            ),
            column(
                "offsets_unchanged_since",
                _TIME,
                "First census of an unbroken run in which no committed offset was new or moved.",
            ),
            column(
                "end_offsets",
                _LONG,
                "Sum of the end offsets of its committed partitions, as last read with these offsets; null if one of "
                "them could not be read.",
            ),
            column(
                "end_offsets_grew",
                _BOOLEAN,
                "It grew since the previous census, and its partitions are the same; null without one to compare.",
            ),
            column(
                "censuses_left_behind",
                _INT,
                "Censuses of the empty run in which end offsets had grown and its own offsets had not.",
            ),
            column("previous_census_id", _STRING, "The census that all this goes on from; null on a first sight."),
            OWNER,
        ]
    ),
    key=("group_id",),
    owned_by=(("groups", "group_id"),),
    reads=(
        *GROUP_COORDINATOR_PLACEMENT.reads,
        Read("DescribeGroups", "groups"),
        Read("ConsumerGroupDescribe", "groups"),
        Read("ShareGroupDescribe", "groups"),
        Read("StreamsGroupDescribe", "groups"),
        Read("OffsetFetch", "groups"),
        Read("DescribeShareGroupOffsets", "groups"),
        Read("ListOffsets", "latest"),
    ),
    made_of=(GROUP_COORDINATOR_PLACEMENT,),
    questions=(
        Question(
            "Which groups were empty for a week, in at least ten censuses, while their topics went on without them?",
            """SELECT group_id, group_type, evidence, empty_since, censuses_empty, censuses_left_behind
FROM current_deletable_groups
WHERE deletable AND censuses_empty >= 10 AND observed_at - empty_since >= INTERVAL 7 DAYS
ORDER BY empty_since""",
        ),
        Question(
            "How many groups are in use, and of how many do we not know?",
            """SELECT group_type, verdict, count(*) AS groups
FROM current_deletable_groups
GROUP BY group_type, verdict
ORDER BY group_type, verdict""",
        ),
    ),
)
