"""The p-values are those of SciPy, and ids that defeat the hash are distinguished from chance."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from scipy.stats import chi2

from kafka_census.lake.union import union
from kafka_census.tables.shared.fair_hash import UNLUCKY, WRONG, spread, tail_of
from kafka_census.tables.shared.java_hash import java_hash, offsets_partition


@pytest.mark.parametrize("degrees", [1, 2, 3, 10, 49, 100, 999, 5000])
def test_chance_is_that_of_scipy(degrees: int) -> None:
    """For odd and even degrees, at both tails and far out, where terms of the sum would overflow or are nothing."""
    statistics = [0.0, *(degrees * part for part in (0.1, 0.5, 0.9, 1, 1.1, 2)), 100.0, 1e6]
    found = [tail_of(statistic, degrees) for statistic in statistics]
    assert found == pytest.approx(list(chi2.sf(statistics, degrees)), rel=1e-9, abs=0)


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


def test_names_as_people_give_them_are_fair_and_those_that_defeat_the_hash_are_told_from_bad_luck(
    spark: SparkSession,
) -> None:
    """Bad luck is between one in a hundred and one in a million; the statistic is that of the counts.

    Modulo 31 the hash of a short name, a sum of powers of 31, is its last character: ten digits, ten partitions.
    """
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
    found = {row.case: row for row in union(frames).collect()}
    row = found[MIXED]
    assert (row.groups_skew, row.groups_skew_reason) == ("fair", None)
    assert row.groups_p_value == pytest.approx(tail_of(row.groups_chi_square, 49))
    assert row.groups_p_value > UNLUCKY
    row = found[DIGITS]
    assert (row.groups_skew, row.groups_p_value < WRONG) == ("wrong", True)
    assert row.groups_chi_square == pytest.approx(5000 * 31 / 10 - 5000)
    assert {number: found[f"{number}"].groups_skew for number in ON_FIRST} == ON_FIRST
