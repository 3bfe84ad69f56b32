"""A rule about rows is a query that Great Expectations could run itself, with the result that the tally counts."""

import great_expectations as gx
import great_expectations.expectations as gxe
import pytest
from great_expectations.execution_engine import SparkDFExecutionEngine
from great_expectations.validator.validator import Validator
from pyspark.sql import SparkSession

from kafka_census.quality.tally import Subject, query_for_breaking, tallies

BROKEN = {
    "number > 1": 2,  # one is less, and one is null
    "word NOT IN ('{a}', 'it\\'s')": 3,
    "word IS NULL OR NOT rlike(word, '^[{].*[}]$')": 1,
    "true OR number > 1": 0,
}
"""How many of the rows break a rule, by its SQL."""


def test_great_expectations_counts_as_many_rows_as_the_tally(spark: SparkSession) -> None:
    """Also where the SQL has quotes and braces, which Great Expectations fills in, and where it is null."""
    rows = spark.createDataFrame([(1, "{a}"), (2, "it's"), (None, None)], "number int, word string")
    tallied, _ = tallies([Subject("rows", rows, ("number",), {rule: rule for rule in BROKEN})], {}, one_task=True)
    engine = SparkDFExecutionEngine(persist=False)
    engine.load_batch_data("rows", rows)
    queries = [gxe.UnexpectedRowsExpectation(unexpected_rows_query=query_for_breaking(rule)) for rule in BROKEN]
    validator = Validator(execution_engine=engine, data_context=gx.get_context(mode="ephemeral"))
    found = validator.graph_validate([query.configuration for query in queries], {"result_format": "SUMMARY"})
    assert [one.result["observed_value"] for one in found] == list(BROKEN.values())
    assert tallied["rows"].failed == BROKEN


@pytest.mark.parametrize("at_once", [2, 3, 9])
def test_queries_at_the_same_time_count_what_one_query_counts(spark: SparkSession, at_once: int) -> None:
    """Also where there are more of them than frames to count, and where the SQL of one rule raises."""
    rows = spark.createDataFrame([(1, "a"), (1, "b"), (None, None)], "number int, word string")
    rules = {"number > 1": "number > 1", "raises": "raise_error('no') IS NULL"}
    subjects = [Subject(name, rows, ("number",), rules, ("number",)) for name in ("one", "other")]
    numbers = {name: rows.selectExpr(f"count({name}) AS filled") for name in rows.columns}
    assert tallies(subjects, numbers, at_once, one_task=True) == tallies(subjects, numbers, one_task=True)
