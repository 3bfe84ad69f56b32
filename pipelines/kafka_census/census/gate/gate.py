"""The gate: whether a census may be published, and with which verdicts.

Each table is judged from the walks that it reads: whether they are complete, whether their listings hid something, and
whether its staged rows meet its expectations. A census is published as a whole or not at all: one refusal refuses it.
Every rule writes a verdict, also when it passes, so that a reader can see what was checked; failing rows are kept in
quarantine.
"""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from pyspark.sql import SparkSession

from kafka_census.census.gate import quarantine
from kafka_census.census.gate.causes import Cause, causes
from kafka_census.census.gate.completeness import Walked, judge_read, walked
from kafka_census.census.gate.policy import GatePolicy, cover_of
from kafka_census.census.gate.skew import NO_SKEW, Skew, judge_skew
from kafka_census.census.gate.staged_rows import judge_rows
from kafka_census.census.gate.verdict import Verdict
from kafka_census.census.gate.written import digest, write
from kafka_census.census.staging.stage import OneTask
from kafka_census.census.staging.visibility import Visibility, hidden_from, visibility, visibility_rule
from kafka_census.clock import Clock
from kafka_census.declarations.census import Census
from kafka_census.declarations.rules import Suite
from kafka_census.declarations.table import Table
from kafka_census.declarations.visibility_rules import PARTIAL, PROVEN, UNKNOWN
from kafka_census.lake.lake import Lake
from kafka_census.pages.header import WalkName
from kafka_census.pages.landed_census import LandedCensus
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.suites import SUITES
from kafka_census.terminal.progress import Progress, timed

if TYPE_CHECKING:
    from kafka_census.census.gate.own_suites import OwnSuite

_WORST_FIRST = (PARTIAL, UNKNOWN, PROVEN)


@dataclass(frozen=True)
class TableJudgement:
    """The facts about one table at its publication; fields as in `audit/publications`, and its skew."""

    table_name: str
    is_complete: bool
    missing: tuple[MissingRead, ...]
    visibility: str
    warnings: int
    row_count: int
    observed_from: datetime | None
    observed_to: datetime | None
    skew: Skew = NO_SKEW

    @property
    def row(self) -> tuple[object, ...]:
        """The columns of `audit/publications` and `audit/refusals` that are about the table."""
        missing = [(one.rpc, one.broker_id, one.error, one.reason) for one in self.missing]
        of_rows = (self.visibility, self.row_count, self.warnings, self.observed_from, self.observed_to)
        return (self.table_name, self.is_complete, missing, *of_rows)


@dataclass(frozen=True)
class Judgement:
    """The judgement of the gate on a census.

    causes    why the census is refused, each once, with all tables it affects; empty when it may be published
    verdicts  every rule, as written to `audit/verdicts`
    """

    outcome: Literal["publish", "refuse"]
    tables: tuple[TableJudgement, ...]
    causes: tuple[Cause, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def refusals(self) -> tuple[str, ...]:
        """Its causes, one line each: what, where, in which tables, what to do."""
        return tuple(cause.line for cause in self.causes)

    @property
    def times(self) -> tuple[tuple[str, datetime | None, datetime | None], ...]:
        """Name of each table, and when its first and its last answer were received, for the skew in `census_runs`."""
        return tuple((table.table_name, table.skew.first, table.skew.last) for table in self.tables)


@dataclass(frozen=True)
class Answers:
    """The verdicts on one table that follow from its answers alone, without its rows.

    missing     required reads that are missing or hidden
    visibility  the worst of the listings that it reads
    """

    verdicts: tuple[Verdict, ...]
    missing: tuple[MissingRead, ...]
    visibility: str


def judge_answers(tables: tuple[Table, ...], policy: GatePolicy, landed: LandedCensus) -> Mapping[str, Answers]:
    """For each table by name: whether the walks that it reads are complete, and whether listings hid something."""
    walks, listings = walked(landed.headers), visibility(landed)
    answers = {}
    for table in tables:
        completeness, missing = _judge_completeness(table, landed.missing_reads, walks, policy)
        visible, hidden, state = _judge_visibility(table, listings, landed.missing_reads, policy)
        answers[table.name] = Answers((*completeness, *visible), (*missing, *hidden), state)
    return answers


def judge(
    spark: SparkSession,
    lake: Lake,
    census: Census,
    tables: tuple[Table, ...],
    policy: GatePolicy,
    landed: LandedCensus,
    progress: Progress,
    suites: tuple[Suite, ...] = SUITES,
    *,
    own: "tuple[OwnSuite, ...]" = (),
    one_task: OneTask = nullcontext,
    at_once: int = 1,
) -> Judgement:
    """Judge the staged tables of a census against its landed pages.

    suites    ours, one per table
    own       the operator's, judged with them
    one_task  fits the session to queries of one task each, for rows that are judged in one part
    at_once   number of queries that count rows at the same time

    Writes `audit/verdicts` and `audit/quarantine`, and nothing else, so it may be repeated. Raises
    CorruptLake when landed pages, routes or staged tables are missing.
    """
    walks = walked(landed.headers)
    with timed(progress, "judged", what="answers"):
        answers = judge_answers(tables, policy, landed)
    excused = [name for name, each in answers.items() if each.missing]
    fitted = one_task(spark) if landed.is_judged_in_one_part else nullcontext()
    with timed(progress, "judged", what="rows") as done, fitted:
        judged_rows = judge_rows(spark, lake, census, tables, landed, policy.thresholds, suites, own, excused, at_once)
        done["rows"] = sum(judged_rows.rows.values())
    judgements, verdicts = [], []
    for table in tables:
        of_answers = answers[table.name]
        times = [walks[read.rpc, read.scope] for read in table.reads if (read.rpc, read.scope) in walks]
        skew = Skew.of(times)
        verdicts += [*of_answers.verdicts, judge_skew(table, skew, policy.thresholds)]
        verdicts += judged_rows.verdicts[table.name]
        judgements.append(
            TableJudgement(
                table_name=table.name,
                is_complete=not of_answers.missing,
                missing=of_answers.missing,
                visibility=of_answers.visibility,
                warnings=0,
                row_count=judged_rows.rows[table.name],
                observed_from=min((t.observed_from for t in times if t.observed_from), default=None),
                observed_to=max((t.observed_to for t in times if t.observed_to), default=None),
                skew=skew,
            )
        )
    verdicts += judged_rows.between
    now = Clock().now()
    write(spark, lake, census, verdicts, now)
    with timed(progress, "quarantined") as done:
        app_id = f"{census.census_id}/quarantine/{digest(verdicts)}"
        failed = sorted(judged_rows.failed, key=lambda rule: tables.index(rule.table))
        done["rows"] = quarantine.write(spark, lake, census, failed, judged_rows.frames, now, app_id)
    reasons = causes(tables, landed.missing_reads, verdicts, policy)
    for cause in reasons:
        progress("refused", reason=cause.what, tables=list(cause.tables))
    return Judgement(
        outcome="refuse" if any(verdict.outcome == "refuse" for verdict in verdicts) else "publish",
        tables=tuple(_counted(each, verdicts) for each in judgements),
        causes=reasons,
        verdicts=tuple(verdicts),
    )


def _counted(judgement: TableJudgement, verdicts: list[Verdict]) -> TableJudgement:
    """The judgement with its warnings, including those of checks between tables."""
    of_table = [verdict for verdict in verdicts if verdict.table_name == judgement.table_name]
    return replace(judgement, warnings=sum(verdict.outcome == "warn" for verdict in of_table))


def _judge_completeness(
    table: Table, missing_reads: list[MissingRead], walks: Mapping[WalkName, Walked], policy: GatePolicy
) -> tuple[list[Verdict], list[MissingRead]]:
    reads = [judge_read(table, read, missing_reads, walks.get((read.rpc, read.scope)), policy) for read in table.reads]
    return [verdict for verdict, _ in reads], [read for _, missing in reads for read in missing]


def _judge_visibility(
    table: Table, listings: Mapping[WalkName, Visibility], missing_reads: list[MissingRead], policy: GatePolicy
) -> tuple[list[Verdict], list[MissingRead], str]:
    """A verdict for each listing that the table reads; the table's visibility is the worst of them.

    A listing that the principal may not request shows nothing either, and an item that it may not read is hidden: both
    already have a verdict of completeness.
    """
    verdicts, states = [], [PROVEN]
    refused = [row for row in missing_reads if cover_of(row.kind, row.error_code) == "visibility"]
    for read in table.reads:
        hidden = [row for row in refused if read.required and row.walk == (read.rpc, read.scope)]
        states += [PARTIAL if row.kind == "item_errors" else UNKNOWN for row in hidden]
        listing = listings.get((read.rpc, read.scope))
        if listing is None:
            continue
        accepted = policy.accepts("visibility")
        proven = listing.state == PROVEN
        advice = "" if proven or accepted else "; or publish anyway with completeness.visibility: accept_unknown"
        verdicts.append(
            Verdict(
                table_name=table.name,
                rule=visibility_rule(listing.what),
                kind="visibility",
                severity="critical",
                outcome="pass" if proven else "warn" if accepted else "refuse",
                checked_rows=listing.listed,
                failed_rows=listing.hidden,
                failing_keys=tuple(f"{listing.what.removesuffix('s')}={name}" for name in listing.examples),
                message=f"{listing.what} {listing.state}: {listing.message}{advice}",
            )
        )
        states.append(listing.state)
    return verdicts, hidden_from(table, listings), min(states, key=_WORST_FIRST.index)
