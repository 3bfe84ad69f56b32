"""Each rule of each suite lets right rows pass and names wrong ones; the rows are counted against what was landed.

Great Expectations judges the exported suites as the gate judges its own.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module

import great_expectations as gx
import pytest
from great_expectations.execution_engine import SparkDFExecutionEngine
from great_expectations.expectations.expectation import Expectation
from great_expectations.validator.validator import Validator
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.census.gate.outcome import of_suite
from kafka_census.census.gate.tally import Tally, tallies
from kafka_census.declarations.judged import UNIQUE, Subject
from kafka_census.declarations.rules import Rule, Suite
from kafka_census.lake.union import union
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.quotas.columns import QUOTAS
from spark.faults import IDENTITY, Faults, planted
from tools.expectations import expectations_of

FAULTS: Mapping[str, Faults] = {table.name: import_module(f"tables.{table.name}.faults").FAULTS for table in TABLES}
NOW = IDENTITY["census_id"]
KEY_SEPARATOR = "/"
EACH_TABLE = pytest.mark.parametrize("table", FAULTS)


@pytest.fixture(scope="module")
def subjects(spark: SparkSession) -> dict[str, Subject]:
    """The planted rows of each table."""
    rows = {name: [row for _, row in faults.planted()] for name, faults in FAULTS.items()}
    return {
        name: faults.suite.subject(planted(spark, faults.suite, rows[name]), NOW) for name, faults in FAULTS.items()
    }


@pytest.fixture(scope="module")
def tallied(subjects: dict[str, Subject]) -> dict[str, Tally]:
    """What the gate counts, in one query."""
    return tallies(list(subjects.values()), {}, one_task=True)[0]


@pytest.fixture(scope="module")
def broken(subjects: dict[str, Subject]) -> dict[tuple[str, str], set[str]]:
    """By table and key, the rules that the row breaks, in one query; null breaks a rule."""
    alike = []
    for name, subject in subjects.items():
        rules = [F.when(~F.coalesce(F.expr(sql), F.lit(False)), rule) for rule, sql in subject.rules.items()]
        key = F.concat_ws(KEY_SEPARATOR, *subject.key)
        alike.append(subject.frame.select(F.lit(name), key, F.array_compact(F.array(*rules))))
    return {(table, key): set(rules) for table, key, rules in union(alike, one_task=True).collect()}


def failing(subject: Subject, tally: Tally, faults: Faults, counted: Mapping[str, int]) -> set[str]:
    """The rules that fail; none may raise."""
    outcomes = of_suite(faults.suite, NOW, subject, tally, counted)
    assert [outcome.raised for outcome in outcomes] == [None] * len(outcomes)
    assert tuple(outcome.rule for outcome in outcomes) == faults.suite.names
    return {outcome.rule for outcome in outcomes if not outcome.success}


@EACH_TABLE
def test_each_rule_names_its_fault_and_no_right_row(broken: dict[tuple[str, str], set[str]], table: str) -> None:
    """Each planted row breaks its own rule, and no other but those that the table's file tells."""
    faults = FAULTS[table]
    keys = {
        name: KEY_SEPARATOR.join(str(row[column]) for column in faults.suite.table.key)
        for name, row in faults.planted()
    }
    assert {name: broken[table, key] for name, key in keys.items()} == faults.broken()
    assert {rule.name for rule in faults.suite.rules_of(NOW)} <= set(keys)


@EACH_TABLE
def test_faults_and_rows_are_counted(subjects: dict[str, Subject], tallied: dict[str, Tally], table: str) -> None:
    """Every rule fails by as many rows as break it, or share a key; so does the number of rows if it is another."""
    faults, subject, tally = FAULTS[table], subjects[table], tallied[table]
    broken = Counter(rule for name, _ in faults.planted() for rule in faults.broken()[name])
    assert (tally.failed, tally.twice) == (broken, 2)
    right = {name: count([row for _, row in faults.planted()]) for name, count in faults.counts.items()}
    assert failing(subject, tally, faults, right) == {*broken, UNIQUE}
    every = {*faults.suite.names}
    assert len(every) == len(broken) + 1 + len(right)
    assert failing(subject, tally, faults, {name: number + 1 for name, number in right.items()}) == every
    fewer = {name: number - 1 for name, number in right.items()}
    assert failing(subject, tally, faults, fewer) == ({*broken, UNIQUE} if faults.at_least else every)
    # Without rows it is right only where nothing was landed; between alike censuses nothing changes.
    nothing = Tally(0, dict.fromkeys(subject.rules, 0), dict.fromkeys(subject.totals, 0))
    assert failing(subject, nothing, faults, dict.fromkeys(faults.counts, 0)) == set()
    assert bool(failing(subject, nothing, faults, dict.fromkeys(faults.counts, 1))) == bool(faults.counts)


BROKEN = {
    "number > 1": 2,  # one is less, and one is null
    "word NOT IN ('{a}', 'it\\'s')": 3,
    "word IS NULL OR NOT rlike(word, '^[{].*[}]$')": 1,
    "true OR number > 1": 0,
}
"""How many of the rows break a rule, by its SQL."""
ODD = Suite(QUOTAS, lambda _: None, tuple(Rule(sql, sql, "", "warning") for sql in BROKEN))  # type: ignore[arg-type,return-value]
"""Rules whose SQL has quotes and braces, which Great Expectations fills in, and where it is null."""


def by_great_expectations(subject: Subject, expectations: Sequence[Expectation]) -> list[bool]:
    """Whether each expectation succeeds, as Great Expectations judges by itself."""
    engine = SparkDFExecutionEngine(persist=False)
    engine.load_batch_data("rows", subject.frame)
    validator = Validator(execution_engine=engine, data_context=gx.get_context(mode="ephemeral"))
    configured = [expectation.configuration for expectation in expectations]
    found = validator.graph_validate(configured, {"result_format": "BOOLEAN_ONLY"})
    assert [one.exception_info for one in found if one.exception_info.get("raised_exception")] == []
    return [bool(one.success) for one in found]


def test_great_expectations_judges_exported_suites_as_the_gate_does(
    spark: SparkSession, subjects: dict[str, Subject], tallied: dict[str, Tally]
) -> None:
    """Planted rows of one table, which break every rule about rows, and a row of another that breaks none."""
    faults, subject = FAULTS["under_min_isr_partitions"], subjects["under_min_isr_partitions"]
    counted = {name: count([row for _, row in faults.planted()]) for name, count in faults.counts.items()}
    judged = [one.success for one in of_suite(faults.suite, NOW, subject, tallied[subject.name], counted)]
    assert by_great_expectations(subject, expectations_of(faults.suite, NOW, counted)) == judged
    assert set(judged) == {True, False}
    faults, right = FAULTS["group_lag"], [FAULTS["group_lag"].planted()[0][1]]
    well = faults.suite.subject(planted(spark, faults.suite, right), NOW)
    counted = {name: count(right) for name, count in faults.counts.items()}
    assert all(by_great_expectations(well, expectations_of(faults.suite, NOW, counted)))


def test_great_expectations_counts_as_many_rows_as_the_tally(spark: SparkSession) -> None:
    rows = spark.createDataFrame([(1, "{a}"), (2, "it's"), (None, None)], "number int, word string")
    subject = Subject("rows", rows, ("number",), {rule: rule for rule in BROKEN})
    tallied, _ = tallies([subject], {}, one_task=True)
    expectations = [each for each in expectations_of(ODD, NOW, {}) if each.meta["rule"] in BROKEN]  # type: ignore[index]
    assert by_great_expectations(subject, expectations) == [not failed for failed in BROKEN.values()]
    assert tallied["rows"].failed == BROKEN


def test_queries_at_the_same_time_count_what_one_query_counts(spark: SparkSession) -> None:
    """Also where there are more of them than frames to count, and where the SQL of one rule raises."""
    rows = spark.createDataFrame([(1, "a"), (1, "b"), (None, None)], "number int, word string")
    rules = {"number > 1": "number > 1", "raises": "raise_error('no') IS NULL"}
    subjects = [Subject(name, rows, ("number",), rules, ("number",)) for name in ("one", "other")]
    numbers = {name: rows.selectExpr(f"count({name}) AS filled") for name in rows.columns}
    counted = tallies(subjects, numbers, one_task=True)
    for at_once in (2, 3, 9):
        assert tallies(subjects, numbers, at_once, one_task=True) == counted, at_once
