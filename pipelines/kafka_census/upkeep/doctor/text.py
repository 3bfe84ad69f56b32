"""The findings of the checks, as text (80 columns) and as JSON.

Each check is one line with its mark, followed by details and remedies unless the check is ok. Command lines are broken
so that they can be pasted into a shell.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Any

from kafka_census.terminal.human import counted
from kafka_census.upkeep.doctor.finding import Finding, Part, State

_WIDTH = 80
_MARKS = {State.OK: "ok", State.WARNING: "warn", State.FAILED: "FAIL", State.NOT_CHECKED: "-"}
_DETAIL = 7
"""Column at which details begin."""
_TABLES = 5
"""Names of tables that a detail shows; the JSON has all."""


def lines(parts: Sequence[Part], seconds: float) -> Iterator[str]:
    """All findings, and the elapsed time."""
    for part in parts:
        yield from _wrapped(part.title, 0)
        for name, finding in part.findings.items():
            yield from _check(name, finding)
        yield ""
    yield from _wrapped(_last_line(parts, seconds), 0)


def _check(name: str, finding: Finding) -> Iterator[str]:
    not_checked = "not checked: " if finding.state is State.NOT_CHECKED else ""
    head = f"  {_MARKS[finding.state]:4} {name:10} "
    yield from _lines(not_checked + finding.summary, head, " " * len(head))
    if finding.state is State.OK:
        return
    for detail in finding.details:
        yield from _wrapped(f"{detail.where}: {detail.what}", _DETAIL)
        if detail.tables:
            named, more = ", ".join(detail.tables[:_TABLES]), len(detail.tables) - _TABLES
            yield from _wrapped(f"tables: {named}{f' and {more} more' if more > 0 else ''}", _DETAIL + 2)
        if detail.remedy:
            yield from _wrapped(f"to do: {detail.remedy}", _DETAIL + 2)
    if finding.commands:
        yield from _wrapped("what an administrator grants, unless an ACL denies it:", _DETAIL)
        for words in finding.commands:
            yield from _pasteable(words)


def _wrapped(text: str, indent: int) -> Iterator[str]:
    margin = " " * indent
    yield from _lines(text, margin, f"{margin}  ")


def _lines(text: str, first: str, others: str) -> Iterator[str]:
    """The text in lines; a path or an address is never broken, even where it is longer than a line."""
    yield from wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _pasteable(words: Iterable[str]) -> Iterator[str]:
    """A command over several lines, which a shell reads as one command; an option stays with its value."""
    line = " " * (_DETAIL - 1)
    for piece in _pieces(words):
        if len(line) + len(piece) + len("  \\") > _WIDTH:
            yield f"{line} \\"
            line = " " * (_DETAIL + 1)
        line += f" {piece}"
    yield line


def _pieces(words: Iterable[str]) -> Iterator[str]:
    """The words, quoted for a shell, each option together with its value."""
    piece: list[str] = []
    for word in words:
        if piece and (word.startswith("--") or not piece[0].startswith("--")):
            yield shlex.join(piece)
            piece = []
        piece.append(word)
    yield shlex.join(piece)


def _last_line(parts: Sequence[Part], seconds: float) -> str:
    failed = [name if part.cluster is None else f"{name} of {part.cluster}" for part in parts for name in part.failed]
    warned = sum(one.state is State.WARNING for part in parts for one in part.findings.values())
    warnings = f", {counted(warned, 'warning')}" if warned else ""
    outcome = f"{len(failed)} failed ({', '.join(failed)})" if failed else "nothing failed"
    return f"{outcome}{warnings}, in {seconds:.1f} s"


def as_json(parts: Sequence[Part], seconds: float) -> dict[str, Any]:
    """All findings as plain values, including the details of checks that are ok."""
    return {
        "failed": any(part.failed for part in parts),
        "seconds": round(seconds, 1),
        "parts": [
            {"cluster": part.cluster, "checks": [_as_object(*one) for one in part.findings.items()]} for part in parts
        ],
    }


def _as_object(name: str, finding: Finding) -> dict[str, Any]:
    return {
        "check": name,
        "state": finding.state,
        "summary": finding.summary,
        "details": [vars(detail) for detail in finding.details],
        "commands": [shlex.join(words) for words in finding.commands],
    }
