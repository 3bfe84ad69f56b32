"""What a lake says of one published census: its problems and its figures, as small values.

Every figure is asked by itself: one whose table the census lacks, or that fails, says so, and the others stand.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any, cast

from kafka_census.errors import BadQuery, ConfigError, CorruptLake
from kafka_census.html.figure import Figure, Number, Problem, Section, of_census, tables_of
from kafka_census.html.numbers import NUMBERS
from kafka_census.html.problems import PROBLEMS
from kafka_census.html.sections import SECTIONS
from kafka_census.sql.session import Row, Session
from kafka_census.without_spark import PublishedLake

_EXAMPLES = 5
"""Names that are shown of a problem."""


@dataclass(frozen=True)
class Head:
    """Which census it is.

    published_at  aware
    tables        of what it published, whether each is complete
    """

    cluster: str
    cluster_id: str
    census_id: str
    published_at: datetime
    tables: dict[str, bool]

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Tables that lack something."""
        return tuple(sorted(table for table, complete in self.tables.items() if not complete))


@dataclass(frozen=True)
class Answer:
    """What a statement answered.

    sql         as it was run
    rows        the first of them
    total       how many there are in all
    absent      tables that it reads and the census did not publish: it was not run
    incomplete  tables that it reads and that lack something
    failed      why there is no answer; else None
    """

    sql: str
    rows: tuple[Row, ...] = ()
    total: int = 0
    absent: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    failed: str | None = None

    @property
    def known(self) -> bool:
        """Whether it was answered at all."""
        return not self.absent and self.failed is None


@dataclass(frozen=True)
class Page:
    """One census, as it is shown: numbers, problems and sections in their order."""

    head: Head
    numbers: tuple[tuple[Number, Answer], ...]
    problems: tuple[tuple[Problem, Answer], ...]
    sections: tuple[tuple[Section, tuple[tuple[Figure, Answer], ...]], ...]

    @property
    def wrong(self) -> list[tuple[Problem, Answer]]:
        """What is wrong now: critical first, else in the order in which problems are declared."""
        found = [(problem, answer) for problem, answer in self.problems if answer.rows]
        return sorted(found, key=lambda each: each[0].severity != "critical")

    @property
    def not_asked(self) -> list[Answer]:
        """Problems that this census cannot tell."""
        return [answer for _, answer in self.problems if not answer.known]

    @property
    def hindrances(self) -> list[str]:
        """Why it cannot tell them, each reason once."""
        absent = dict.fromkeys(table for answer in self.not_asked for table in answer.absent)
        published_no = [f"this census published no {', '.join(absent)}"] if absent else []
        return [*published_no, *dict.fromkeys(answer.failed for answer in self.not_asked if answer.failed)]


def read_page(root: str, cluster: str | None = None, at: datetime | None = None) -> Page:
    """The census of a path lake that was published last, at a time or now.

    cluster  its configured name; None where the lake has only one

    Raises ConfigError where that is no census, CorruptLake where nothing was ever published or it cannot be read.
    """
    head = _head(root, cluster, at)
    session = Session(root, head.published_at)

    def ask(sql: str, most: int) -> Answer:
        return _answer(session, head, sql, most)

    return Page(
        head,
        numbers=tuple((number, ask(number.sql, 1)) for number in NUMBERS),
        problems=tuple((problem, ask(problem.sql, _EXAMPLES)) for problem in PROBLEMS),
        sections=tuple(_sections(ask)),
    )


def _sections(ask: Callable[[str, int], Answer]) -> Iterator[tuple[Section, tuple[tuple[Figure, Answer], ...]]]:
    for section in SECTIONS:
        answers = tuple((figure, ask(figure.sql, figure.most)) for figure in section.figures)
        if not section.optional or any(not answer.absent for _, answer in answers):
            yield section, answers


def _answer(session: Session, head: Head, sql: str, most: int) -> Answer:
    tables = tables_of(sql)
    asked = of_census(sql, head.cluster_id, head.census_id)
    absent = tuple(table for table in tables if table not in head.tables)
    if absent:
        return Answer(asked, absent=absent)
    incomplete = tuple(table for table in tables if table in head.incomplete)
    try:
        [rows] = [list(islice(result.rows, most + 1)) for result in session.results(asked)]
        total = len(rows) if len(rows) <= most else _count(session, asked)
    except (BadQuery, CorruptLake) as error:
        return Answer(asked, incomplete=incomplete, failed=str(error))
    return Answer(asked, tuple(rows[:most]), total, incomplete=incomplete)


def _count(session: Session, sql: str) -> int:
    [[(count,)]] = [list(result.rows) for result in session.results(f"SELECT count(*) FROM (\n{sql}\n)")]
    return cast("int", count)


def _head(root: str, cluster: str | None, at: datetime | None) -> Head:
    rows: Sequence[dict[str, Any]] = (
        PublishedLake(root)
        .publications.to_table(
            columns=["cluster", "cluster_id", "census_id", "table_name", "is_complete", "published_at"]
        )
        .to_pylist()
    )
    rows = [row for row in rows if at is None or row["published_at"] <= at]
    names = sorted({row["cluster"] for row in rows})
    if not rows:
        when = "yet" if at is None else f"by {at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        raise ConfigError(f"nothing was published in {root} {when}")
    if cluster is None and len(names) > 1:
        raise ConfigError(f"{root} has several clusters, {', '.join(names)}: name one with --cluster")
    if cluster is not None and cluster not in names:
        raise ConfigError(f"nothing of a cluster {cluster} is published in {root}; there is {', '.join(names)}")
    last = max((row for row in rows if cluster in (None, row["cluster"])), key=lambda row: row["census_id"])
    mine = [row for row in rows if (row["census_id"], row["cluster_id"]) == (last["census_id"], last["cluster_id"])]
    return Head(
        cluster=last["cluster"],
        cluster_id=last["cluster_id"],
        census_id=last["census_id"],
        published_at=max(row["published_at"] for row in mine),
        tables={row["table_name"]: bool(row["is_complete"]) for row in mine},
    )
