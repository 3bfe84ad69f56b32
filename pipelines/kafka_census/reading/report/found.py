"""Counts and worst rows of the tables of a census, which are the same from every source.

A table without rows is not read, and a table without rows to show is only counted.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Row

from kafka_census.declarations.problem import Problem
from kafka_census.declarations.table import Table
from kafka_census.declarations.view import Counts, View
from kafka_census.reading.report.problems import ProblemCount, unknown_of
from kafka_census.reading.report.source import Count, Lookup, Source
from kafka_census.tables.problems import PROBLEM, UNKNOWN

NAMED = 100
"""Largest number of rows of a problem that are named."""


@dataclass(frozen=True)
class Found:
    """The counts and rows of one table.

    counts      the number of rows by the value of the view's `group_by`
    sums        the view's further totals
    shown_rows  the number of rows that the view shows
    worst       the first of these rows
    problems    the problems that the rows show, by word, and the rows of NOT_KNOWN by `unknown_of` the table
    """

    counts: Counts
    sums: Counts
    shown_rows: int
    worst: Sequence[Row]
    problems: Mapping[str, ProblemCount]


def find(
    source: Source, census_id: str, views: Sequence[View], row_counts: Mapping[str, int], limit: int
) -> Mapping[str, Found]:
    """The counts and at most `limit` worst rows of each table, by table name.

    row_counts  the number of rows of the census, by table name
    """
    filled = [(view, [sql for _, sql in _sums(view, _PROBLEMS)]) for view in views if row_counts[view.table.name]]
    counted = source.counted(census_id, filled, sum(row_counts.values()))
    totals = {view.table.name: _totals(view, _PROBLEMS, counted.get(view.table.name, ())) for view in views}
    shown_rows = {name: sum(count.shown_rows for count in counts) for name, counts in counted.items()}
    tables = {view.table.name: view.table for view in views}
    present = [(word, each) for word, each in _PROBLEMS.items() if totals.get(each.table, {}).get(_total(word))]
    shown = [view for view in views if limit and shown_rows.get(view.table.name)]
    rows = source.looked_up(census_id, [*_names(present, tables), *_worst(shown, limit)])
    return {
        view.table.name: Found(
            counts=dict(
                sorted(((count.value, count.rows) for count in counted.get(view.table.name, ())), key=_nulls_last)
            ),
            sums={name: totals[view.table.name][name] for name, _ in view.sums},
            shown_rows=shown_rows.get(view.table.name, 0),
            worst=rows.get(view.table.name, ()),
            problems={
                word: _problem_count(word, problem, totals[problem.table], rows)
                for word, problem in present
                if problem.table == view.table.name
            },
        )
        for view in views
    }


def explained(
    source: Source,
    census_id: str,
    views: Sequence[View],
    found: Mapping[str, ProblemCount],
    losses: Sequence[Sequence[int]],
) -> Mapping[str, Sequence[ProblemCount]]:
    """By word of a problem, the rows that each loss of brokers explains; then those that none does.

    found   the problems of these tables' rows
    losses  the ids of brokers that were lost in the same way
    """
    split = [PROBLEM[word] for word in found if losses and word in PROBLEM and PROBLEM[word].lost]
    parts = {_part(problem.word, nth): each for problem in split for nth, each in enumerate(problem.of_losses(losses))}
    mine = [view for view in views if any(problem.table == view.table.name for problem in split)]
    sums = [(view, [sql for _, sql in _sums(view, parts, of_view=False)]) for view in mine]
    counted = source.counted(census_id, sums, sum(found[problem.word].count for problem in split)) if sums else {}
    totals = {view.table.name: _totals(view, parts, counted.get(view.table.name, ()), of_view=False) for view in mine}
    tables = {view.table.name: view.table for view in mine}
    some = [(word, part) for word, part in parts.items() if totals[part.table][_total(word)]]
    rows = source.looked_up(census_id, [*_names(some, tables)]) if some else {}
    several = range(len(losses) + 1)
    return {
        word: [_problem_count(_part(word, nth), PROBLEM[word], totals[PROBLEM[word].table], rows) for nth in several]
        for word in (problem.word for problem in split)
    }


def _nulls_last(counted: tuple[str | None, int]) -> tuple[bool, str]:
    value, _ = counted
    return value is None, value or ""


_PROBLEMS = {**PROBLEM, **{unknown_of(table): problem for table, problem in UNKNOWN.items()}}


def _sums(view: View, problems: Mapping[str, Problem], *, of_view: bool = True) -> list[tuple[str, str]]:
    """The totals over all rows of a table, as name and SQL: those of the view, then those of each problem."""
    sums = list(view.sums) if of_view else []
    for word, problem in problems.items():
        if problem.table == view.table.name:
            sums.append((_total(word), problem.where))
            for index, impact in enumerate(problem.impact):
                sums.append((_impact(word, index), f"CASE WHEN {problem.where} THEN {impact.sql} END"))
    return sums


def _part(word: str, nth: int) -> str:
    return f"{word} {nth}"


def _total(word: str) -> str:
    return f"problem {word}"


def _impact(word: str, index: int) -> str:
    return f"problem {word}, impact {index}"


def _problem_count(
    word: str, problem: Problem, totals: Mapping[str, int], rows: Mapping[str, Sequence[Sequence[str]]]
) -> ProblemCount:
    impact = tuple(totals[_impact(word, index)] for index in range(len(problem.impact)))
    named = rows.get(_total(word), ())
    worst = dict(zip(problem.remedy.fills, named[0][1:], strict=True)) if named else {}
    return ProblemCount(totals[_total(word)], impact, tuple(name for name, *_ in named), worst)


def _totals(
    view: View, problems: Mapping[str, Problem], counted: Sequence[Count], *, of_view: bool = True
) -> Mapping[str, int]:
    names = [name for name, _ in _sums(view, problems, of_view=of_view)]
    return {name: sum(count.sums[index] or 0 for count in counted) for index, name in enumerate(names)}


def _names(present: Iterable[tuple[str, Problem]], tables: Mapping[str, Table]) -> Iterator[Lookup]:
    """The names of the worst rows of each problem, and what fills the command of its remedy."""
    for word, problem in present:
        worst, texts = problem.order or (problem.name,), (problem.name, *problem.remedy.fills)
        yield Lookup(_total(word), tables[problem.table], problem.where, worst, NAMED, texts)


def _worst(views: Sequence[View], limit: int) -> Iterator[Lookup]:
    """The worst rows of each table."""
    for view in views:
        yield Lookup(view.table.name, view.table, view.only, view.order, limit)
