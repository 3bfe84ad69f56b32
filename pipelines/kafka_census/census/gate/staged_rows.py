"""The staged rows of a census, judged: each table by its suites, then the checks between tables.

All counts of tables, and of landed pages to compare with, come from a few Spark queries at the same time, and the keys
of rows that break a rule from another. Great Expectations judges the operator's expectations, where there are any.
Unless the census is large, its rows are read once, and stay in memory for the report.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, SparkSession

from kafka_census.census.gate import cross_checks, outcome, row_counts
from kafka_census.census.gate.cross_checks import CrossCheck
from kafka_census.census.gate.outcome import OURS, Outcome
from kafka_census.census.gate.quarantine import Failed
from kafka_census.census.gate.tally import Tally, tallies
from kafka_census.census.gate.verdict import Verdict
from kafka_census.census.staging.stage import previous
from kafka_census.declarations.census import Census
from kafka_census.declarations.judged import Subject
from kafka_census.declarations.rules import Suite
from kafka_census.declarations.table import Table
from kafka_census.declarations.thresholds import Thresholds
from kafka_census.lake.lake import Lake
from kafka_census.pages.landed_census import LandedCensus

if TYPE_CHECKING:
    from kafka_census.census.gate.own_suites import OwnSuite

_AGAIN = "; run the census again, and if it is refused again, report it"
_ROWS = ": the rows are in audit/quarantine"
_AGAINST_BEFORE = (row_counts.KEPT, row_counts.GROWN)


@dataclass(frozen=True)
class JudgedRows:
    """The judged rows of one census.

    frames    the rows that were judged, by table name
    rows      the number of rows, by table name
    verdicts  of each table's suites, by its name
    between   of the checks between tables
    failed    the outcomes that did not succeed, each table's together, then each check's
    """

    frames: Mapping[str, DataFrame]
    rows: Mapping[str, int]
    verdicts: Mapping[str, Sequence[Verdict]]
    between: Sequence[Verdict]
    failed: Sequence[Failed]


def judge_rows(
    spark: SparkSession,
    lake: Lake,
    census: Census,
    tables: tuple[Table, ...],
    landed: LandedCensus,
    thresholds: Thresholds,
    suites: tuple[Suite, ...],
    own: "tuple[OwnSuite, ...]",
    excused: Collection[str],
    at_once: int = 1,
) -> JudgedRows:
    """Judge the staged rows of these tables, with `at_once` queries at the same time.

    excused  names of tables with missing answers, which were accepted or refused as such: too few rows, and
             mismatches with other tables, are their effect and only warn
    """
    one_task, keep = landed.is_judged_in_one_part, thresholds.quarantine_rows
    rows_of = landed.staged_once if one_task else landed.staged
    frames = {table.name: rows_of(table) for table in tables}
    suite_of = {suite.table.name: suite for suite in suites}
    subjects = [suite_of[table.name].subject(frames[table.name], census.census_id) for table in tables]
    checks = cross_checks.applicable(tables)
    between = cross_checks.subjects(checks, frames, landed)
    counts = {table.name: suite_of[table.name].counts(landed) for table in tables}
    tallied, counted = tallies([*subjects, *between], counts, at_once, one_task=one_task)

    before = previous(spark, lake, census, landed)
    judged = []
    for table, subject in zip(tables, subjects, strict=True):
        tally = tallied[subject.name]
        bounds = row_counts.bounds(table.name, before.get(table.name), thresholds)
        mine = [
            *outcome.of_suite(suite_of[table.name], census.census_id, subject, tally, counted[table.name]),
            *_of_operator(own, subject, tally, keep),
            *(outcome.of_number(each, tally.rows, subject, tally) for each in bounds),
        ]
        judged.append((subject, mine))
    for check, subject in zip(checks, between, strict=True):
        judged.append((subject, [outcome.of_rule(check.condition, subject, tallied[subject.name])]))
    outcomes = outcome.named(judged, keep, one_task=one_task)
    of_tables = dict(zip((table.name for table in tables), outcomes, strict=False))
    of_checks = [_renamed(*one) for one in zip(checks, outcomes[len(tables) :], strict=True)]
    found = [(table, of_tables[table.name]) for table in tables]
    found += [(check.table, [one]) for check, one in zip(checks, of_checks, strict=True)]
    return JudgedRows(
        frames=frames,
        rows={table.name: tallied[table.name].rows for table in tables},
        verdicts={
            table.name: [
                _verdict(table, one, excused=_is_excused(one, table, excused), ours=_is_of_our_suite(one))
                for one in of_tables[table.name]
            ]
            for table in tables
        },
        between=[
            _verdict(check.table, one, excused=bool({check.table.name, check.other.name} & set(excused)), ours=True)
            for check, one in zip(checks, of_checks, strict=True)
        ],
        failed=[Failed(table, bad) for table, each in found if (bad := tuple(one for one in each if not one.success))],
    )


def _of_operator(own: "tuple[OwnSuite, ...]", subject: Subject, tally: Tally, keep: int) -> list[Outcome]:
    """The outcomes of the operator's expectations of a table."""
    wanted = [each for suite in own if suite.table_name == subject.name for each in suite.expectations]
    if not wanted:
        return []
    from kafka_census.census.gate import expectations

    return expectations.judge(subject, tally.rows, wanted, keep)


def _renamed(check: CrossCheck, outcomes: Sequence[Outcome]) -> Outcome:
    """The only outcome of a check under the check's own name, with unchanged keys."""
    [found] = outcomes
    message = found.message.replace(f" of {found.checked} rows: ", f" of {found.checked}: ", 1)
    return replace(found, rule=check.rule, key=("",), message=message)


def _verdict(table: Table, of: Outcome, *, excused: bool, ours: bool) -> Verdict:
    """The verdict on an outcome: a critical one that fails refuses, and so does one that could not be judged."""
    fails = not of.success and of.severity == "critical" and not excused
    refuses = of.raised is not None or fails
    advice = (_AGAIN if ours else "") + (_ROWS if of.failing else "") if refuses else ""
    message = of.message.removesuffix(".") if advice else of.message
    return Verdict(
        table_name=table.name,
        rule=of.rule,
        kind="expectation",
        severity=of.severity,
        outcome="refuse" if refuses else "pass" if of.success else "warn",
        checked_rows=of.checked,
        failed_rows=of.failed,
        failing_keys=of.failing_keys,
        message=f"{of.rule}: {message}{advice}",
    )


def _is_excused(of: Outcome, table: Table, excused: Collection[str]) -> bool:
    """Whether a failure only warns: within one table, only having fewer rows than before is excused."""
    return table.name in excused and (of.suite, of.rule) == (OURS, row_counts.KEPT)


def _is_of_our_suite(of: Outcome) -> bool:
    """Whether it is not an operator's, and not the row count against the previous census, which has its own advice."""
    return of.suite == OURS and of.rule not in _AGAINST_BEFORE
