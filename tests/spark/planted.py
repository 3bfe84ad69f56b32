"""Rows with one fault each, judged by a suite, for the suite tests."""

from collections.abc import Mapping, Sequence
from typing import Any

from great_expectations.expectations.expectation import Expectation
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType

from kafka_census.quality import expectations
from kafka_census.quality.expectations import Outcome, key_text
from kafka_census.quality.suite import Suite
from kafka_census.quality.tally import UNIQUE, Subject, tallies
from spark.fake_lake import bare


def frame(spark: SparkSession, suite: Suite, rows: list[dict[str, Any]]) -> DataFrame:
    """Rows of the suite's table; a column that is not given is null, an array that is not given is empty."""
    schema = bare(suite.table.schema)
    empty = {field.name: [] for field in schema.fields if field.dataType.typeName() == "array"}
    return spark.createDataFrame([tuple((empty | row).get(name) for name in schema.names) for row in rows], schema)


def judged(subjects: Sequence[tuple[Subject, Sequence[Expectation]]]) -> list[list[Outcome]]:
    """The outcomes of each subject's expectations, with the keys of failing rows."""
    counted, _ = tallies([subject for subject, _ in subjects], {}, one_task=True)
    return expectations.named(
        [(subject, expectations.judge(subject, counted[subject.name], wanted)) for subject, wanted in subjects],
        one_task=True,
    )


def failures(
    spark: SparkSession, suite: Suite, rows: list[dict[str, Any]], counted: Mapping[str, int], census_id: str
) -> dict[str, tuple[str, ...]]:
    """Failing keys by rule, for rules that fail; no rule may raise."""
    subject = suite.subject(frame(spark, suite, rows), census_id)
    [outcomes] = judged([(subject, suite.all_expectations(census_id, counted))])
    assert [outcome.raised for outcome in outcomes] == [None] * len(outcomes)
    return {outcome.rule: outcome.failing_keys for outcome in outcomes if not outcome.success}


def broken_besides(
    spark: SparkSession,
    suite: Suite,
    right: Mapping[str, Any],
    wrong: Mapping[str, Mapping[str, Any]],
    *,
    by: str,
    counted: Mapping[str, int],
) -> dict[str, set[str]]:
    """By rule, the other rules that its planted fault breaks; every rule of the suite must name its own row.

    right    a row that breaks no rule
    wrong    by rule, the columns that break it in the right row; the right row is planted twice, too
    by       the column of the key that identifies the rows; rows are numbered if it is a number
    counted  the landed counts, each number wrong
    """
    numbered = suite.table.schema[by].dataType != StringType()
    planted = {**wrong, UNIQUE: {}}
    rows = {
        rule: {**right, by: number if numbered else rule, **fault}
        for number, (rule, fault) in enumerate(planted.items())
    }
    found = failures(spark, suite, [*rows.values(), rows[UNIQUE]], counted, "now")
    assert set(found) == {expectation.meta["rule"] for expectation in suite.all_expectations("now", counted)}
    besides = {}
    for rule, row in rows.items():
        key = key_text(suite.table.key, [row.get(name) for name in suite.table.key])
        assert key in found[rule], f"{rule} does not name {key}"
        besides[rule] = {name for name, keys in found.items() if key in keys} - {rule}
    return {rule: others for rule, others in besides.items() if others}
