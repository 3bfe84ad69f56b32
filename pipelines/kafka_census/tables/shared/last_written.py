"""When a topic was last written, by the newest timestamp that the leader of each partition tells (KIP-734).

A leader that tells none may have no record, or records without a usable time: stamped -1 (no timestamp) or with a time
before 1970, such as Go's zero time; in remote storage only, since leaders look into their local segments alone; or not
committed yet. So the ends of the log and the bytes of the replicas decide whether there is no record. The maximum over
the partitions of a topic is known where that of each is; else it is a lower bound.
"""

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.shared.items import is_true, moment
from kafka_census.tables.shared.reasons import first_that_holds, not_read, words

_WALK = "ListOffsets (max_timestamp)"
_PARTITION = ["topic", "partition"]


def newest_by_topic(newest: DataFrame, earliest: DataFrame, latest: DataFrame, log_dirs: DataFrame) -> DataFrame:
    """One row per topic whose leaders answered.

    The first three are items of ListOffsets (max_timestamp, earliest, latest), log_dirs of DescribeLogDirs.

    newest_ms                the newest timestamp, ms since 1970
    last_written_at_least    the newest one that is a time
    reported                 the number of partitions that answered without an error
    failure                  the first partition that answered with an error: `partition` and `error`
    silence                  the first partition that told no time though it may have records: `partition` and `line`
    written_at               when the latest of these answers was received
    """
    of_partitions = _by_partition(newest, earliest, latest, log_dirs)
    told, answered = F.col("newest_ms").isNotNull(), F.col("newest_error") == 0
    is_empty = is_true((F.col("start") == F.col("end")) & (F.coalesce("bytes", F.lit(0)) == 0))
    here = words("partition ", F.col("partition"))
    has_records = is_true((F.col("end") > F.col("start")) | (F.col("bytes") > 0))
    line = first_that_holds(
        (F.col("newest_offset").isNotNull(), words(here, ": its records have no usable time")),
        (has_records, words(here, ": it is not empty, and has no local, committed record with a usable time")),
        otherwise=words(here, ": it has no newest record, but whether it is empty was not read"),
    )
    silent = answered & ~told & (F.col("newest_offset").isNotNull() | ~is_empty)
    return (
        of_partitions.where(F.col("newest_error").isNotNull())
        .groupBy("topic")
        .agg(
            F.max("newest_ms").alias("newest_ms"),
            F.max(moment(F.col("newest_ms"))).alias("last_written_at_least"),
            F.count_if(answered).alias("reported"),
            F.min(F.when(~answered, F.struct("partition", error_name("newest_error").alias("error")))).alias("failure"),
            F.min(F.when(silent, F.struct("partition", line.alias("line")))).alias("silence"),
            F.max("received_at").alias("written_at"),
        )
    )


def why_not_known(missing: Sequence[MissingRead]) -> Column:
    """Why the time of the last write is unknown; of rows with `newest_by_topic`, `partitions` and their `reason`."""
    reported = F.coalesce("reported", F.lit(0))
    unheard = words(f"{_WALK} did not report ", F.col("partitions") - reported, " of its partitions")
    failure = words("partition ", F.col("failure.partition"), f": {_WALK} answered ", F.col("failure.error"))
    return first_that_holds(
        (F.col("reason").isNotNull(), F.col("reason")),
        (F.col("failure").isNotNull(), failure),
        (reported < F.col("partitions"), F.coalesce(not_read(missing, "ListOffsets", "max_timestamp"), unheard)),
        (F.col("silence").isNotNull(), F.col("silence.line")),
        (F.col("newest_ms").isNull(), "it has no record"),
        (
            moment(F.col("newest_ms")).isNull(),
            words("its newest record is stamped ", F.col("newest_ms"), " ms, which no calendar has"),
        ),
    )


def _by_partition(newest: DataFrame, earliest: DataFrame, latest: DataFrame, log_dirs: DataFrame) -> DataFrame:
    """One row per partition: newest_ms, newest_offset, newest_error, start, end, and bytes of its largest replica.

    One aggregate over the walks, as in `partition_ends`; of replicas only those with bytes are looked at.
    """
    answered = [
        newest.select(
            *_PARTITION,
            "received_at",
            F.col("timestamp").alias("newest_ms"),
            F.col("offset").alias("newest_offset"),
            F.col("error_code").alias("newest_error"),
        ),
        earliest.select(*_PARTITION, F.col("offset").alias("start")),
        latest.select(*_PARTITION, F.col("offset").alias("end")),
        log_dirs.where((F.col("size") > 0) & ~is_true(F.col("is_future"))).select(
            *_PARTITION, F.col("size").alias("bytes")
        ),
    ]
    union = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), answered)
    return union.groupBy(*_PARTITION).agg(
        *[F.max(name).alias(name) for name in union.columns if name not in _PARTITION]
    )
