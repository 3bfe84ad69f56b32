"""A census as a message for chat: its problems by root cause, worst first, in at most 40 lines of Markdown."""

from collections.abc import Iterator, Sequence

from kafka_census.reading.html.cells import TEXT, TIME
from kafka_census.reading.html.figure import Number
from kafka_census.reading.html.read import Answer, Page
from kafka_census.reading.report.commands import Commands
from kafka_census.reading.report.problems import ReportedProblem
from kafka_census.tables.problems import SEVERITY, WORDS
from kafka_census.terminal.display import printable
from kafka_census.terminal.human import counted

_LONGEST_NAME, _LONGEST_TEXT, _MOST_DAMAGE = 60, 200, 3
_REMEDIES, _ROOTS = 3, 24
"""The number of root causes with their remedy, and of lines of all of them."""
_MARKS = {"critical": "🔴", "warning": "🟠", "risk": "🟡"}


def as_markdown(page: Page) -> list[str]:
    """The lines of the message."""
    return [*_headline(page), "", *_problems(page)]


def _headline(page: Page) -> Iterator[str]:
    head = page.head
    if head.refused is not None:
        yield f"🔴 **NOT PUBLISHED** {_plain(head.refused)}\\. {_plain(head.still)}"
    yield f"**{_plain(head.cluster)}**: census of {TIME.text(head.at)} ({_code(head.census_id)}), {head.age}"
    if head.note:
        yield _plain(head.note)
    if head.later:
        yield f"🟠 {_plain(head.later)}"
    if head.incomplete:
        yield f"Incomplete: {len(head.incomplete)} of {len(head.tables)} tables lack answers."
    known = [_number(number, answer) for number, answer, _ in page.numbers if answer.known]
    if known:
        yield " · ".join(known)


def _number(number: Number, answer: Answer) -> str:
    [(value, of, misses)] = answer.rows
    share = "" if of is None else f" of {number.form.text(of)}"
    return f"{number.form.text(value)}{share} {number.title}{' (not all read)' if misses else ''}"


def _problems(page: Page) -> Iterator[str]:
    for line in page.damage[:_MOST_DAMAGE]:
        yield f"- 🔴 **the lake is damaged**: {_plain(line)}"
    if len(page.damage) > _MOST_DAMAGE:
        yield f"- 🔴 and {len(page.damage) - _MOST_DAMAGE} more tables are damaged"
    if not page.wrong and not page.damage:
        yield page.head.calm
    lines = [
        line
        for nth, root in enumerate(page.roots or ())
        for line in _root(root, page.commands if nth < _REMEDIES else None)
    ]
    yield from lines if len(lines) <= _ROOTS else [*lines[: _ROOTS - 1], f"- and {len(lines) - _ROOTS + 1} more lines"]
    for check, answer in page.wrong:
        # Rules that warn are of no root cause, and without the tables of all problems there are no root causes.
        if page.roots is None or check.word not in WORDS:
            said = check.one if answer.total == 1 else check.many
            yield f"- {_MARKS[check.severity]} **{answer.total:,}** {said}: {_names(answer)}"
    if page.not_asked:
        why = "damaged or not there" if page.damage else "not there"
        yield f"- {len(page.not_asked)} of {len(page.checks)} checks could not be made: their tables are {why}."


def _root(root: ReportedProblem, commands: Commands | None) -> Iterator[str]:
    """A root cause, what follows from it, and with commands what to do."""
    yield f"- {_MARKS[SEVERITY[root.kind]]} {_told(root)}"
    for each in root.caused:
        yield f"  - {_told(each)}"
    if root.blinds:
        yield f"  - {counted(len(root.blinds), 'table lacks', 'tables lack')} answers because of it"
    for each in root.unseen:
        yield f"  - {_told(each)}"
    if commands and root.remedy:
        command = commands.remedy(root)
        yield f"  - To do: {_plain(root.remedy.text)}{f' {_code(command, len(command))}' if command else ''}"


def _told(problem: ReportedProblem) -> str:
    if not problem.sentence:  # a broker may have written a part of the text
        return _code(problem.text, _LONGEST_TEXT)
    return f"{_plain(problem.sentence)}: {_listed(problem.names, problem.count)}"


def _names(answer: Answer) -> str:
    return _listed([TEXT.text(row[0]) for row in answer.rows], answer.total)


def _listed(names: Sequence[str], total: int) -> str:
    named = ", ".join(map(_code, names[:3]))
    more = total - min(len(names), 3)
    return f"{named} and {more:,} more" if more else named


def _code(name: str, most: int = _LONGEST_NAME) -> str:
    """A name as a code span, in which Markdown has no effect; backticks, which would end the span, are replaced."""
    shown = printable(name).replace("`", "'")
    return f"`{shown if len(shown) <= most else shown[: most - 1] + '…'}`"


def _plain(text: str) -> str:
    """Text with all special characters of Markdown escaped."""
    return "".join(f"\\{each}" if each in "\\`*_{}[]()<>#+-.!|~" else each for each in printable(text))
