"""How ids spread over partitions, and how likely a fair hash is to spread them no better.

The test is Pearson's chi-square test against equal shares.

The tail of the distribution has a closed form for whole degrees of freedom (Abramowitz and Stegun 26.4.4 and 26.4.5:
with h half the statistic, erfc(√h) or nothing, and a sum of h^a e^-h / Γ(a+1)), as exact as the machine's floats. The
tail is a UDF over one row, because Spark SQL has no error function; an approximation by the normal distribution
(Wilson-Hilferty) would need that function, too.

With few ids the counts are too coarse for the test. At one id per partition, 50 partitions, a fair hash falls below
0.01 once in 85 tries (instead of 100), and below 1e-6 about once in 80,000 (400,000 tries with random ids); at five ids
per partition once in 200,000. Below one id per partition there is no result.
"""

import math

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.tables.shared.arrow_function import arrow_function
from kafka_census.tables.shared.java_hash import NOT_APPLICABLE
from kafka_census.tables.shared.reasons import first_that_holds, words

UNLUCKY, WRONG = 0.01, 1e-6
"""A fair hash falls below the first value once in a hundred censuses, and below the second never in practice."""


def spread(placed: DataFrame, ids: str, topic: str, partition: str) -> DataFrame:
    """One row: how the ids of the whole cluster spread over the partitions of their topic, by formula.

    placed     rows of a placement, with its column `partition`
    ids        the prefix of the columns: _total, _unplaced, _chi_square, _p_value, _skew, _skew_reason, _at
    """
    on_partition = F.col(partition).isNotNull()
    counts = (
        placed.groupBy(partition)
        .agg(
            F.count("*").alias("ids"),
            F.count_if(F.col("found_coordinator").isNull()).alias("unplaced"),
            F.max(f"{partition}s").alias("partitions"),
            F.max("observed_at").alias("at"),
        )
        .agg(
            F.coalesce(F.sum("ids"), F.lit(0)).alias("total"),
            F.sum(F.when(on_partition, F.col("ids"))).alias("hashed"),
            F.sum(F.when(on_partition, F.col("ids") * F.col("ids"))).alias("squares"),
            F.coalesce(F.sum("unplaced"), F.lit(0)).alias("unplaced"),
            F.max("partitions").alias("partitions"),
            F.max("at").alias("at"),
        )
    )
    total, hashed, partitions = F.col("total"), F.col("hashed"), F.col("partitions")
    reason = first_that_holds(
        (total == 0, F.lit(f"no {ids.replace('_', ' ')}")),
        (partitions.isNull(), F.lit(f"the number of partitions of {topic} is not known")),
        (hashed.isNull(), F.lit(NOT_APPLICABLE)),
        (partitions == 1, F.lit(f"{topic} has one partition")),
        (hashed < partitions, words(hashed, " on ", partitions, " partitions: too few to tell")),
    )
    statistic = _chi_square(hashed, F.col("squares"), partitions)
    return (
        counts.withColumn("reason", reason)
        .withColumn("statistic", F.when(F.col("reason").isNull(), statistic))
        .withColumn("p_value", _p_value(F.col("statistic"), partitions))
        .select(
            total.alias(f"{ids}_total"),
            F.col("unplaced").alias(f"{ids}_unplaced"),
            partitions.alias(f"{partition}s"),
            F.col("statistic").alias(f"{ids}_chi_square"),
            F.col("p_value").alias(f"{ids}_p_value"),
            _skew(F.col("p_value")).alias(f"{ids}_skew"),
            F.col("reason").alias(f"{ids}_skew_reason"),
            F.col("at").alias(f"{ids}_at"),
        )
    )


def _chi_square(count: Column, squares: Column, cells: Column) -> Column:
    """Pearson's statistic of `count` ids in `cells` of equal share; `squares` is the sum of the cells' squares."""
    return ((squares * cells - count * count) / count).cast("double")


def _p_value(statistic: Column, cells: Column) -> Column:
    """The probability that a fair hash gives such a statistic or a larger one; null where the statistic is null."""
    return arrow_function(_p_values, (pa.float64(), pa.int32()), "double")(statistic, cells - 1)


def _skew(p: Column) -> Column:
    """fair | unlucky | wrong; null for null."""
    return first_that_holds((p < WRONG, "wrong"), (p < UNLUCKY, "unlucky"), (p.isNotNull(), "fair"))


def tail_of(statistic: float, degrees: int) -> float:
    """P(X >= statistic) of the chi-square distribution with `degrees` (at least 1) degrees of freedom."""
    half = statistic / 2
    if half <= 0:
        return 1.0
    first, tail = (0.5, math.erfc(math.sqrt(half))) if degrees % 2 else (0.0, 0.0)
    powers = (first + step for step in range(degrees // 2))
    terms = (math.exp(power * math.log(half) - half - math.lgamma(power + 1)) for power in powers)
    return min(1.0, tail + math.fsum(terms))  # the terms are rounded


def _p_values(statistics: pa.Array, degrees: pa.Array) -> pa.Array:
    pairs = zip(statistics.to_pylist(), degrees.to_pylist(), strict=True)
    return pa.array([None if x is None else tail_of(x, k) for x, k in pairs], pa.float64())
