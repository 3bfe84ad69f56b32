"""The staged rows of a census, judged: each table by its suites, then the checks between tables.

All counts of tables, and of landed pages to compare with, come from a few Spark queries at the same time, and the keys
of rows that break a rule from another. All expectations of a table go to Great Expectations at once: ours, the
operator's, and the row count against the previous census. Unless the census is large, its rows are read once, and stay
in memory for the report.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame, SparkSession

from kafka_census.census.gate import cross_checks, expectations, own_suites, row_counts
from kafka_census.census.gate.cross_checks import CrossCheck
from kafka_census.census.gate.expectations import OURS, Name, Outcome
from kafka_census.census.gate.own_suites import OwnSuite
from kafka_census.census.gate.quarantine import Failed
from kafka_census.census.gate.tally import tallies
from kafka_census.census.gate.verdict import Verdict
from kafka_census.census.staging.stage import previous
from kafka_census.declarations.census import Census
from kafka_census.declarations.rules import Suite
from kafka_census.declarations.table import Table
from kafka_census.declarations.thresholds import Thresholds
from kafka_census.lake.lake import Lake
from kafka_census.pages.landed_census import LandedCensus

_AGAIN = "; run the census again, and if it is refused again, report it"
_ROWS = ": the rows are in audit/quarantine"
_KEPT, _GROWN = (OURS, row_counts.KEPT), (OURS, row_counts.GROWN)


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
    own: tuple[OwnSuite, ...],
    excused: Collection[str],
    at_once: int = 1,
) -> JudgedRows:
    """Judge the staged rows of these tables, with `at_once` queries at the same time.

    excused  names of tables with missing answers, which were accepted or refused as such: too few rows, and
             mismatches with other tables, are their effect and only warn
    """
    pages, one_task, keep = landed.pages, landed.is_judged_in_one_part, thresholds.quarantine_rows
    rows_of = pages.staged_once if one_task else pages.staged
    frames = {table.name: rows_of(table) for table in tables}
    suite_of = {suite.table.name: suite for suite in suites}
    subjects = [suite_of[table.name].subject(frames[table.name], census.census_id) for table in tables]
    checks = cross_checks.applicable(tables)
    between = cross_checks.subjects(checks, frames, pages)
    counts = {table.name: suite_of[table.name].counts(pages) for table in tables}
    tallied, counted = tallies([*subjects, *between], counts, at_once, one_task=one_task)

    before = previous(spark, lake, census, landed)
    wanted = [
        [
            *suite_of[table.name].all_expectations(census.census_id, counted[table.name]),
            *own_suites.of_table(own, table.name),
            *row_counts.expectations(table.name, before.get(table.name), thresholds),
        ]
        for table in tables
    ]
    wanted += [[check.expectation] for check in checks]
    judged = [
        (subject, expectations.judge(subject, tallied[subject.name], each, keep))
        for subject, each in zip([*subjects, *between], wanted, strict=True)
    ]
    outcomes = expectations.named(judged, keep, one_task=one_task)
    of_tables = dict(zip((table.name for table in tables), outcomes, strict=False))
    of_checks = [_renamed(*one) for one in zip(checks, outcomes[len(tables) :], strict=True)]
    found = [(table, of_tables[table.name]) for table in tables]
    found += [(check.table, [outcome]) for check, outcome in zip(checks, of_checks, strict=True)]
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


def _renamed(check: CrossCheck, outcomes: Sequence[Outcome]) -> Outcome:
    """The only outcome of a check under the check's own name, with unchanged keys."""
    [outcome] = outcomes
    message = outcome.message.replace(f" of {outcome.checked} rows: ", f" of {outcome.checked}: ", 1)
    return replace(outcome, rule=check.rule, key=("",), message=message)


def _verdict(table: Table, outcome: Outcome, *, excused: bool, ours: bool) -> Verdict:
    """The verdict on an outcome: a critical one that fails refuses, and so does one that could not be judged."""
    fails = not outcome.success and outcome.severity == "critical" and not excused
    refuses = outcome.raised is not None or fails
    advice = (_AGAIN if ours else "") + (_ROWS if outcome.failing else "") if refuses else ""
    message = outcome.message.removesuffix(".") if advice else outcome.message
    return Verdict(
        table_name=table.name,
        rule=outcome.rule,
        kind="expectation",
        severity=outcome.severity,
        outcome="refuse" if refuses else "pass" if outcome.success else "warn",
        checked_rows=outcome.checked,
        failed_rows=outcome.failed,
        failing_keys=outcome.failing_keys,
        message=f"{outcome.rule}: {message}{advice}",
    )


def _name(outcome: Outcome) -> Name:
    return outcome.suite, outcome.rule


def _is_excused(outcome: Outcome, table: Table, excused: Collection[str]) -> bool:
    """Whether a failure only warns: within one table, only having fewer rows than before is excused."""
    return table.name in excused and _name(outcome) == _KEPT


def _is_of_our_suite(outcome: Outcome) -> bool:
    """Whether it is not an operator's, and not the row count against the previous census, which has its own advice."""
    return outcome.suite == OURS and _name(outcome) not in (_KEPT, _GROWN)
