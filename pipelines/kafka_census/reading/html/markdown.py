"""A census as a message for chat: the census and its problems, worst first, in at most 40 lines of Markdown."""

from collections.abc import Iterator

from kafka_census.reading.html.cells import TEXT, TIME
from kafka_census.reading.html.figure import Number
from kafka_census.reading.html.read import Answer, Page
from kafka_census.terminal.display import printable

_LONGEST_NAME, _MOST_DAMAGE = 60, 3
_MARKS = {"critical": "🔴", "warning": "🟠", "risk": "🟡"}


def as_markdown(page: Page) -> list[str]:
    """The lines of the message."""
    return [*_headline(page), "", *_problems(page)]


def _headline(page: Page) -> Iterator[str]:
    head = page.head
    if head.refused is not None:
        yield f"🔴 **NOT PUBLISHED** {_plain(head.refused)}\\. {_plain(head.still)}"
    yield f"**{_plain(head.cluster)}**: census of {TIME.text(head.at)} ({_code(head.census_id)}), {head.age}"
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
    for check, answer in page.wrong:
        said = check.one if answer.total == 1 else check.many
        yield f"- {_MARKS[check.severity]} **{answer.total:,}** {said}: {_names(answer)}"
    if page.not_asked:
        why = "damaged or not there" if page.damage else "not there"
        yield f"- {len(page.not_asked)} of {len(page.checks)} checks could not be made: their tables are {why}."


def _names(answer: Answer) -> str:
    named = ", ".join(_code(TEXT.text(row[0])) for row in answer.rows[:3])
    more = answer.total - min(len(answer.rows), 3)
    return f"{named} and {more:,} more" if more else named


def _code(name: str) -> str:
    """A name as a code span, in which Markdown has no effect; backticks, which would end the span, are replaced."""
    shown = printable(name).replace("`", "'")
    return f"`{shown if len(shown) <= _LONGEST_NAME else shown[: _LONGEST_NAME - 1] + '…'}`"


def _plain(text: str) -> str:
    """Text with all special characters of Markdown escaped."""
    return "".join(f"\\{each}" if each in "\\`*_{}[]()<>#+-.!|~" else each for each in printable(text))
