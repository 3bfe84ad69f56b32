"""Published table: the lag of each group on each partition that it has committed or was assigned."""

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructType,
    TimestampType,
)

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column
from kafka_census.tables.partitions.columns import PARTITIONS

_BOOLEAN, _DOUBLE, _INT, _LONG = BooleanType(), DoubleType(), IntegerType(), LongType()
_STRING, _TIME = StringType(), TimestampType()
_STRINGS = ArrayType(_STRING, containsNull=False)

CONSUMER_LAG = Table(
    name="consumer_lag",
    layer="published",
    comment="One row per group and partition that it committed or a member has: offsets, lag, rates, time to drain.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("group_id", _STRING, "The group; one without any partition is in group_lag only."),
            column("group_type", _STRING, "classic, consumer, share or streams; null where brokers do not say."),
            column("group_state", _STRING, "State as described, or else as listed; null where brokers do not say."),
            column("topic", _STRING, "The topic."),
            column("partition", _INT, "The partition."),
            column("topic_id", _STRING, "Kafka's id of the topic of that name now; null if not listed or reported."),
            column(
                "topic_state",
                _STRING,
                "exists | gone | recreated (it exists, and the offset is of an earlier topic of its name) | unknown.",
            ),
            column("topic_reason", _STRING, "What topic_state rests on; null when the topic exists."),
            column(
                "assigned",
                _BOOLEAN,
                "A member has the partition now; null if not known, see assigned_reason: also while a streams group, "
                "or on brokers before 4.3 a consumer group, rebalances.",
            ),
            column("assigned_reason", _STRING, "Why assigned is null; else null."),
            column("member_ids", _STRINGS, "Members that have the partition: several of a share group, else one."),
            column("client_ids", _STRINGS, "Client ids of those members."),
            column(
                "committed_offset",
                _LONG,
                "Offset that the group reads next; of a share group its start offset: all before it is done with. Null "
                "if there is none or it is not known, see range.",
            ),
            column("committed_leader_epoch", _INT, "Leader epoch of the record before it; null if not reported."),
            column("metadata", _STRING, "What the group noted with the offset."),
            column(
                "log_start_offset",
                _LONG,
                "Where the log starts, tiered segments included; read before committed_offset, so that it may have "
                "grown by then. Null if not read.",
            ),
            column(
                "high_watermark",
                _LONG,
                "End for read_uncommitted, read after committed_offset; stands still under min ISR. Null if not read.",
            ),
            column(
                "last_stable_offset",
                _LONG,
                "End for read_committed: the first open transaction, or else the high watermark. Read after "
                "high_watermark, which it may have passed by then; null if not read.",
            ),
            column(
                "range",
                _STRING,
                "in_range | before_start (the records are deleted: it will reset) | after_end (truncated, re-created, "
                "or set by hand) | no_commit (it starts by auto.offset.reset) | unknown. The start was read before the "
                "offset and the end after it: before_start and after_end are certain, in_range may have become "
                "before_start since.",
            ),
            column(
                "lag",
                _LONG,
                "high_watermark - committed_offset: offsets, not records, since compaction and transactions leave "
                "holes. May be too large by what moved between the answers, never too small. Null for an offset "
                "outside its log, from which nothing is read: the consumer resets. Of a share group as Kafka gives it: "
                "without what is done. Where topic_state is recreated, only what a consumer at that offset would read, "
                "and in no total.",
            ),
            column("lag_reason", _STRING, "Why lag is null; else null."),
            column(
                "lag_unread",
                _BOOLEAN,
                "lag is null because an offset or an end was not read. False where lag is known, and where there is "
                "none to read: no commit, an offset outside its log, a topic that is gone, a share group of which "
                "Kafka has no start offset, or tells no lag (before 4.2).",
            ),
            column("lag_read_committed", _LONG, "The same up to last_stable_offset; null for share groups."),
            column("lag_read_committed_reason", _STRING, "Why lag_read_committed is null; else null."),
            column(
                "lag_seconds",
                _LONG,
                "How old the record at committed_offset was when high_watermark was read; 0 without lag. By the times "
                "at which censuses read the end of the log, see lag_seconds_method.",
            ),
            column(
                "lag_seconds_method",
                _STRING,
                "exact (there is no lag, or it is the record with the newest timestamp, which counts) | interpolated "
                "(between appended_after and appended_before, as if records came evenly) | at_least (the record is "
                "older than the history of end offsets). Null with lag_seconds.",
            ),
            column("lag_seconds_reason", _STRING, "Why lag_seconds is null; else null."),
            column(
                "appended_after",
                _TIME,
                "When a census read an end at or before committed_offset: the record was appended later. Null where "
                "none did, and without lag.",
            ),
            column(
                "appended_before",
                _TIME,
                "When a census first read an end beyond committed_offset: the record was there. Null where none did, "
                "and without lag.",
            ),
            column(
                "lag_read_committed_seconds",
                _LONG,
                "The same for a consumer that reads up to last_stable_offset: 0 without lag_read_committed, null with "
                "it, else lag_seconds.",
            ),
            column(
                "raw_lag",
                _LONG,
                "high_watermark - committed_offset as it is: negative for after_end, counts deleted records for "
                "before_start.",
            ),
            column(
                "consumption_rate",
                _DOUBLE,
                "Growth of committed_offset since the previous census, offsets per second; null if it fell or is not "
                "known.",
            ),
            column("production_rate", _DOUBLE, "Growth of high_watermark, in the same way."),
            column(
                "seconds_to_drain",
                _LONG,
                "lag / (consumption_rate - production_rate); 0 without lag, null if it never ends or is not known.",
            ),
            column(
                "drain_reason",
                _STRING,
                "Why seconds_to_drain is null: lag_unknown | no_history (offsets were not read in this census and the "
                "one before) | reset (an offset fell, or the topic is another one) | not_draining.",
            ),
            column("previous_census_id", _STRING, "The census that rates compare with; null on a first sight."),
            OWNER,
        ]
    ),
    key=("group_id", "topic", "partition"),
    owned_by=(
        ("groups", "group_id"),
        ("topics", "topic"),
    ),
    reads=(
        Read("ListGroups", "groups"),
        Read("OffsetFetch", "groups"),
        Read("DescribeShareGroupOffsets", "groups"),
        Read("DescribeGroups", "groups"),
        Read("ConsumerGroupDescribe", "groups"),
        Read("ShareGroupDescribe", "groups"),
        Read("StreamsGroupDescribe", "groups"),
        Read("Metadata", "names"),
        Read("DescribeTopicPartitions", "topics"),
        Read("ListOffsets", "earliest"),
        Read("ListOffsets", "latest"),
        Read("ListOffsets", "last_stable", required=False),
    ),
    if_there=(PARTITIONS,),
    questions=(
        Question(
            "Which groups have lost records, or are about to: offsets outside their log?",
            """SELECT group_id, topic, partition, range, committed_offset, log_start_offset, high_watermark, lag_reason
FROM current_consumer_lag
WHERE range IN ('before_start', 'after_end', 'unknown')
ORDER BY group_id, topic, partition""",
        ),
        Question(
            "How many minutes are groups behind on each partition, and how sure is that?",
            """SELECT group_id, topic, partition, lag_seconds / 60 AS minutes, lag_seconds_method,
       appended_after, appended_before, lag_seconds_reason
FROM current_consumer_lag
WHERE lag > 0
ORDER BY lag_seconds DESC NULLS FIRST, group_id, topic, partition""",
        ),
        Question(
            "Which partitions do not drain, and who reads them?",
            """SELECT group_id, topic, partition, lag, consumption_rate, production_rate, client_ids
FROM current_consumer_lag
WHERE drain_reason = 'not_draining'
ORDER BY lag DESC""",
        ),
        Question(
            "Where do open transactions keep read_committed consumers from the end, and by how many offsets?",
            """SELECT topic, partition, max(high_watermark - last_stable_offset) AS held_back
FROM current_consumer_lag
WHERE last_stable_offset < high_watermark
GROUP BY topic, partition
ORDER BY held_back DESC""",
        ),
    ),
)
