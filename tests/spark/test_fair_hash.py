"""The p-values are those of printed tables, and ids that defeat the hash are distinguished from chance."""

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from kafka_census.lake.union import union
from kafka_census.tables.shared.fair_hash import UNLUCKY, WRONG, spread, tail_of
from kafka_census.tables.shared.java_hash import java_hash, offsets_partition

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


@pytest.mark.parametrize("degrees", [1, 2, 49, 499])
def test_ids_that_are_spread_better_than_by_chance_have_a_chance_of_at_most_one(degrees: int) -> None:
    """The terms of the sum are rounded; the gate refuses a census whose chance is above 1."""
    chances = [tail_of(hundredths / 100, degrees) for hundredths in range(3000)]
    assert (chances[0], max(chances)) == (1.0, 1.0)
    assert min(chances) > 0


MIXED, DIGITS = "names of all kinds", "names that are digits"
NAMES = {MIXED: ("concat('app-', md5(cast(id AS STRING)))", 50), DIGITS: ("cast(id AS STRING)", 31)}
"""SQL expressions over `id` (0 to 4,999), and numbers of partitions."""

ON_FIRST = {540: "fair", 541: "unlucky", 577: "unlucky", 578: "wrong"}
"""How many of 1,000 ids are on the first of two partitions: a chance of 0.0095 is 541, and of 8e-7 is 578."""


@pytest.fixture(scope="module")
def found(spark: SparkSession) -> dict[str, Row]:
    """The spread of ids, by case, in one query."""
    placed = {
        case: (spark.range(5000), offsets_partition(java_hash(F.expr(names)), F.lit(count)), count)
        for case, (names, count) in NAMES.items()
    } | {f"{n}": (spark.range(1000), F.when(F.col("id") < n, 0).otherwise(1), 2) for n in ON_FIRST}
    frames = []
    for case, (ids, partition, count) in placed.items():
        columns = {"offsets_partition": partition, "offsets_partitions": F.lit(count), "found_coordinator": F.lit(1)}
        frame = ids.withColumns(columns | {"observed_at": F.current_timestamp()})
        of_case = spread(frame, "groups", "__consumer_offsets", "offsets_partition")
        frames.append(of_case.withColumn("case", F.lit(case)))
    return {row.case: row for row in union(frames).collect()}


def test_names_as_people_give_them_are_fair(found: dict[str, Row]) -> None:
    """The statistic is that of the counts; the hash of mixed names is no worse than chance."""
    row = found[MIXED]
    assert (row.groups_skew, row.groups_skew_reason) == ("fair", None)
    assert row.groups_p_value == pytest.approx(tail_of(row.groups_chi_square, 49))
    assert row.groups_p_value > UNLUCKY


def test_bad_luck_is_between_one_in_a_hundred_and_one_in_a_million(found: dict[str, Row]) -> None:
    assert {number: found[f"{number}"].groups_skew for number in ON_FIRST} == ON_FIRST


def test_partitions_that_defeat_the_hash_are_wrong(found: dict[str, Row]) -> None:
    """Modulo 31 the hash of a short name, a sum of powers of 31, is its last character: ten digits, ten partitions."""
    row = found[DIGITS]
    assert (row.groups_skew, row.groups_p_value < WRONG) == ("wrong", True)
    assert row.groups_chi_square == pytest.approx(5000 * 31 / 10 - 5000)
