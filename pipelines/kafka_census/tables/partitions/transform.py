"""Every partition with its place, its bytes, the ends of its log, and how fast it is written.

State and minimum ISR are those of `under_min_isr_partitions`; racks are those of `brokers`.

bytes    the sizes of local segments that brokers tell, as in `topics`: null where a replica's broker did not tell, or
         may have it in an offline log dir. The leader's own dir is online, even if others of its broker are offline
offsets  of the leader's answers to ListOffsets, the start before the end
rate     the growth of the end offset since the previous census; null for a topic that was made anew, and where the end
         fell
history  the end offsets of earlier censuses, which tell the age of a record (`shared/offset_history.py`)
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.partitions.columns import PARTITIONS
from kafka_census.tables.shared.items import is_remote, is_true, moment
from kafka_census.tables.shared.offset_history import with_history
from kafka_census.tables.shared.partition_ends import end_reason, log_ends
from kafka_census.tables.shared.racks import why_no_racks, with_racks
from kafka_census.tables.shared.reasons import first_that_holds, not_read_from, words
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS

_PARTITION = ["topic", "partition"]


def partitions(
    *,
    described: DataFrame,
    brokers: DataFrame,
    log_dirs: DataFrame,
    earliest: DataFrame,
    latest: DataFrame,
    newest_records: DataFrame,
    missing: Sequence[MissingRead],
    previous: DataFrame,
) -> DataFrame:
    """One row per row of `under_min_isr_partitions`. Columns: those of `PARTITIONS`.

    described and brokers are rows of under_min_isr_partitions and brokers; log_dirs are items of DescribeLogDirs,
    earliest, latest and newest_records (max_timestamp) of ListOffsets; missing are the missing reads, `previous` the
    rows of this table of the last published census, maybe none.
    """
    rows = (
        described.join(_held(log_dirs), _PARTITION, "left")
        .join(log_ends(earliest=earliest, latest=latest), _PARTITION, "left")
        .join(_newest(newest_records), _PARTITION, "left")
        .withColumn("undescribed", F.when(F.col("partition") < 0, F.col("reason")))
    )
    known = _with_offsets(_with_bytes(with_racks(rows, brokers), _unread(brokers, log_dirs, missing)), missing)
    racks_reason = why_no_racks(F.col("undescribed"))
    leads = F.col("leader_id") == F.get("replicas", F.lit(0))
    return (
        with_history(_with_rate(known, previous))
        .withColumns(
            {
                "is_preferred_leader": F.when(F.col("available").isNotNull(), is_true(leads)),
                "racks_reason": racks_reason,
                "replicas_sharing_rack": F.when(racks_reason.isNull(), F.col("replicas_sharing")),
                "observed_at": F.greatest("observed_at", "sized_at", "ends_at"),
            }
        )
        .select(*PARTITIONS.computed.names)
    )


def _held(log_dirs: DataFrame) -> DataFrame:
    """One row per partition in a log dir: `held`, its broker_id, log_dir and bytes in each, without future replicas."""
    current = F.col("topic").isNotNull() & ~is_true(F.col("is_future")) & ~is_remote(F.col("log_dir"))
    held = F.struct(F.col("asked_node_id").alias("broker_id"), "log_dir", F.col("size").alias("bytes"))
    return (
        log_dirs.where(current)
        .groupBy(*_PARTITION)
        .agg(F.collect_list(held).alias("held"), F.max("received_at").alias("sized_at"))
    )


def _newest(newest_records: DataFrame) -> DataFrame:
    """One row per partition with a record of a usable time: newest_record_offset, newest_record_at."""
    at = moment(F.col("timestamp"))
    last = F.max(F.struct(at.alias("newest_record_at"), F.col("offset").alias("newest_record_offset")))
    return (
        newest_records.where(at.isNotNull() & F.col("offset").isNotNull())
        .groupBy(*_PARTITION)
        .agg(last.alias("newest"))
        .select(*_PARTITION, "newest.*")
    )


def _unread(brokers: DataFrame, log_dirs: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """One row: `silent`, by broker why its log dirs are not known, and `partly`, the same and of offline log dirs."""
    node = F.col("broker_id")
    answered = log_dirs.groupBy(F.col("asked_node_id").alias("broker_id")).agg(
        F.max(F.when(F.col("error_code") != 0, F.col("log_dir"))).alias("offline"), F.lit(True).alias("answered")
    )
    silent = F.when(F.col("answered").isNull(), words("broker ", node, " did not answer DescribeLogDirs"))
    offline = words("log dir ", F.col("offline"), " of broker ", node, " is offline")

    def by_broker(reason: str) -> Column:
        known = F.when(F.col(reason).isNotNull(), F.struct("broker_id", reason))
        return F.map_from_entries(F.collect_list(known)).alias(reason)

    return (
        brokers.select("broker_id")
        .join(answered, "broker_id", "left")
        .withColumn("silent", F.coalesce(not_read_from(missing, "DescribeLogDirs", "log_dirs", "broker_id"), silent))
        .withColumn("partly", F.coalesce("silent", offline))
        .agg(by_broker("silent"), by_broker("partly"))
    )


def _with_bytes(rows: DataFrame, unread: DataFrame) -> DataFrame:
    """Adds log_dirs, leader_bytes and replica_bytes, each with `_reason`."""
    of_replicas = F.filter("held", lambda one: F.array_contains("replicas", one["broker_id"]))
    nowhere = F.array().cast(PARTITIONS.schema["log_dirs"].dataType)
    dirs = F.coalesce(F.sort_array(of_replicas), nowhere)
    of_leader = F.filter("log_dirs", lambda one: one["broker_id"] == F.col("leader_id"))
    gaps = F.transform("replicas", lambda node: F.try_element_at("partly", node))
    leader_reason = first_that_holds(
        (F.col("undescribed").isNotNull(), F.col("undescribed")),
        (F.col("available").isNull(), F.col("reason")),
        (F.col("leader_id").isNull(), "the partition has no leader"),
        (F.col("leader_gap").isNotNull(), F.col("leader_gap")),
        (F.size(of_leader) == 0, "it is in no log dir of its leader: it moved, or was made, during the census"),
    )
    return (
        rows.crossJoin(F.broadcast(unread))
        .withColumns({"log_dirs": dirs, "leader_gap": F.try_element_at("silent", F.col("leader_id"))})
        .withColumns(
            {
                "leader_bytes_reason": leader_reason,
                "replica_bytes_reason": F.coalesce("undescribed", F.get(F.array_compact(gaps), F.lit(0))),
            }
        )
        .withColumns(
            {
                "leader_bytes": F.when(F.col("leader_bytes_reason").isNull(), _sum(of_leader)),
                "replica_bytes": F.when(F.col("replica_bytes_reason").isNull(), _sum(F.col("log_dirs"))),
            }
        )
        .drop("silent", "partly")
    )


def _sum(dirs: Column) -> Column:
    return F.aggregate(dirs, F.lit(0).cast("bigint"), lambda total, one: total + one["bytes"])


def _with_offsets(rows: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """Adds start_offset and end_offset, each with `_reason`, and end_offset_at."""
    unled = F.when(F.col("available").isNull(), F.col("reason"))

    def why(end: str) -> Column:
        return F.when(F.col(end).isNull(), F.coalesce("undescribed", unled, end_reason(end, missing)))

    return rows.withColumn("described", F.lit(1)).withColumns(
        {
            "start_offset": F.col("log_start"),
            "start_offset_reason": why("log_start"),
            "end_offset": F.col("high_watermark"),
            "end_offset_at": F.col("high_watermark_at"),
            "end_offset_reason": why("high_watermark"),
        }
    )


def _with_rate(rows: DataFrame, previous: DataFrame) -> DataFrame:
    """Adds records_per_second, its reason, previous_census_id and before_history; `previous` are rows of this table."""
    before = previous.select(
        *_PARTITION,
        F.lit(True).alias("was_there"),
        F.col("topic_id").alias("before_id"),
        F.col("end_offset").alias("before_end"),
        F.col("end_offset_at").alias("before_at"),
        F.col("end_offset_history").alias("before_history"),
    )
    census = previous.agg(F.max("census_id").alias("before_census"))
    records = F.col("end_offset") - F.col("before_end")
    seconds = F.col("end_offset_at").cast("double") - F.col("before_at").cast("double")
    reason = first_that_holds(
        (F.col("before_census").isNull(), "no previous census to compare with"),
        (F.col("end_offset").isNull(), F.col("end_offset_reason")),
        (F.col("was_there").isNull(), "the previous census has no such partition: it is new, or was not seen"),
        (F.col("before_id") != F.col("topic_id"), "the topic was made anew since the previous census"),
        (F.col("before_end").isNull(), "the previous census does not know its end offset"),
        (records < 0, "its end offset fell since the previous census: the log was truncated, or made anew"),
        (seconds <= 0, "by its clock, the previous census was not earlier"),
    )
    is_known = F.col("records_per_second_reason").isNull()
    return (
        rows.join(before, _PARTITION, "left")
        .crossJoin(F.broadcast(census))
        .withColumn("records_per_second_reason", reason)
        .withColumns(
            {
                "records_per_second": F.when(is_known, records / seconds),
                "previous_census_id": F.when(is_known, F.col("before_census")),
                "before_history": F.when(~is_true(F.col("before_id") != F.col("topic_id")), F.col("before_history")),
            }
        )
    )


PARTITIONS_TRANSFORM = Transform(
    PARTITIONS,
    partitions,
    {
        "described": UNDER_MIN_ISR_PARTITIONS,
        "brokers": BROKERS,
        "log_dirs": ("DescribeLogDirs", "log_dirs"),
        "earliest": ("ListOffsets", "earliest"),
        "latest": ("ListOffsets", "latest"),
        "newest_records": ("ListOffsets", "max_timestamp"),
    },
    previous=True,
)
