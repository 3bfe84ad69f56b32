"""The producer state of each partition's leader: the number of ids, by kind, and their growth per hour.

A broker keeps the state of every producer id for `producer.id.expiration.ms` (a day by default; before 3.4
`transactional.id.expiration.ms`, seven days) after its last record; short-lived idempotent producers fill its memory.
An id is idempotent-only if no transaction of the id is open and no coordinator epoch was ever recorded: a coordinator
writes its epoch with the marker that ends a transaction. If ids were reported only in part, before an error, their
number is null.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.producer_state.columns import PRODUCER_STATE
from kafka_census.tables.shared.items import moment
from kafka_census.tables.shared.reasons import first_that_holds, not_read, words

_PARTITION = ["topic", "partition"]
_SECONDS_AN_HOUR = 3600


def producer_state(
    *, partitions: DataFrame, producers: DataFrame, previous: DataFrame, missing: Sequence[MissingRead]
) -> DataFrame:
    """One row per partition; a topic that could not be described is one row with partition -1.

    Columns: those of `PRODUCER_STATE`. Inputs are items: partitions of DescribeTopicPartitions, producers of
    DescribeProducers; and this table's rows of the previous census.
    """
    described = (
        partitions.withColumn("partition", F.coalesce("partition", F.lit(-1)))
        .groupBy(*_PARTITION)
        .agg(F.max_by(F.struct("census_id", "cluster_id", "topic_id", "error_code", "received_at"), "received_at"))
        .toDF(*_PARTITION, "described")
        .select(*_PARTITION, "described.*")
        .withColumnRenamed("received_at", "described_at")
    )
    reported = described.join(_counted(producers), _PARTITION, "left").withColumn(
        "producers_gap", not_read(missing, "DescribeProducers", "partitions")
    )
    known = reported.withColumn("reason", _reason()).withColumns(
        {name: F.when(F.col("reason").isNull(), F.col(name)) for name in _NUMBERS}
    )
    return (
        known.withColumns(
            {
                "observed_at": F.greatest("described_at", "reported_at"),
                "idempotent_only_share": F.when(
                    F.col("producer_ids") > 0, F.col("idempotent_only") / F.col("producer_ids")
                ),
            }
        )
        .join(_before(previous), _PARTITION, "left")
        .withColumns(_growth())
        .select(*PRODUCER_STATE.computed.names)
    )


_NUMBERS = (
    "producer_ids",
    "idempotent_only",
    "open_transactions",
    "oldest_open_offset",
    "oldest_open_timestamp",
    "oldest_last_timestamp",
)


def _counted(producers: DataFrame) -> DataFrame:
    """One row per partition that was answered: its numbers, the broker that reported, and the error, if any."""
    known, is_open = F.col("producer_id").isNotNull(), F.col("current_txn_start_offset").isNotNull()
    last = moment(F.col("last_timestamp"))
    return producers.groupBy(*_PARTITION).agg(
        F.max("received_at").alias("reported_at"),
        F.max_by("asked_node_id", "received_at").alias("asked_broker_id"),
        F.max(error_name("error_code")).alias("error"),
        F.count("producer_id").alias("producer_ids"),
        F.count_if(known & ~is_open & F.col("coordinator_epoch").isNull()).alias("idempotent_only"),
        F.count_if(is_open).alias("open_transactions"),
        F.min("current_txn_start_offset").alias("oldest_open_offset"),
        F.min(F.when(is_open, last)).alias("oldest_open_timestamp"),
        F.min(last).alias("oldest_last_timestamp"),
    )


def _reason() -> Column:
    """Why the producers of a partition are not known; null where they are known."""
    not_described = F.coalesce(error_name("error_code"), F.lit("no partition is in the answer"))
    return first_that_holds(
        (F.col("partition") < 0, words("the topic was not described: ", not_described)),
        (F.col("error").isNotNull(), words("DescribeProducers: ", F.col("error"))),
        (F.col("reported_at").isNull(), F.coalesce("producers_gap", F.lit("DescribeProducers did not tell of it"))),
    )


def _before(previous: DataFrame) -> DataFrame:
    return previous.select(
        *_PARTITION,
        F.col("topic_id").alias("before_topic_id"),
        F.col("census_id").alias("before_census_id"),
        F.col("observed_at").alias("before_at"),
        F.col("producer_ids").alias("before_ids"),
    )


def _growth() -> dict[str, Column]:
    """Growth of ids per hour, compared with the same partition of the same topic in the previous census."""
    seconds = F.col("observed_at").cast("double") - F.col("before_at").cast("double")
    same = F.col("topic_id").eqNullSafe(F.col("before_topic_id"))
    grown = F.col("producer_ids") - F.col("before_ids")
    compared = same & grown.isNotNull() & (seconds > 0)
    return {
        "producer_ids_per_hour": F.when(compared, grown * _SECONDS_AN_HOUR / seconds),
        "previous_census_id": F.when(compared, F.col("before_census_id")),
    }


PRODUCER_STATE_TRANSFORM = Transform(
    PRODUCER_STATE,
    producer_state,
    {
        "partitions": ("DescribeTopicPartitions", "topics"),
        "producers": ("DescribeProducers", "partitions"),
    },
    previous=True,
)
