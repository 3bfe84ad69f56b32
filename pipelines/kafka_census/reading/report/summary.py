"""A published or refused census as small values, whose size does not grow with the cluster.

The tables of a refused census are its staged tables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from pyspark.sql import Column, DataFrame, Row, SparkSession, Window
from pyspark.sql import functions as F

from kafka_census.census.gate.causes import Cause, gathered
from kafka_census.census.gate.gate import Judgement, TableJudgement
from kafka_census.clock import Clock
from kafka_census.declarations.audit import VERDICTS
from kafka_census.declarations.census import Census, checked
from kafka_census.declarations.table import Table
from kafka_census.errors import CorruptLake
from kafka_census.lake import history, promised, store, whole
from kafka_census.lake.cluster_key import KEY, Names
from kafka_census.lake.lake import Lake
from kafka_census.pages.landed_census import LandedCensus
from kafka_census.pages.missing_read import MissingRead, read_back
from kafka_census.reading.newer import Event, newer
from kafka_census.reading.report.found import ProblemCount, find
from kafka_census.reading.report.problems import ReportedProblem, counts, problems
from kafka_census.reading.report.section import Section, section_of
from kafka_census.reading.report.verdicts import Verdict, is_explained, verdicts_of
from kafka_census.tables.views import VIEWS

_TIMES = ("observed_from", "observed_to", "published_at")


@dataclass(frozen=True)
class Report:
    """The values of the report of one published census; the headline shows `problems`.

    newer  the newest census of the cluster, where it is not this one, and not published
    now    when the report was made; None at the end of a job that made the census itself
    max_age  the age at which it is stale; None: never
    """

    census_id: str
    cluster: str
    cluster_id: str
    observed_from: datetime | None
    observed_to: datetime | None
    published_at: datetime
    sections: tuple[Section, ...]
    missing: tuple[tuple[MissingRead, tuple[str, ...]], ...]
    verdicts: tuple[Verdict, ...]
    passed: int
    lake: Lake
    problems: tuple[ReportedProblem, ...]
    newer: Event | None = None
    now: datetime | None = None
    max_age: timedelta | None = None

    @property
    def causes(self) -> tuple[Cause, ...]:
        """The causes of missing answers, without duplicates."""
        return _causes(self.missing)

    @property
    def explained(self) -> tuple[Verdict, ...]:
        """The verdicts that only repeat that a broker did not answer, which is reported as a cause."""
        silent = [cause for cause in self.causes if cause.root == "broker"]
        return tuple(verdict for verdict in self.verdicts if is_explained(verdict, silent))

    @property
    def warnings(self) -> tuple[Verdict, ...]:
        """The other verdicts that warn."""
        explained = self.explained
        return tuple(one for one in self.verdicts if one.outcome == "warn" and one not in explained)

    @property
    def counts(self) -> Mapping[str, int]:
        """By word of `tables.problems.WORDS` how many there are."""
        return counts(self.problems, sum(not section.is_complete for section in self.sections))


@dataclass(frozen=True)
class Refusal:
    """Why a census is not published, its tables, and the census that readers still see.

    still_published, published_at  the census that readers see, and since when; None without
    causes    the causes of the refusal, without duplicates and without failed expectations, which are in `verdicts`;
              empty where the census was not judged, or not published for another reason
    verdicts  the rules that did not pass
    problems  the problems of the headline
    at, newer, now, max_age  when the census was computed or refused; as in a report; None at the end of the job that
              refused it
    """

    census_id: str
    cluster: str
    cluster_id: str
    causes: tuple[Cause, ...]
    verdicts: tuple[Verdict, ...]
    sections: tuple[Section, ...]
    still_published: str | None
    lake: Lake
    problems: tuple[ReportedProblem, ...]
    published_at: datetime | None = None
    at: datetime | None = None
    newer: Event | None = None
    now: datetime | None = None
    max_age: timedelta | None = None

    @property
    def counts(self) -> Mapping[str, int]:
        """By word of `tables.problems.WORDS` how many there are."""
        return counts(self.problems, sum(not section.is_complete for section in self.sections))


def read_reports(
    spark: SparkSession,
    lake: Lake,
    names: Names,
    limit: int,
    landed: LandedCensus | None = None,
    max_age: timedelta | None = None,
) -> Sequence[Report]:
    """The last published census of each cluster (or of one); empty without one. `landed` is that of `print_report`.

    limit    number of rows of each table; with 0 the tables are only counted
    max_age  the age at which a report is stale; None: never
    """
    published = history.publications(spark, lake)
    if published is None:
        return []
    if landed is None:  # a job that landed a census has looked before
        history.require_whole(spark, lake)
    if names.of_one:
        published = published.where(F.col("cluster").isin(*names.of_one))
    last = F.max("census_id").over(Window.partitionBy(KEY, "cluster"))
    times = [_millis(name) for name in _TIMES]
    columns = [name for name in published.columns if name not in _TIMES]
    rows = published.withColumn("last", last).where("census_id = last").select(*columns, *times).collect()
    by_cluster: dict[tuple[str, str], dict[str, list[Row]]] = {}
    for row in rows:
        checked(row.census_id, "audit/publications")
        cluster = row[KEY], names.present.get(row.cluster, row.cluster)
        by_cluster.setdefault(cluster, {}).setdefault(row.census_id, []).append(row)
    reports = {
        name: _report(spark, lake, censuses[max(censuses)], limit, landed)
        for name, censuses in sorted(by_cluster.items())
    }
    return [*reports.values()] if landed is not None else _of_now(spark, lake, names, reports, max_age)


def _of_now(
    spark: SparkSession,
    lake: Lake,
    names: Names,
    reports: Mapping[tuple[str, str], Report],
    max_age: timedelta | None,
) -> Sequence[Report]:
    """The reports, by id and name of their cluster, with the newest census of it where that is not published."""
    events = _events(spark, lake, names, min((report.census_id for report in reports.values()), default=""))
    now = Clock().now()
    return [
        replace(report, newer=newer(events.get(name, ()), report.census_id), now=now, max_age=max_age)
        for (_, name), report in reports.items()
    ]


def _events(spark: SparkSession, lake: Lake, names: Names, since: str) -> Mapping[str, Sequence[Event]]:
    """The events of a census and of later ones, by the present name of their cluster."""
    runs = history.census_runs(spark, lake, store.readable)
    events: dict[str, list[Event]] = {}
    if runs is not None and since:
        micros = F.unix_micros("at").alias("at")
        later = runs.where(F.col("census_id") >= since)
        for row in later.select("cluster", "census_id", "event", micros, "detail").collect():
            event = Event(row.census_id, row.event, datetime.fromtimestamp(row.at / 1e6, UTC), row.detail)
            events.setdefault(names.present.get(row.cluster, row.cluster), []).append(event)
    return events


def of_now(spark: SparkSession, lake: Lake, names: Names, refusal: "Refusal", max_age: timedelta | None) -> "Refusal":
    """The refusal with its age, and the newest census of the cluster where that is a later one."""
    events = _events(spark, lake, names, refusal.census_id).get(names.present.get(refusal.cluster, refusal.cluster), ())
    at = max((event.at for event in events if event.census_id == refusal.census_id and event.is_shown), default=None)
    return replace(refusal, at=at, newer=newer(events, refusal.census_id), now=Clock().now(), max_age=max_age)


def read_refusal(
    spark: SparkSession,
    lake: Lake,
    census: Census,
    judgement: Judgement,
    limit: int | None,
    landed: LandedCensus | None = None,
) -> Refusal:
    """Why a census is not published, and its staged tables with at most `limit` rows each; None: no tables."""
    verdicts, _ = verdicts_of(spark, lake, census.cluster_id, census.census_id)
    judged = {} if limit is None else {table.table_name: table for table in judgement.tables}
    sections, shown = _sections(spark, lake, census.census_id, judged, limit or 0, landed)
    sections = [
        replace(
            section,
            failed=tuple(cause.rule for cause in judgement.causes if cause.rule and section.table in cause.tables),
        )
        for section in sections
    ]
    still, since = None, None
    published = history.publications(spark, lake)
    if published is not None:
        ours = published.where(F.col(KEY) == census.cluster_id)
        last = ours.agg(F.max(F.struct("census_id", _millis("published_at"))).alias("last")).collect()[0].last
        still, since = (last.census_id, _time(last.published_at)) if last else (None, None)
    return Refusal(
        census_id=census.census_id,
        cluster=census.cluster,
        cluster_id=census.cluster_id,
        causes=judgement.causes,
        verdicts=verdicts,
        sections=tuple(sections),
        still_published=still,
        published_at=since,
        lake=lake,
        problems=problems(shown, judgement.causes, refused=True),
    )


def _report(
    spark: SparkSession, lake: Lake, publications: Sequence[Row], limit: int, landed: LandedCensus | None
) -> Report:
    first = publications[0]
    verdicts, passed = verdicts_of(spark, lake, first.cluster_id, first.census_id)
    warned, warnings = sum(each.outcome == "warn" for each in verdicts), sum(row.warnings or 0 for row in publications)
    if not verdicts and not passed:
        raise CorruptLake(promised.lost_rows(lake.name_of(VERDICTS), [first.census_id]))
    if warned < warnings:
        raise CorruptLake(promised.lost_verdicts(lake.name_of(VERDICTS), first.census_id, warned, warnings))
    judged = {row.table_name: row for row in publications}
    sections, shown = _sections(spark, lake, first.census_id, judged, limit, landed, published=True)
    missing = _missing(publications)
    return Report(
        census_id=first.census_id,
        cluster=first.cluster,
        cluster_id=first.cluster_id,
        observed_from=_time(min((row.observed_from for row in publications if row.observed_from), default=None)),
        observed_to=_time(max((row.observed_to for row in publications if row.observed_to), default=None)),
        published_at=datetime.fromtimestamp(max(row.published_at for row in publications) / 1000, UTC),
        sections=tuple(sections),
        missing=missing,
        verdicts=verdicts,
        passed=passed,
        lake=lake,
        problems=problems(shown, _causes(missing)),
    )


def _sections(
    spark: SparkSession,
    lake: Lake,
    census_id: str,
    judged: Mapping[str, Row] | Mapping[str, TableJudgement],
    limit: int,
    landed: LandedCensus | None,
    *,
    published: bool = False,
) -> tuple[list[Section], Mapping[str, ProblemCount]]:
    """The section of each `judged` table, and the problems in the rows of all tables, by word.

    published  whether `judged` is what `publications` says. Raises CorruptLake where a table does not hold these rows
    """
    views = [view for view in VIEWS if view.table.name in judged]

    def rows_of(table: Table) -> DataFrame:
        if landed and landed.census_id == census_id:
            return landed.staged(table)
        return whole.table_of(spark, lake, table, [census_id]).where(F.col("census_id") == census_id)

    found = find(views, rows_of, {name: each.row_count or 0 for name, each in judged.items()}, limit)
    for name, each in found.items() if published else ():
        held = {census_id: sum(each.counts.values())}
        wrong = promised.damage(lake.name("published", name), {census_id: judged[name].row_count}, held)
        if wrong:
            raise CorruptLake(wrong)
    shown = {word: count for each in found.values() for word, count in each.problems.items()}
    return [section_of(view, judged[view.table.name], found[view.table.name]) for view in views], shown


def _missing(publications: Sequence[Row]) -> tuple[tuple[MissingRead, tuple[str, ...]], ...]:
    """The answers that were not read, without duplicates, with the tables that lack them."""
    lacking: dict[tuple[str, int | None, str, str], list[str]] = {}
    for row in publications:
        for each in row.missing:
            lacking.setdefault((each.rpc, each.broker_id, each.error or "", each.reason or ""), []).append(
                row.table_name
            )
    keys = sorted(lacking, key=lambda key: (key[0], -1 if key[1] is None else key[1], key[2]))
    return tuple((read_back(*key), tuple(sorted(set(lacking[key])))) for key in keys)


def _causes(missing: Sequence[tuple[MissingRead, Sequence[str]]]) -> tuple[Cause, ...]:
    """The causes of answers that published tables lack, without advice, because the configuration accepted them."""
    lacking = ((read, table) for read, tables in missing for table in tables)
    return tuple(replace(cause, advice="") for cause in gathered(lacking))


def _millis(name: str) -> Column:
    """A timestamp as milliseconds, which do not depend on the session's time zone."""
    return F.unix_millis(name).alias(name)


def _time(millis: int | None) -> datetime | None:
    return None if millis is None else datetime.fromtimestamp(millis / 1000, UTC)
