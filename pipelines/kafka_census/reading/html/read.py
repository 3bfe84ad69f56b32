"""Reads one published census from a lake: its problems and its figures, as small values.

Every figure is a separate query: when the census lacks its table, or the query fails, the figure says so, and the
others are not affected. A table is opened once for all figures: in an object store each opening takes requests.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, cast

from kafka_census.clock import Clock
from kafka_census.errors import BadQuery, ConfigError, CorruptLake
from kafka_census.reading.delta_tables import read
from kafka_census.reading.html.checks import CHECKS
from kafka_census.reading.html.figure import Check, Figure, Number, Section, of_census, tables_of
from kafka_census.reading.html.numbers import NUMBERS
from kafka_census.reading.html.sections import SECTIONS
from kafka_census.reading.newer import ago
from kafka_census.reading.sql.session import Result, Row, Session
from kafka_census.reading.without_spark import PublishedLake

Results = Callable[[str], Iterator[Result]]

_EXAMPLES = 5
"""Largest number of names that a problem shows."""


@dataclass(frozen=True)
class Head:
    """The identity of a census.

    cluster       the present name of the cluster; `names` are those under which its censuses were published
    published_at  aware
    age           how long ago that was
    later         a line about a newer census, which is not published; None without
    tables        whether each published table is complete
    """

    cluster: str
    cluster_id: str
    names: tuple[str, ...]
    census_id: str
    published_at: datetime
    age: str
    later: str | None
    tables: dict[str, bool]

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Tables that are not complete."""
        return tuple(sorted(table for table, complete in self.tables.items() if not complete))


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


@dataclass(frozen=True)
class Page:
    """One census for presentation: numbers, checks and sections, in order."""

    head: Head
    numbers: tuple[tuple[Number, Answer], ...]
    checks: tuple[tuple[Check, Answer], ...]
    sections: tuple[tuple[Section, tuple[tuple[Figure, Answer], ...]], ...]

    @property
    def wrong(self) -> list[tuple[Check, Answer]]:
        """The problems that the census has, the worst first."""
        return [(check, answer) for check, answer in self.checks if answer.rows]

    @property
    def not_asked(self) -> list[Answer]:
        """The checks for problems that could not be made on this census."""
        return [answer for _, answer in self.checks if not answer.known]

    @property
    def damage(self) -> list[str]:
        """What is damaged, one line each, without duplicates: with any, nobody knows whether nothing is wrong."""
        of_sections = (found for _, figures in self.sections for found in figures)
        answers = (answer for _, answer in (*self.numbers, *self.checks, *of_sections))
        return list(dict.fromkeys(answer.failed for answer in answers if answer.damaged and answer.failed))

    @property
    def hindrances(self) -> list[str]:
        """The reasons why checks could not be made, without duplicates."""
        absent = dict.fromkeys(table for answer in self.not_asked for table in answer.absent)
        published_no = [f"this census published no {', '.join(absent)}"] if absent else []
        return [*published_no, *dict.fromkeys(answer.failed for answer in self.not_asked if answer.failed)]


def read_page(
    root: str, cluster: str | None = None, at: datetime | None = None, present: Mapping[str, str] | None = None
) -> Page:
    """The last published census of a path lake, at a time or now.

    cluster  the configured name of the cluster; None where the lake has only one
    at       an aware time; None: now
    present  the present name of a cluster by each of its former names

    Raises ConfigError where there is no such census, CorruptLake where nothing was ever published or cannot be read.
    """
    lake = PublishedLake(root)
    head = _head(root, lake, cluster, at, present or {})
    results = partial(Session(root, head.census_id).results, lake=lake)

    def ask(sql: str, most: int) -> Answer:
        return _answer(results, head, sql, most)

    return Page(
        head,
        numbers=tuple((number, ask(number.sql, 1)) for number in NUMBERS),
        checks=tuple((check, ask(check.sql, _EXAMPLES)) for check in CHECKS),
        sections=tuple(_sections(ask)),
    )


def _sections(ask: Callable[[str, int], Answer]) -> Iterator[tuple[Section, tuple[tuple[Figure, Answer], ...]]]:
    for section in SECTIONS:
        answers = tuple((figure, ask(figure.sql, figure.most)) for figure in section.figures)
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


def _head(root: str, lake: PublishedLake, cluster: str | None, at: datetime | None, present: Mapping[str, str]) -> Head:
    columns = ["cluster", "cluster_id", "census_id", "table_name", "is_complete", "published_at"]
    published: Sequence[dict[str, Any]] = read(lake.publications, columns).to_pylist()
    rows = [row for row in published if at is None or row["published_at"] <= at]
    named_now = {row["cluster"]: present.get(row["cluster"], row["cluster"]) for row in rows}
    names = sorted(set(named_now.values()))
    if not rows:
        when = "yet" if at is None else f"by {at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        raise ConfigError(f"nothing was published in {root} {when}")
    if cluster is None and len(names) > 1:
        raise ConfigError(f"{root} has several clusters, {', '.join(names)}: name one with --cluster")
    if cluster is not None and cluster not in names:
        raise ConfigError(f"no census of a cluster {cluster} is published in {root}; it has {', '.join(names)}")
    of_cluster = (row for row in rows if cluster in (None, named_now[row["cluster"]]))
    last = max(of_cluster, key=lambda row: row["census_id"])
    mine = [row for row in rows if (row["census_id"], row["cluster_id"]) == (last["census_id"], last["cluster_id"])]
    published_at = max(row["published_at"] for row in mine)
    of_now = tuple(sorted(name for name, now in named_now.items() if now == named_now[last["cluster"]]))
    return Head(
        cluster=named_now[last["cluster"]],
        cluster_id=last["cluster_id"],
        names=of_now,
        census_id=last["census_id"],
        published_at=published_at,
        age=ago(published_at, at or Clock().now()),
        later=lake.later(of_now, last["census_id"], at),
        tables={row["table_name"]: bool(row["is_complete"]) for row in mine},
    )
