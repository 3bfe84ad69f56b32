"""The coordinator of each transactional id (see `placement`), and how long its transaction has been open.

A transaction is open while it is Ongoing, and while it ends: in PrepareCommit and PrepareAbort partitions still wait
for their markers. A coordinator keeps the start time of a completed transaction (CompleteCommit, CompleteAbort), so a
duration computed from the start time alone would grow for ever (KAFKA-15546).
"""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.declarations.walks import TRANSACTIONS_TOPIC
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.shared.items import moment
from kafka_census.tables.shared.placement import Placed, placement
from kafka_census.tables.shared.reasons import first_that_holds, not_read, not_read_from, words
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT

_TRANSACTIONAL_IDS = Placed(
    id="transactional_id",
    noun="transactional id",
    topic=TRANSACTIONS_TOPIC,
    partition="transactions_partition",
    listing=("ListTransactions", "transactions"),
    listed=("transaction_state", "producer_id"),
    finding=("FindCoordinator", "transactional_ids"),
)

_DESCRIBE = ("DescribeTransactions", "transactional_ids")
_OVER = ("Empty", "CompleteCommit", "CompleteAbort", "Dead")


def transaction_coordinator_placement(
    *,
    transactions: DataFrame,
    coordinators: DataFrame,
    descriptions: DataFrame,
    partitions: DataFrame,
    topics: DataFrame,
    brokers: DataFrame,
    missing: Sequence[MissingRead],
) -> DataFrame:
    """One row per transactional id. Columns: those of `TRANSACTION_COORDINATOR_PLACEMENT`.

    Inputs are items: transactions of ListTransactions, coordinators of FindCoordinator, descriptions of
    DescribeTransactions, partitions of DescribeTopicPartitions, topics of Metadata, brokers of DescribeCluster; and the
    missing reads.
    """
    placed = placement(
        _TRANSACTIONAL_IDS,
        listing=transactions,
        coordinators=coordinators,
        partitions=partitions,
        topics=topics,
        brokers=brokers,
        missing=missing,
    )
    gap = F.coalesce(not_read_from(missing, *_DESCRIBE, "found_coordinator"), not_read(missing, *_DESCRIBE))
    known = placed.join(_described(descriptions), "transactional_id", "left").withColumns(
        {
            "observed_at": F.greatest("observed_at", "described.received_at"),
            "producer_id": F.coalesce("described.producer_id", "producer_id"),
            "producer_epoch": F.col("described.producer_epoch"),
            "described_state": F.col("described.transaction_state"),
            "transaction_timeout_ms": F.col("described.transaction_timeout_ms"),
            "transaction_started_at": moment(F.col("described.transaction_start_time_ms")),
            "description_gap": gap,
        }
    )
    return _with_duration(known).select(*TRANSACTION_COORDINATOR_PLACEMENT.computed.names)


def _described(descriptions: DataFrame) -> DataFrame:
    """One row per id: its last description, and its number of partitions."""
    columns = (
        "error_code",
        "transaction_state",
        "transaction_timeout_ms",
        "transaction_start_time_ms",
        "producer_id",
        "producer_epoch",
        "received_at",
    )
    return descriptions.groupBy("transactional_id").agg(
        F.max_by(F.struct(*columns), "received_at").alias("described"),
        F.count_distinct("topic", "partition").cast("int").alias("partitions_described"),
    )


def _with_duration(known: DataFrame) -> DataFrame:
    """Adds how long the transaction is open, and whether that is too long, or why both are unknown."""
    state, started = F.col("described_state"), F.col("transaction_started_at")
    milliseconds = F.unix_millis("described.received_at") - F.unix_millis(started)
    return (
        known.withColumn(
            "description_reason",
            first_that_holds(
                (F.col("described.error_code") == 0, F.lit(None)),
                (
                    F.col("described").isNotNull(),
                    words("DescribeTransactions answered ", error_name("described.error_code")),
                ),
                otherwise=F.coalesce("description_gap", F.lit("DescribeTransactions did not answer for this id")),
            ),
        )
        .withColumn("written_partitions", F.when(state.isNotNull(), F.col("partitions_described")))
        .withColumn(
            "duration_reason",
            first_that_holds(
                (F.col("description_reason").isNotNull(), F.col("description_reason")),
                (state.isin(*_OVER), words("no transaction is open (", state, ")")),
                (started.isNull(), words("the coordinator names no start (", state, ")")),
            ),
        )
        # The two clocks are the coordinator's and our own.
        .withColumn("duration_ms", F.when(F.col("duration_reason").isNull(), F.greatest(milliseconds, F.lit(0))))
        .withColumn("over_timeout", F.col("duration_ms") > F.col("transaction_timeout_ms"))
    )


TRANSACTION_COORDINATOR_PLACEMENT_TRANSFORM = Transform(
    TRANSACTION_COORDINATOR_PLACEMENT,
    transaction_coordinator_placement,
    {
        "transactions": ("ListTransactions", "transactions"),
        "coordinators": ("FindCoordinator", "transactional_ids"),
        "descriptions": ("DescribeTransactions", "transactional_ids"),
        "partitions": ("DescribeTopicPartitions", "topics"),
        "topics": ("Metadata", "names"),
        "brokers": ("DescribeCluster", "cluster"),
    },
)
