"""How fast a group consumes, how fast its partition grows, and when its lag will end, from two censuses.

Both rates are growth over the seconds between the censuses, of the same partition of the same topic. An offset that
fell was reset, or belongs to another log, so its rate is null, never below 0.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.tables.shared.items import is_true
from kafka_census.tables.shared.reasons import first_that_holds


def with_rates(rows: DataFrame) -> DataFrame:
    """Adds consumption_rate, production_rate, seconds_to_drain and drain_reason to rows with their `before_` values."""
    seconds = F.col("observed_at").cast("double") - F.col("before_at").cast("double")
    consumed = F.col("committed_offset") - F.col("before_committed_offset")
    produced = F.col("high_watermark") - F.col("before_high_watermark")
    other = (F.col("topic_state") == "recreated") | is_true(F.col("before_topic_id") != F.col("topic_id"))
    lag, consumption, production = F.col("lag"), F.col("consumption_rate"), F.col("production_rate")
    reason = first_that_holds(
        (lag.isNull(), "lag_unknown"),
        (lag == 0, F.lit(None)),
        (consumed.isNull() | produced.isNull() | (seconds <= 0), "no_history"),
        (consumption.isNull() | production.isNull(), "reset"),
        (consumption <= production, "not_draining"),
    )
    return (
        rows.withColumn("consumption_rate", F.when(~other & (seconds > 0) & (consumed >= 0), consumed / seconds))
        .withColumn("production_rate", F.when(~other & (seconds > 0) & (produced >= 0), produced / seconds))
        .withColumn("drain_reason", reason)
        .withColumn(
            "seconds_to_drain",
            F.when(lag == 0, F.lit(0))
            .when(F.col("drain_reason").isNull(), F.ceil(lag / (consumption - production)))
            .cast("bigint"),
        )
    )
