"""A published or refused census as small values, whose size does not grow with the cluster.

They are derived alike from every `Source`. The tables of a refused census are its staged tables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from kafka_census.census.gate.causes import Cause, recalled
from kafka_census.census.gate.policy import GatePolicy
from kafka_census.census.gate.verdict import Verdict as Judged
from kafka_census.declarations.audit import VERDICTS
from kafka_census.declarations.census import checked
from kafka_census.errors import CorruptLake
from kafka_census.lake import promised
from kafka_census.lake.lake import Lake
from kafka_census.reading.censuses import Record
from kafka_census.reading.newer import Event
from kafka_census.reading.report.found import explained, find
from kafka_census.reading.report.missing import Missing, causes_of, lacking, missing_of
from kafka_census.reading.report.problems import ProblemCount, ReportedProblem, counts, losses_of, problems
from kafka_census.reading.report.section import Section, section_of
from kafka_census.reading.report.source import Source
from kafka_census.reading.report.verdicts import Verdict, is_explained, last_judged, not_passed
from kafka_census.tables.views import VIEWS


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
    missing: Missing
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
        return causes_of(self.missing)

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


def report_of(source: Source, published: Sequence[Record], limit: int) -> Report:
    """The report of a published census, with at most `limit` rows of each table; with 0 the tables are only counted.

    published  its rows of `publications`

    Raises CorruptLake where the lake does not hold what these promise.
    """
    lake, first = source.lake, published[0]
    census_id = checked(first["census_id"], "audit/publications")
    judged = last_judged(source.verdicts(first["cluster_id"], census_id))
    verdicts, name = not_passed(judged), lake.name_of(VERDICTS)
    warned = sum(each.outcome == "warn" for each in verdicts)
    warnings = sum(row["warnings"] or 0 for row in published)
    if not judged:
        raise CorruptLake(promised.lost_rows(name, [census_id]))
    if warned < warnings:
        raise CorruptLake(promised.lost_verdicts(name, census_id, warned, warnings))
    sections, shown = _sections(source, census_id, published, limit, ())
    for section, row in ((one, row) for one in sections for row in published if row["table_name"] == one.table):
        if source.owner is not None:  # rows of others are not counted
            continue
        held = {census_id: section.row_count}
        wrong = promised.damage(lake.name("published", section.table), {census_id: row["row_count"]}, held)
        if wrong:
            raise CorruptLake(wrong)
    missing = missing_of(published)
    return Report(
        census_id=census_id,
        cluster=first["cluster"],
        cluster_id=first["cluster_id"],
        observed_from=min((row["observed_from"] for row in published if row["observed_from"]), default=None),
        observed_to=max((row["observed_to"] for row in published if row["observed_to"]), default=None),
        published_at=max(row["published_at"] for row in published),
        sections=sections,
        missing=missing,
        verdicts=verdicts,
        passed=len(judged) - len(verdicts),
        lake=lake,
        problems=_problems(source, census_id, shown, causes_of(missing)),
    )


def refusal_of(
    source: Source, refused: Sequence[Record], still: Sequence[Record], limit: int, policy: GatePolicy
) -> Refusal:
    """The report of a census that the gate refused, and why, as far as the present policy does not accept it.

    refused  its rows of `refusals`, in the columns of `publications`
    still    the rows of `publications` of the census that readers see
    """
    first = refused[0]
    judged = last_judged(source.verdicts(first["cluster_id"], checked(first["census_id"], "audit/refusals")))
    causes = recalled(lacking(missing_of(refused)), judged, policy)
    return refusal_from(source, refused, causes, judged, still, limit)


def refusal_from(
    source: Source,
    refused: Sequence[Record],
    causes: tuple[Cause, ...],
    judged: Sequence[Judged],
    still: Sequence[Record],
    limit: int | None,
) -> Refusal:
    """The same from the judgement itself; with the limit None, no table is read."""
    first = refused[0]
    sections, shown = _sections(source, first["census_id"], refused if limit is not None else (), limit or 0, causes)
    return Refusal(
        census_id=first["census_id"],
        cluster=first["cluster"],
        cluster_id=first["cluster_id"],
        causes=causes,
        verdicts=not_passed(judged),
        sections=sections,
        still_published=still[0]["census_id"] if still else None,
        published_at=max((row["published_at"] for row in still), default=None),
        lake=source.lake,
        problems=_problems(source, first["census_id"], shown, causes, refused=True),
    )


def _problems(
    source: Source, census_id: str, shown: Mapping[str, ProblemCount], causes: Sequence[Cause], *, refused: bool = False
) -> tuple[ReportedProblem, ...]:
    """The problems by root cause: rows that a lost broker explains are told with the broker."""
    return problems(
        shown, causes, explained(source, census_id, VIEWS, shown, losses_of(shown, causes)), refused=refused
    )


def _sections(
    source: Source, census_id: str, judged: Sequence[Record], limit: int, causes: Sequence[Cause]
) -> tuple[tuple[Section, ...], Mapping[str, ProblemCount]]:
    """The section of each judged table, and the problems in the rows of all tables, by word."""
    by_table = {row["table_name"]: row for row in judged}
    views = [view for view in VIEWS if view.table.name in by_table]
    found = find(source, census_id, views, {name: row["row_count"] or 0 for name, row in by_table.items()}, limit)
    sections = [
        section_of(
            view,
            by_table[view.table.name],
            found[view.table.name],
            tuple(cause.rule for cause in causes if cause.rule and view.table.name in cause.tables),
        )
        for view in views
    ]
    return tuple(sections), {word: count for each in found.values() for word, count in each.problems.items()}
