"""The p-values are those of printed tables, and ids that defeat the hash are distinguished from chance."""

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from kafka_census.transforms.fair_hash import UNLUCKY, WRONG, spread, tail_of
from kafka_census.transforms.java_hash import java_hash, offsets_partition

# Abramowitz and Stegun, table 26.8: the statistic that is exceeded with this probability.
PRINTED = [
    (3.84146, 1, 0.05),
    (10.828, 1, 0.001),
    (5.99147, 2, 0.05),
    (2.15586, 10, 0.995),
    (23.2093, 10, 0.01),
    (43.7730, 30, 0.05),
    (76.1539, 50, 0.01),
    (86.661, 50, 0.001),
    (124.342, 100, 0.05),
    (149.449, 100, 0.001),
]


@pytest.mark.parametrize(("statistic", "degrees", "chance"), PRINTED)
def test_chance_is_that_of_the_printed_tables(statistic: float, degrees: int, chance: float) -> None:
    """To as many digits as the tables have, for odd and even degrees and both tails."""
    assert tail_of(statistic, degrees) == pytest.approx(chance, rel=3e-4)


def test_chance_is_exact_far_out_and_for_many_partitions() -> None:
    """Two degrees are an exponential distribution; where terms of the sum would overflow, the median is still 0.5."""
    assert tail_of(100.0, 2) == pytest.approx(1.9287498479639178e-22, rel=1e-12)
    assert tail_of(4999.333, 5000) == pytest.approx(0.5, abs=1e-4)
    assert tail_of(0.0, 49) == 1.0
    assert tail_of(1e6, 49) == 0.0


def spread_of(spark: SparkSession, names: str, partitions: int) -> Row:
    """The spread of the ids that a SQL expression over `id` (0 to 4,999) generates."""
    placed = spark.range(5000).select(
        offsets_partition(java_hash(F.expr(names)), F.lit(partitions)).alias("offsets_partition"),
        F.lit(partitions).alias("offsets_partitions"),
        F.lit(1).alias("found_coordinator"),
        F.current_timestamp().alias("observed_at"),
    )
    return spread(placed, "groups", "__consumer_offsets", "offsets_partition").collect()[0]


def test_names_as_people_give_them_are_fair(spark: SparkSession) -> None:
    """The statistic is that of the counts; the hash of mixed names is no worse than chance."""
    row = spread_of(spark, "concat('app-', md5(cast(id AS STRING)))", 50)
    assert (row.groups_skew, row.groups_skew_reason) == ("fair", None)
    assert row.groups_p_value == pytest.approx(tail_of(row.groups_chi_square, 49))
    assert row.groups_p_value > UNLUCKY


@pytest.mark.parametrize(("on_first", "skew"), [(540, "fair"), (541, "unlucky"), (577, "unlucky"), (578, "wrong")])
def test_bad_luck_is_between_one_in_a_hundred_and_one_in_a_million(
    spark: SparkSession, on_first: int, skew: str
) -> None:
    """For 1,000 ids on two partitions: a probability of 0.0095 is 541 on one of them, and of 8e-7 it is 578."""
    placed = spark.range(1000).select(
        F.when(F.col("id") < on_first, 0).otherwise(1).alias("offsets_partition"),
        F.lit(2).alias("offsets_partitions"),
        F.lit(1).alias("found_coordinator"),
        F.current_timestamp().alias("observed_at"),
    )
    assert spread(placed, "groups", "__consumer_offsets", "offsets_partition").collect()[0].groups_skew == skew


def test_partitions_that_defeat_the_hash_are_wrong(spark: SparkSession) -> None:
    """Modulo 31 the hash of a short name, a sum of powers of 31, is its last character: ten digits, ten partitions."""
    row = spread_of(spark, "cast(id AS STRING)", 31)
    assert (row.groups_skew, row.groups_p_value < WRONG) == ("wrong", True)
    assert row.groups_chi_square == pytest.approx(5000 * 31 / 10 - 5000)
