"""Every topic, summed over its partitions: the worst status, and the numbers of available and ready partitions.

KIP-637 proposes both counts for Metadata and defines "ready" only as having enough in-sync replicas; this table follows
`under_min_isr_partitions`. A count that is unknown for one partition is null for the topic: a sum of the others would
look complete.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.shared.reasons import first_that_holds, words
from kafka_census.tables.topic_readiness.columns import TOPIC_READINESS
from kafka_census.tables.under_min_isr_partitions.columns import STATUSES, UNDER_MIN_ISR_PARTITIONS

_COMMITTERS = ("groups_unable_to_commit", "transactional_ids_unable_to_commit")


def topic_readiness(*, partitions: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:  # noqa: ARG001 - see Transform
    """One row per topic, from the rows of under_min_isr_partitions, which already say what is missing.

    Columns: those of `TOPIC_READINESS`.
    """
    described = F.col("partition") >= 0
    ready = F.col("ready_for_acks_all")
    worst = first_that_holds(*[(F.col("status") == status, F.lit(rank)) for rank, status in enumerate(STATUSES)])
    # The lowest partition with the worst status; a topic that was not described has a single row.
    first = F.min(F.struct(worst.alias("rank"), "partition", "status", "reason")).alias("worst")
    summed = partitions.groupBy("topic").agg(
        *[F.max(name).alias(name) for name in ("census_id", "cluster_id", "observed_at", "topic_id", "is_internal")],
        first,
        F.max("error_code").alias("error_code"),
        F.max(described).alias("described"),
        F.count_if(described).alias("partitions"),
        F.when(F.count_if(described & F.col("available").isNull()) == 0, F.count_if("available")).alias(
            "available_partitions"
        ),
        F.count_if(ready).alias("known_ready"),
        F.min(F.when(ready.isNull(), F.struct("partition", "reason"))).alias("not_known"),
        F.every(ready).alias("every_ready"),
        *[
            F.count_if(described & (F.col("status") == status)).alias(f"{status.lower()}_partitions")
            for status in STATUSES
        ],
        F.max(F.struct("min_isr_raw", "min_isr_source")).alias("min_isr"),
        F.min("min_isr_raw").alias("lowest_min_isr"),
        *[aggregate for name in _COMMITTERS for aggregate in _sum_of_all(name)],
    )
    counts = ("partitions", "available_partitions", *[f"{status.lower()}_partitions" for status in STATUSES])
    not_ready, not_known = ~F.col("every_ready"), F.col("not_known")
    return summed.withColumns(
        {
            **{name: F.when(F.col("described"), F.col(name)).cast("int") for name in counts},
            "status": F.col("worst.status"),
            "reason": _at_partition(F.col("worst")),
            "ready_partitions": F.when(not_known.isNull(), F.col("known_ready")).cast("int"),
            "ready_reason": _at_partition(not_known),
            # `every` ignores nulls: one false value decides, and true requires that all values are known.
            "ready_for_acks_all": F.when(not_ready, F.lit(False)).when(not_known.isNull(), F.col("every_ready")),
            "min_isr_raw": F.col("min_isr.min_isr_raw"),
            "min_isr_source": F.col("min_isr.min_isr_source"),
            "min_isr_differs": F.col("min_isr.min_isr_raw") > F.col("lowest_min_isr"),
        }
    ).select(*TOPIC_READINESS.computed.names)


def _at_partition(one: Column) -> Column:
    """A partition's reason, preceded by the partition if there is one; null for null."""
    number = F.when(one["partition"] >= 0, words("partition ", one["partition"], ": ")).otherwise(F.lit(""))
    return F.concat(number, one["reason"])


def _sum_of_all(name: str) -> tuple[Column, Column]:
    """The sum over all partitions and its reason; null where the value of one partition is unknown."""
    reason = F.min(
        F.when(F.col(f"{name}_reason").isNotNull(), F.struct("partition", F.col(f"{name}_reason").alias("reason")))
    )
    return F.when(reason.isNull(), F.sum(name)).alias(name), _at_partition(reason).alias(f"{name}_reason")


TOPIC_READINESS_TRANSFORM = Transform(TOPIC_READINESS, topic_readiness, {"partitions": UNDER_MIN_ISR_PARTITIONS})
