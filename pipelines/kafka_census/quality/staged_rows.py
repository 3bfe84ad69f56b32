"""The staged rows of a census, judged: each table by its suites, then what must hold between tables.

All expectations of a table go to Great Expectations at once: ours, the operator's, and the row count against
the census before. The rows of a small census stay in memory until the look at it ends; of a large one those of a
table while it is judged.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from types import TracebackType

from pyspark.sql import DataFrame, SparkSession

from kafka_census.census import Census
from kafka_census.quality import cross_checks, expectations, own_suites, row_counts
from kafka_census.quality.before import published_before
from kafka_census.quality.cross_checks import CrossCheck
from kafka_census.quality.expectations import OURS, Name, Outcome
from kafka_census.quality.look import Look
from kafka_census.quality.own_suites import OwnSuite
from kafka_census.quality.quarantine import Failed
from kafka_census.quality.suite import Suite
from kafka_census.quality.verdict import Verdict
from kafka_census.tables.lake import Lake
from kafka_census.tables.memory import computed_once, in_memory
from kafka_census.tables.table import Table
from kafka_census.thresholds import Thresholds

_AGAIN = "; run the census again, and if it is refused again, report it"
_ROWS = ": the rows are in books/quarantine"
_KEPT, _GROWN = (OURS, row_counts.KEPT), (OURS, row_counts.GROWN)


class StagedRows(AbstractContextManager["StagedRows"]):
    """What was found of one census, until the end of the block.

    frames  the rows that were judged, by table name
    failed  the outcomes that did not succeed, a table's together, in whatever order tables were judged
    """

    def __init__(
        self,
        spark: SparkSession,
        lake: Lake,
        census: Census,
        looked: Look,
        thresholds: Thresholds,
        suites: tuple[Suite, ...],
        own: tuple[OwnSuite, ...],
    ) -> None:
        self.frames: dict[str, DataFrame] = {}
        self.failed: list[Failed] = []
        self._looked = looked
        self._thresholds = thresholds
        self._suites = {suite.table.name: suite for suite in suites}
        self._own = own
        self._before = published_before(spark, lake, census)
        self._excused: set[str] = set()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Leave the rows of a small census to the look: the report reads them as well."""
        if self._looked.is_small:
            self._looked.pages.keep_staged(self.frames)

    def judge(self, table: Table, *, excused: bool) -> tuple[list[Verdict], int]:
        """The verdicts of the table's suites, and how many rows are staged.

        excused  answers that the table needs are missing, and were accepted or refused as such: too few rows,
                 and what does not fit those of other tables, is their effect and only warns
        """
        if excused:
            self._excused.add(table.name)
        pages, suite = self._looked.pages, self._suites[table.name]
        counted = suite.counts(pages).collect()[0].asDict()
        own = own_suites.of_table(self._own, table.name)
        against = row_counts.expectations(table.name, self._before.get(table.name), self._thresholds)
        staged = pages.staged(table)
        small = self._looked.is_small
        with nullcontext(computed_once(staged)) if small else in_memory(staged) as frame:
            self.frames[table.name] = frame
            rows = frame.count()
            outcomes = expectations.run(
                suite, frame, pages.census_id, counted, rows, [*own, *against], self._thresholds.quarantine_rows
            )
        self._note(table, outcomes)
        return [self._verdict(table, one, ours=_is_of_our_suite(one)) for one in outcomes], rows

    def judge_between(self, tables: tuple[Table, ...]) -> list[Verdict]:
        """The verdicts of the checks between these tables, which were judged before; all in one pass."""
        checks = cross_checks.applicable(tables)
        if not checks:
            return []
        with in_memory(cross_checks.checked(checks, self.frames, self._looked.pages)) as frame:
            judged = [check.expectation for check in checks]
            rows = {row["of"]: row["count"] for row in frame.groupBy("of").count().collect()}
            outcomes = expectations.judge(
                frame, judged, cross_checks.KEY, sum(rows.values()), self._thresholds.quarantine_rows
            )
        found = list(zip(checks, outcomes, strict=True))
        return [self._between(check, outcome, rows.get(check.column, 0)) for check, outcome in found]

    def _between(self, check: CrossCheck, outcome: Outcome, rows: int) -> Verdict:
        """Under the check's own name, and of the rows that it made."""
        message = f"{outcome.failed} of {rows}: {check.description}" if outcome.failed else outcome.message
        own = replace(outcome, rule=check.rule, checked=rows, key=("",), message=message)
        self._note(check.table, [own])
        return self._verdict(check.table, own, ours=True, excusable={check.table.name, check.other.name})

    def _note(self, table: Table, outcomes: list[Outcome]) -> None:
        failed = tuple(outcome for outcome in outcomes if not outcome.success)
        if failed:
            self.failed.append(Failed(table, failed))

    def _verdict(self, table: Table, outcome: Outcome, *, ours: bool, excusable: set[str] | None = None) -> Verdict:
        """An expectation refuses when it is critical and fails, or when it could not be judged at all."""
        excused = self._excused & (excusable or ({table.name} if _name(outcome) == _KEPT else set()))
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


def _is_of_our_suite(outcome: Outcome) -> bool:
    """Not an operator's, and not the row count against the census before, which has an advice of its own."""
    return outcome.suite == OURS and _name(outcome) not in (_KEPT, _GROWN)
