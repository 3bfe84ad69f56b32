"""The problems of a page: root causes with what follows from them, what to do, and the SQL of the affected rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kafka_census.declarations.problem import SEVERITIES, Severity
from kafka_census.reading.html.cells import TEXT
from kafka_census.reading.html.figure import Check, Kind
from kafka_census.reading.html.read import Answer, Page
from kafka_census.reading.html.rows import anchor
from kafka_census.reading.report.commands import Commands
from kafka_census.reading.report.problems import ReportedProblem
from kafka_census.tables.problems import INCOMPLETE, SEVERITY, WORDS
from kafka_census.terminal.human import counted

_NAMES = 5
"""Largest number of names that a problem shows."""

_NAMED: Mapping[str, tuple[Kind, Callable[[str], str]]] = {
    "brokers": ("broker", str),
    "log_dir_usage": ("broker", lambda name: name.partition(":")[0]),
    "coordinator_load": ("broker", str),
    "quorum": ("broker", str),
    "under_min_isr_partitions": ("topic", lambda name: name.rpartition("-")[0]),
    "reassignment_backlog": ("topic", lambda name: name.rpartition("-")[0]),
    "hanging_transactions": ("topic", lambda name: name.rpartition("-")[0]),
    "group_lag": ("group", str),
    "consumer_lag": ("group", lambda name: name.rpartition(" at ")[0]),
    "group_coordinator_placement": ("group", str),
}
"""What the rows of a table are about, by the name of a row in a problem: the partition `orders-0` is of a topic."""


@dataclass(frozen=True)
class Told:
    """A problem as the page shows it.

    effect   what a count of rows means for clients or operators; empty for other sentences
    names    the first names, each with the anchor that it links to, or None
    more     the number of further names
    follows  what follows from it
    remedy   what to do, and the command, if one works here; empty where that is not known
    section  the anchor of the section with details; None without
    sql      the statement that shows all rows; None without
    """

    severity: Severity
    text: str
    effect: str = ""
    names: Sequence[tuple[str, str | None]] = ()
    more: int = 0
    follows: Sequence["Told"] = ()
    remedy: tuple[str, str] | tuple[()] = ()
    section: str | None = None
    sql: str | None = None


def told(page: Page) -> list[Told]:
    """The problems of a page, the worst first; without root causes each problem is its own."""
    checks = {(check.word, check.table): (check, answer) for check, answer in page.checks}
    flat = (pair for pair in page.wrong if page.roots is None or pair[0].word not in WORDS)
    return [*(_root(root, checks, page.commands) for root in page.roots or ()), *(_alone(*pair) for pair in flat)]


def severities(problems: Sequence[Told]) -> Iterator[Severity]:
    """The severity of each problem, and of each that follows from it."""
    for problem in problems:
        yield problem.severity
        yield from severities(problem.follows)


def _alone(check: Check, answer: Answer) -> Told:
    names, more = _names(check.table, [str(row[0]) for row in answer.rows], answer.total)
    text = counted(answer.total, check.one, check.many)
    return Told(check.severity, text, names=names, more=more, section=check.section, sql=answer.sql)


def _root(root: ReportedProblem, checks: Mapping[tuple[str, str], tuple[Check, Answer]], commands: Commands) -> Told:
    declared = root.declared
    table = declared.table if declared else ""
    check, answer = checks.get((root.kind, table), (None, None))
    names, more = _names(table, root.names, root.count)
    follows = [_root(each, checks, commands) for each in (*root.caused, *root.unseen)]
    if root.blinds:
        follows.insert(len(root.caused), _blinded(root.blinds))
    return Told(
        SEVERITY.get(root.kind, SEVERITIES[0]),
        root.sentence or root.text,
        declared.effect if declared and root.sentence else "",
        names,
        more,
        follows,
        (root.remedy.text, commands.remedy(root) or "") if root.remedy else (),
        check.section if check else None,
        answer.sql if answer and answer.rows else None,
    )


def _blinded(tables: Sequence[str]) -> Told:
    text = f"{counted(len(tables), 'table lacks', 'tables lack')} answers because of it"
    names, more = _names("", tables, len(tables))
    return Told(SEVERITY[INCOMPLETE], text, names=names, more=more, section="not-read")


def _names(table: str, names: Sequence[str], total: int) -> tuple[Sequence[tuple[str, str | None]], int]:
    """The first names of rows of a table with their anchors, and the number of the others."""
    kind, key = _NAMED.get(table, (None, str))
    shown = [(TEXT.text(name), anchor(kind, key(name)) if kind else None) for name in names[:_NAMES]]
    return shown, max(total - len(shown), 0)
