"""Reads one census from a lake: its problems and its figures, as small values.

Every figure is a separate query: when the census lacks its table, or the query fails, the figure says so, and the
others are not affected. A table is opened once for all figures: in an object store each opening takes requests.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import cast

from kafka_census.declarations.census import Shows
from kafka_census.errors import BadQuery, CorruptLake
from kafka_census.reading.html.checks import CHECKS
from kafka_census.reading.html.figure import Check, Figure, Number, Section, of_census, tables_of
from kafka_census.reading.html.head import Head, choose
from kafka_census.reading.html.numbers import NUMBERS
from kafka_census.reading.html.roots import roots
from kafka_census.reading.html.sections import SECTIONS
from kafka_census.reading.of_owner import NOTE, require_owner
from kafka_census.reading.report.commands import Commands
from kafka_census.reading.report.presentation import AS_IT_IS, Presentation
from kafka_census.reading.report.problems import ReportedProblem
from kafka_census.reading.sql.session import Result, Row, Session
from kafka_census.reading.without_spark import PublishedLake

Results = Callable[[str], Iterator[Result]]

_EXAMPLES = 5
"""Largest number of names that a problem shows."""

_ROWS = 50_000
"""Largest number of rows that are read of a figure: no more fit into a page."""


@dataclass(frozen=True)
class Answer:
    """The answer to a statement.

    sql         the statement as it ran
    rows        the first rows
    total       the number of all rows
    absent      tables of the statement that the census did not publish: then the statement does not run
    incomplete  tables of the statement that are not complete
    failed      why there is no answer; None for an answer
    damaged     whether that is because a table does not hold what was published, or cannot be read
    """

    sql: str
    rows: tuple[Row, ...] = ()
    total: int = 0
    absent: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    failed: str | None = None
    damaged: bool = False

    @property
    def known(self) -> bool:
        """Whether there is an answer."""
        return not self.absent and self.failed is None

    @property
    def found_nothing(self) -> bool:
        """Whether no row answers, of all or of what could be read."""
        return self.known and not self.rows


@dataclass(frozen=True)
class Page:
    """One census for presentation: numbers with their development, checks and sections, in order.

    commands  those of its problems' remedies
    roots     its problems by root cause, the worst first; None where a table that shows them is damaged
    """

    head: Head
    commands: Commands
    roots: tuple[ReportedProblem, ...] | None
    numbers: tuple[tuple[Number, Answer, Answer], ...]
    checks: tuple[tuple[Check, Answer], ...]
    sections: tuple[tuple[Section, tuple[tuple[Figure, Answer], ...]], ...]

    @property
    def wrong(self) -> list[tuple[Check, Answer]]:
        """The problems that the census has, the worst first."""
        return [(check, answer) for check, answer in self.checks if answer.rows]

    @property
    def figures(self) -> list[tuple[Figure, Answer]]:
        """The figures of all sections."""
        return [found for _, figures in self.sections for found in figures]

    @property
    def sections_with_rows(self) -> list[tuple[Section, list[tuple[Figure, Answer]]]]:
        """The sections with figures that have an answer to show, or failed to have one; only these figures."""
        several = (
            (section, [each for each in figures if not each[1].absent and not each[1].found_nothing])
            for section, figures in self.sections
        )
        return [(section, figures) for section, figures in several if figures]

    @property
    def figures_without_rows(self) -> list[tuple[str, list[tuple[Figure, Answer]]]]:
        """The figures whose answer is that there is nothing, under a phrase that says whether all was read."""
        nothing = [each for each in self.figures if each[1].found_nothing]
        whole = [each for each in nothing if not each[1].incomplete]
        partly = [each for each in nothing if each[1].incomplete]
        lines = {"Checked, nothing found": whole, "Not all could be read, nothing found in the rest": partly}
        return [(line, figures) for line, figures in lines.items() if figures]

    @property
    def absent_figures(self) -> list[tuple[Figure, Answer]]:
        """The figures whose tables the census did not publish."""
        return [each for each in self.figures if each[1].absent]

    @property
    def not_asked(self) -> list[Answer]:
        """The checks for problems that could not be made on this census."""
        return [answer for _, answer in self.checks if not answer.known]

    @property
    def damage(self) -> list[str]:
        """What is damaged, one line each, without duplicates: with any, nobody knows whether nothing is wrong."""
        of_numbers = (answer for _, *several in self.numbers for answer in several)
        answers = (*of_numbers, *(answer for _, answer in (*self.checks, *self.figures)))
        return list(dict.fromkeys(answer.failed for answer in answers if answer.damaged and answer.failed))

    @property
    def hindrances(self) -> list[str]:
        """The reasons why checks could not be made, without duplicates."""
        absent = dict.fromkeys(table for answer in self.not_asked for table in answer.absent)
        published_no = [f"this census published no {', '.join(absent)}"] if absent else []
        return [*published_no, *dict.fromkeys(answer.failed for answer in self.not_asked if answer.failed)]


def read_page(
    lake: str | PublishedLake,
    cluster: str | None = None,
    at: datetime | None = None,
    present: Mapping[str, str] | None = None,
    shows: Shows = "computed",
    max_age: timedelta | None = None,
    owner: str | None = None,
    how: Presentation = AS_IT_IS,
) -> Page:
    """A census of a lake: the newest computed one, or the last one that was published until a time.

    lake     a folder, a URI, or an opened lake
    cluster  the configured name of the cluster; None where the lake has only one
    at       an aware time; None: now
    present  the present name of a cluster by each of its former names
    max_age  the age at which a published census is stale; None: never
    owner    only rows about things of this owner, in tables that have owners; None: all rows
    how      the options and brokers that commands of the page name

    Raises ConfigError where there is no such census or owner, CorruptLake where nothing was ever computed, or cannot be
    read.
    """
    head, chosen, source = choose(lake, cluster, at, present or {}, shows, max_age)
    showing = source.showing(head.census_id)
    if owner is not None:
        require_owner(showing, head.census_id, owner)
        head = replace(head, note=NOTE.format(owner=owner))
    results = partial(Session(None, head.census_id, owner=owner).results, lake=showing)

    def ask(sql: str, most: int) -> Answer:
        return _answer(results, head, sql, most)

    published = head.refused is None
    return Page(
        head,
        Commands(how, head.cluster, head.census_id, published, in_sql=published or bool(chosen.published)),
        roots(results, chosen.rows),
        numbers=tuple((each, ask(each.sql, 1), ask(each.by_census.sql, each.by_census.most)) for each in NUMBERS),
        checks=tuple((check, ask(check.sql, _EXAMPLES)) for check in CHECKS),
        sections=tuple(_sections(ask)),
    )


def _sections(ask: Callable[[str, int], Answer]) -> Iterator[tuple[Section, tuple[tuple[Figure, Answer], ...]]]:
    for section in SECTIONS:
        answers = tuple((figure, ask(figure.sql, _ROWS)) for figure in section.figures)
        if not section.optional or any(not answer.absent for _, answer in answers):
            yield section, answers


def _answer(results: Results, head: Head, sql: str, most: int) -> Answer:
    tables = tables_of(sql)
    asked = of_census(sql, head.cluster_id, head.names, head.census_id)
    absent = tuple(table for table in tables if table not in head.tables)
    if absent:
        return Answer(asked, absent=absent)
    incomplete = tuple(table for table in tables if table in head.incomplete)
    try:
        [rows] = [list(islice(result.rows, most + 1)) for result in results(asked)]
        total = len(rows) if len(rows) <= most else _count(results, asked)
    except (BadQuery, CorruptLake) as error:
        damaged = isinstance(error, CorruptLake)
        return Answer(asked, incomplete=incomplete, failed=str(error), damaged=damaged)
    return Answer(asked, tuple(rows[:most]), total, incomplete=incomplete)


def _count(results: Results, sql: str) -> int:
    [[(count,)]] = [list(result.rows) for result in results(f"SELECT count(*) FROM (\n{sql}\n)")]
    return cast("int", count)
