"""How old the record at a committed offset is, from the end offsets that earlier censuses read.

exact         no lag is 0 seconds. Where the record at the offset is the one with the newest timestamp (KIP-734), that
              timestamp counts
interpolated  the record was appended between two censuses: the bracket is told, and the error is at most its width
at_least      the record is older than the first end that is known
null          no earlier end is known: it is a first census, the topic is new, or the census has no table `partitions`
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.tables.partitions.columns import HISTORY
from kafka_census.tables.shared.offset_history import appended_about, bracketing
from kafka_census.tables.shared.reasons import first_that_holds

_NO_TABLE = "the census has no table partitions, which keeps the history of end offsets"
_NO_HISTORY = "no earlier end of this log is known: it is a first census, or the topic is new"


def with_end_history(ends: DataFrame, partitions: DataFrame | None) -> DataFrame:
    """Adds `ends` (of `HISTORY`), newest_record_offset, newest_record_at and why_no_history to rows by partition.

    `partitions` are rows of the table of this census; None where the census lacks that table.
    """
    if partitions is None:
        nothing = {"ends": HISTORY.simpleString(), "newest_record_offset": "bigint", "newest_record_at": "timestamp"}
        return ends.withColumns(
            {name: F.lit(None).cast(kind) for name, kind in nothing.items()} | {"why_no_history": F.lit(_NO_TABLE)}
        )
    known = partitions.select(
        *("topic", "partition", "newest_record_offset", "newest_record_at"), F.col("end_offset_history").alias("ends")
    )
    return ends.join(known, ["topic", "partition"], "left").withColumn("why_no_history", F.lit(_NO_HISTORY))


def with_lag_in_time(rows: DataFrame) -> DataFrame:
    """Adds lag_seconds, its method and reason, appended_after, appended_before and lag_read_committed_seconds.

    Rows have lag, lag_read_committed, lag_reason, topic_state, topic_reason, committed_offset, and the columns of
    `with_end_history`.
    """
    committed, lag, recreated = F.col("committed_offset"), F.col("lag"), F.col("topic_state") == "recreated"
    now = F.try_element_at("ends", F.lit(-1))["at"].cast("double")
    earlier = F.when((lag > 0) & ~recreated & (F.size("ends") > 1), F.col("ends"))
    lower, upper = bracketing(earlier, committed)
    bracketed = rows.withColumns({"lower": lower, "upper": upper})
    lower, upper = F.col("lower"), F.col("upper")
    is_newest = F.col("newest_record_offset") == committed
    age = first_that_holds(
        (recreated | lag.isNull(), F.lit(None)),
        (lag == 0, _age("exact", F.lit(0.0))),
        (is_newest, _age("exact", now - F.col("newest_record_at").cast("double"))),
        (lower.isNotNull(), _age("interpolated", now - appended_about(lower, upper, committed))),
        (upper.isNotNull(), _age("at_least", now - upper["at"].cast("double"))),
    )
    reason = F.coalesce(F.col("lag_reason"), F.when(recreated, F.col("topic_reason")), "why_no_history")
    seconds = F.col("age.seconds")
    return bracketed.withColumn("age", age).withColumns(
        {
            "lag_seconds": seconds,
            "lag_seconds_method": F.col("age.method"),
            "lag_seconds_reason": F.when(seconds.isNull(), reason),
            "appended_after": lower["at"],
            "appended_before": upper["at"],
            "lag_read_committed_seconds": F.when(F.col("lag_read_committed") > 0, seconds).when(
                F.col("lag_read_committed") == 0, F.lit(0)
            ),
        }
    )


def _age(method: str, seconds: Column) -> Column:
    """Whole seconds, at least 0: a record may bear a time to come."""
    whole = F.greatest(F.round(seconds), F.lit(0.0)).cast("bigint")
    return F.when(seconds.isNotNull(), F.struct(F.lit(method).alias("method"), whole.alias("seconds")))
