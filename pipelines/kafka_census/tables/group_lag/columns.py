"""Published table: the total lag of each group, and the number of its partitions that the total leaves out."""

from pyspark.sql.types import DoubleType, IntegerType, LongType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Table, column
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG

_DOUBLE, _INT, _LONG, _STRING, _TIME = DoubleType(), IntegerType(), LongType(), StringType(), TimestampType()

GROUP_LAG = Table(
    name="group_lag",
    layer="published",
    comment="One row per listed group, those without offsets too: its lag in all, and how many partitions that misses.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("group_id", _STRING, "The group; the empty string is a valid group id."),
            column("group_type", _STRING, "classic, consumer, share or streams; null where brokers do not say."),
            column("group_state", _STRING, "State as described, or else as listed; null where brokers do not say."),
            column("protocol_type", _STRING, "Such as consumer or connect; empty for a group that only commits."),
            column("members", _INT, "Members that were described; null if the group was not."),
            column("members_reason", _STRING, "Why members is null, or may be too low; else null."),
            column("topics", _INT, "Topics that it committed or that a member has; too low where offsets_reason is."),
            column("partitions", _INT, "Partitions of them: the group's rows in consumer_lag."),
            column(
                "partitions_known",
                _INT,
                "Partitions whose lag is known; an offset of an earlier topic of the name (recreated) has none.",
            ),
            column(
                "partitions_missed",
                _INT,
                "Partitions whose lag is not known, and in no total: lag_total is a lower bound where this is above 0.",
            ),
            column("partitions_without_commit", _INT, "Of the missed: assigned, and never committed."),
            column(
                "partitions_unread",
                _INT,
                "Of the missed: an offset or an end was not read (lag_unread of consumer_lag). All others were read, "
                "and have no lag that Kafka could tell.",
            ),
            column(
                "partitions_out_of_range",
                _INT,
                "Partitions whose offset is before their log, or after it: they have no lag, and the consumer resets.",
            ),
            column(
                "partitions_unassigned",
                _INT,
                "Committed, and no member has them: topics that the group may read no more. Null where members, or "
                "what they have, were not read.",
            ),
            column("offsets_reason", _STRING, "Why some of its offsets may not have been read; null when all were."),
            column(
                "lag_total",
                _LONG,
                "Sum of the known lags, a lower bound where partitions_missed is above 0 or offsets_reason is set; "
                "null when none is known.",
            ),
            column("lag_reason", _STRING, "Why lag_total is null; else null."),
            column(
                "lag_unassigned",
                _LONG,
                "The part of lag_total in partitions_unassigned; null with either.",
            ),
            column("lag_max", _LONG, "The largest known lag."),
            column("slowest_topic", _STRING, "Topic of the partition with the largest known lag."),
            column("slowest_partition", _INT, "That partition."),
            column(
                "lag_seconds",
                _LONG,
                "The largest known of its partitions (see consumer_lag): a lower bound where partitions_without_age "
                "is above 0, or lag_seconds_method is at_least.",
            ),
            column("lag_seconds_method", _STRING, "That of the partition with the largest; at_least if any is."),
            column("lag_seconds_reason", _STRING, "Why lag_seconds is null; else null."),
            column("partitions_without_age", _INT, "Partitions with a known lag whose age is not known."),
            column("lag_read_committed_seconds", _LONG, "The largest known of its partitions for read_committed."),
            column("consumption_rate", _DOUBLE, "Sum of the known rates, offsets per second; null when none is known."),
            column("production_rate", _DOUBLE, "Sum of the known rates of the same partitions' high watermarks."),
            column("partitions_without_rate", _INT, "Partitions that a sum of rates misses, of one or the other."),
            column(
                "seconds_to_drain",
                _LONG,
                "The largest known of its partitions: a lower bound where one is not draining or not known.",
            ),
            column("partitions_not_draining", _INT, "Partitions with lag that is not consumed faster than it grows."),
            OWNER,
        ]
    ),
    key=("group_id",),
    owned_by=(("groups", "group_id"),),
    reads=CONSUMER_LAG.reads,
    made_of=(CONSUMER_LAG,),
    questions=(
        Question(
            "Which groups are furthest behind, and how sure is that?",
            """SELECT group_id, group_state, lag_total, partitions_missed, slowest_topic, slowest_partition,
       seconds_to_drain
FROM current_group_lag
ORDER BY lag_total DESC NULLS LAST, group_id
LIMIT 20""",
        ),
        Question(
            "Which groups are more than five minutes behind?",
            """SELECT group_id, lag_seconds / 60 AS minutes, lag_seconds_method, partitions_without_age, lag_total
FROM current_group_lag
WHERE lag_seconds > 300 OR partitions_without_age > 0
ORDER BY lag_seconds DESC NULLS FIRST, group_id""",
        ),
        Question(
            "How did the lag of each group develop?",
            """SELECT group_id, observed_at, lag_total, partitions_missed, consumption_rate, production_rate
FROM history_group_lag
ORDER BY group_id, census_id""",
        ),
    ),
)
