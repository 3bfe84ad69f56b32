"""What the checks found, for people (80 columns) and as JSON.

A check is a line with its mark; below it, unless it is ok, what is wrong and what to do. Command lines are broken so
that they can be pasted.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Any

from kafka_census.doctor.finding import Finding, Part, State, counted

_WIDTH = 80
_MARKS = {State.OK: "ok", State.WARNING: "warn", State.FAILED: "FAIL", State.NOT_CHECKED: "-"}
_SUMMARY, _DETAIL = 18, 7
"""Columns at which summaries and details begin."""


def lines(parts: Sequence[Part], seconds: float) -> Iterator[str]:
    """All of it, and how long it took."""
    for part in parts:
        yield from _wrapped(part.title, 0)
        for name, finding in part.findings.items():
            yield from _check(name, finding)
        yield ""
    yield from _wrapped(_last_line(parts, seconds), 0)


def _check(name: str, finding: Finding) -> Iterator[str]:
    not_checked = "not checked: " if finding.state is State.NOT_CHECKED else ""
    first, *rest = wrap(not_checked + finding.summary, _WIDTH - _SUMMARY) or [""]
    yield f"  {_MARKS[finding.state]:4} {name:10} {first}".rstrip()
    yield from (f"{'':{_SUMMARY}}{line}" for line in rest)
    if finding.state is State.OK:
        return
    for detail in finding.details:
        yield from _wrapped(f"{detail.where}: {detail.what}", _DETAIL)
        if detail.remedy:
            yield from _wrapped(f"to do: {detail.remedy}", _DETAIL + 2)
    if finding.commands:
        yield from _wrapped("what an administrator grants, unless an ACL denies it:", _DETAIL)
        for words in finding.commands:
            yield from _pasteable(words)


def _wrapped(text: str, indent: int) -> Iterator[str]:
    margin = " " * indent
    yield from wrap(text, _WIDTH, initial_indent=margin, subsequent_indent=f"{margin}  ", break_on_hyphens=False)


def _pasteable(words: Iterable[str]) -> Iterator[str]:
    """A command over several lines, which a shell reads as one; an option stays with its value."""
    line, continued = " " * _DETAIL, False
    for piece in _pieces(words):
        if len(line) + len(piece) + 3 > _WIDTH and line.strip():
            yield f"{line} \\"
            line, continued = " " * (_DETAIL + 1), True
        line = f"{line} {piece}" if line.strip() or continued else line + piece
    yield line


def _pieces(words: Iterable[str]) -> Iterator[str]:
    """The words, quoted for a shell, each option together with its value."""
    option = ""
    for word in words:
        if option and not word.startswith("--"):
            yield f"{option} {shlex.quote(word)}"
            option = ""
            continue
        if option:
            yield option
        option = word if word.startswith("--") else ""
        if not option:
            yield shlex.quote(word)
    if option:
        yield option


def _last_line(parts: Sequence[Part], seconds: float) -> str:
    failed = [name if part.cluster is None else f"{name} of {part.cluster}" for part in parts for name in part.failed]
    warned = sum(one.state is State.WARNING for part in parts for one in part.findings.values())
    warnings = f", {counted(warned, 'warning')}" if warned else ""
    told = f"{len(failed)} failed ({', '.join(failed)})" if failed else "nothing failed"
    return f"{told}{warnings}, in {seconds:.1f} s"


def as_json(parts: Sequence[Part], seconds: float) -> dict[str, Any]:
    """The same as an object of plain values, details of checks that are ok included."""
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
