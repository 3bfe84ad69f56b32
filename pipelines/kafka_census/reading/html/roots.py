"""The problems of a census by root cause, from DuckDB alone: those that `kafka-census report` tells, for a page."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kafka_census.declarations.problem import Problem
from kafka_census.errors import BadQuery, CorruptLake
from kafka_census.reading.censuses import Record
from kafka_census.reading.report.missing import causes_of, missing_of
from kafka_census.reading.report.problems import ProblemCount, ReportedProblem, losses_of, problems, unknown_of
from kafka_census.reading.sql.session import Result
from kafka_census.tables.problems import PROBLEM, UNKNOWN

_NAMED = 100
"""Largest number of rows of a problem that are named."""

Results = Callable[[str], Iterator[Result]]


def roots(results: Results, judged: Sequence[Record]) -> tuple[ReportedProblem, ...] | None:
    """The problems, the worst first; None where a table that shows them is damaged.

    results  the answers to statements over the views of the census
    judged   its rows of `publications`, or of its refusal
    """
    tables, causes = {row["table_name"] for row in judged}, causes_of(missing_of(judged))
    every = {**PROBLEM, **{unknown_of(table): problem for table, problem in UNKNOWN.items()}}
    try:
        shown = _counted(results, {word: each for word, each in every.items() if each.table in tables})
        losses = losses_of(shown, causes)
        split = [word for word in shown if losses and word in PROBLEM and PROBLEM[word].lost]
        explained = {}
        for word in split:
            parts = {str(nth): part for nth, part in enumerate(PROBLEM[word].of_losses(losses))}
            found, none = _counted(results, parts), ProblemCount(0, (0,) * len(PROBLEM[word].impact), ())
            explained[word] = [found.get(nth, none) for nth in parts]
    except (BadQuery, CorruptLake):
        return None
    return problems(shown, causes, explained)


def _counted(results: Results, asked: Mapping[str, Problem]) -> Mapping[str, ProblemCount]:
    """The problems that rows show, of these."""
    if not asked:
        return {}
    answers = results(";\n".join(map(_query, asked.values())))
    found = {}
    for (word, problem), answer in zip(asked.items(), answers, strict=True):
        rows: list[tuple[Any, ...]] = list(answer.rows)
        if rows:
            first = 1 + len(problem.impact)
            worst = dict(zip(problem.remedy.fills, rows[0][first + 1 :], strict=True))
            impact = tuple(total or 0 for total in rows[0][1:first])
            found[word] = ProblemCount(rows[0][0], impact, tuple(row[first] for row in rows), worst)
    return found


def _query(problem: Problem) -> str:
    """The number of rows, further totals, and of the worst rows their names and what fills the command."""
    totals = [f"CAST(sum(CAST({each.sql} AS BIGINT)) OVER () AS BIGINT)" for each in problem.impact]
    texts = [f"CAST({each} AS STRING)" for each in (problem.name, *problem.remedy.fills)]
    return f"""SELECT {", ".join(["count(*) OVER ()", *totals, *texts])} FROM current_{problem.table}
WHERE {problem.where} ORDER BY {", ".join(problem.order or (problem.name,))} LIMIT {_NAMED}"""
