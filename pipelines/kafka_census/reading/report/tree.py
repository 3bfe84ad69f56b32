"""A root cause as lines: the tree of what follows from it, and what to do about it."""

from collections.abc import Iterator, Sequence

from kafka_census.reading.report.problems import REFUSED, ReportedProblem
from kafka_census.tables.problems import UNREACHABLE
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
    return [*(each.text for each in problem.caused), *_blinded(problem), *(each.text for each in problem.unseen)]


def what_to_do(problem: ReportedProblem, command: str | None, width: int) -> list[str]:
    """The remedy, its command, and what publishes a census that the problem keeps from it; empty without any."""
    remedy = problem.remedy
    lines = wrapped(remedy.text, "  To do: ", "    ", width) if remedy else []
    lines += [f"    {command}"] if command else []
    return [*lines, *(wrapped(problem.advice, "  To publish: ", "    ", width) if problem.advice else [])]


def _blinded(problem: ReportedProblem) -> Iterator[str]:
    if problem.blinds and problem.kind != REFUSED:
        more = len(problem.blinds) - _BLINDED
        named = ", ".join(problem.blinds[:_BLINDED]) + (f" and {more} more" if more > 0 else "")
        whose = "answers" if problem.kind != UNREACHABLE else "its answers" if problem.count == 1 else "their answers"
        yield f"{counted(len(problem.blinds), 'table lacks', 'tables lack')} {whose}: {named}"
