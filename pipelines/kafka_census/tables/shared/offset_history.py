"""Where the log of a partition ended at earlier censuses, in one short array, and the age of a record by these points.

A point says that the log ended at an offset when that was read. The record at an offset was appended after the last
point that ends at or before the offset, and no later than the first point that ends beyond it. Producers' clocks do not
matter: these are times at which the census heard the leader.

The array is bounded, so that it costs the same after a year. A point goes when

- it cannot bracket any record: the log starts at or beyond the next point, or the points beside it end where it ends
- there are more than `POINTS`: then the one goes whose gap, once it is gone, is smallest beside the age of that gap.
  Recent points stay close together, and older ones get further apart in proportion to their age
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.tables.partitions.columns import HISTORY, POINTS


def with_history(rows: DataFrame) -> DataFrame:
    """Adds `end_offset_history`, oldest point first, of `HISTORY`.

    Rows have end_offset, end_offset_at and start_offset of now, and `before_history`, that of the same topic at the
    census before, maybe null. A log that ends before its last point is another one, and its history begins anew. Where
    the end was not read now, what was known before stays.
    """
    before, end, at = F.col("before_history"), F.col("end_offset"), F.col("end_offset_at")
    last = F.try_element_at("before_history", F.lit(-1))
    goes_on = (last["end_offset"] <= end) & (last["at"] < at)
    none = F.array().cast(HISTORY)
    point = F.array(F.struct(at.alias("at"), end.alias("end_offset")))
    points = F.when(end.isNull(), F.coalesce(before, none)).otherwise(
        F.concat(F.when(goes_on, before).otherwise(none), point)
    )
    return (
        rows.withColumn("points", points)
        .withColumn("points", F.filter("points", _brackets_something))
        .withColumn("gaps", F.transform("points", _relative_gap))
        .withColumn("end_offset_history", F.when(F.size("points") <= POINTS, F.col("points")).otherwise(_thinned()))
        .drop("points", "gaps")
    )


def _brackets_something(point: Column, index: Column) -> Column:
    before, after = F.get("points", index - 1), F.get("points", index + 1)
    useless = (after["end_offset"] <= F.col("start_offset")) | (
        (before["end_offset"] == point["end_offset"]) & (after["end_offset"] == point["end_offset"])
    )
    return ~F.coalesce(useless, F.lit(False))


def _relative_gap(_: Column, index: Column) -> Column:
    """The gap between a point's neighbours beside the age of the earlier one; null for the first and the last point."""
    before, after = (_seconds(F.get("points", index + step)["at"]) for step in (-1, 1))
    now = _seconds(F.try_element_at("points", F.lit(-1))["at"])
    return (after - before) / (now - before)


def _thinned() -> Column:
    """The points without the one of the smallest relative gap."""
    return F.filter(
        "points", lambda _, index: index != F.array_position("gaps", F.array_min("gaps")).cast("int") - F.lit(1)
    )


def _seconds(time: Column) -> Column:
    return time.cast("double")


def bracketing(history: Column, offset: Column) -> tuple[Column, Column]:
    """The last point that ends at or before an offset, and the first that ends beyond it; null where there is none."""
    lower = F.filter(history, lambda point: point["end_offset"] <= offset)
    upper = F.filter(history, lambda point: point["end_offset"] > offset)
    return F.try_element_at(lower, F.lit(-1)), F.get(upper, F.lit(0))


def appended_about(lower: Column, upper: Column, offset: Column) -> Column:
    """The second since 1970 at which a record was appended, if records came evenly between the points around it."""
    share = (offset - lower["end_offset"] + F.lit(0.5)) / (upper["end_offset"] - lower["end_offset"])
    return _seconds(lower["at"]) + share * (_seconds(upper["at"]) - _seconds(lower["at"]))
