"""A root cause as lines: the tree of what follows from it, and what to do about it."""

from collections.abc import Iterator, Sequence

from kafka_census.reading.report.problems import REFUSED, ReportedProblem
from kafka_census.tables.problems import NOT_KNOWN, UNREACHABLE
from kafka_census.terminal.columns import wrapped
from kafka_census.terminal.human import counted

_BLINDED = 5
"""Largest number of tables that a problem names; the line of each table shows the others."""


def tree(problem: ReportedProblem, width: int) -> list[str]:
    """The sentence of a problem, with a branch for each sentence that follows from it."""
    lines = wrapped(problem.text, "- ", width=width)
    branches = consequences(problem)
    for nth, branch in enumerate(branches, 1):
        first, rest = ("  └─ ", "     ") if nth == len(branches) else ("  ├─ ", "  │  ")
        lines += wrapped(branch, first, rest, width)
    return lines


def consequences(problem: ReportedProblem) -> Sequence[str]:
    """What follows from a problem: problems that it explains, tables that lack answers, and what is unknown then."""
    return [*(each.text for each in problem.caused), *_blinded(problem), *_unseen(problem.unseen)]


def what_to_do(problem: ReportedProblem, command: str | None, width: int) -> list[str]:
    """The remedy, its command, and what publishes a census that the problem keeps from it; empty without any."""
    remedy = problem.remedy
    lines = wrapped(remedy.text, "  To do: ", "    ", width) if remedy else []
    lines += [f"    {command}"] if command else []
    return [*lines, *(wrapped(problem.advice, "  To publish: ", "    ", width) if problem.advice else [])]


def _unseen(problems: Sequence[ReportedProblem]) -> Iterator[str]:
    """Each problem; rows of several tables of which nothing is known together."""
    open_rows = [each for each in problems if each.kind == NOT_KNOWN]
    yield from (each.text for each in problems if each.kind != NOT_KNOWN or len(open_rows) == 1)
    if len(open_rows) > 1:
        rows = f"{counted(sum(each.count for each in open_rows), 'row')} of {counted(len(open_rows), 'table')}"
        yield f"{rows} are not known to be well: {', '.join(each.table for each in open_rows)}"


def _blinded(problem: ReportedProblem) -> Iterator[str]:
    if problem.blinds and problem.kind != REFUSED:
        more = len(problem.blinds) - _BLINDED
        named = ", ".join(problem.blinds[:_BLINDED]) + (f" and {more} more" if more > 0 else "")
        whose = "answers" if problem.kind != UNREACHABLE else "its answers" if problem.count == 1 else "their answers"
        yield f"{counted(len(problem.blinds), 'table lacks', 'tables lack')} {whose}: {named}"
