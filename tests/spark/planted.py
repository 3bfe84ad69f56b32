"""Rows with a fault each, judged by a suite: what the suite tests share."""

from collections.abc import Mapping, Sequence
from typing import Any

from great_expectations.expectations.expectation import Expectation
from pyspark.sql import DataFrame, SparkSession

from kafka_census.quality import expectations
from kafka_census.quality.expectations import Outcome
from kafka_census.quality.suite import Suite
from kafka_census.quality.tally import Subject, tallies
from spark.fake_lake import bare


def frame(spark: SparkSession, suite: Suite, rows: list[dict[str, Any]]) -> DataFrame:
    """Rows of the suite's table; a column that is not given is null, an array that is not given is empty."""
    schema = bare(suite.table.schema)
    empty = {field.name: [] for field in schema.fields if field.dataType.typeName() == "array"}
    return spark.createDataFrame([tuple((empty | row).get(name) for name in schema.names) for row in rows], schema)


def judged(subjects: Sequence[tuple[Subject, Sequence[Expectation]]]) -> list[list[Outcome]]:
    """What each subject's expectations came to, with the keys of failing rows."""
    counted, _ = tallies([subject for subject, _ in subjects], {}, one_task=True)
    return expectations.named(
        [(subject, expectations.judge(subject, counted[subject.name], wanted)) for subject, wanted in subjects],
        one_task=True,
    )


def failures(
    spark: SparkSession, suite: Suite, rows: list[dict[str, Any]], counted: Mapping[str, int], census_id: str
) -> dict[str, tuple[str, ...]]:
    """Failing keys by rule, of the rules that fail; nothing may raise."""
    subject = suite.subject(frame(spark, suite, rows), census_id)
    [outcomes] = judged([(subject, suite.all_expectations(census_id, counted))])
    assert [outcome.raised for outcome in outcomes] == [None] * len(outcomes)
    return {outcome.rule: outcome.failing_keys for outcome in outcomes if not outcome.success}


def rules(suite: Suite, census_id: str, counted: Mapping[str, int]) -> set[str]:
    """Every rule of a suite by name."""
    return {expectation.meta["rule"] for expectation in suite.all_expectations(census_id, counted)}
