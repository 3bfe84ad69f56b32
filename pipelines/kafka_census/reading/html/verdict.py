"""What a page says first: how the cluster was, and the worst problem."""

from collections import Counter
from dataclasses import dataclass

from kafka_census.declarations.problem import SEVERITIES
from kafka_census.reading.html.cells import TEXT, Tone
from kafka_census.reading.html.figure import Check
from kafka_census.reading.html.read import Answer, Page
from kafka_census.terminal.human import counted

_NAMED = 3
_NOUNS = {"critical": "critical problem", "warning": "warning", "risk": "risk"}


@dataclass(frozen=True)
class Verdict:
    """The state of a cluster by a census, and the problem to begin with, as two lines."""

    tone: Tone
    state: str
    cause: str


def verdict(page: Page) -> Verdict:
    """The verdict on a census; what could not be looked at is never well."""
    if page.damage:
        return Verdict("critical", "the lake is damaged", page.damage[0])
    if not page.wrong:
        known = page.head.is_last_word and not page.not_asked
        return Verdict(
            "good" if known else "warning", "no problem found" if known else "not all is known", page.head.calm
        )
    of = Counter(check.severity for check, _ in page.wrong)
    state = ", ".join(counted(of[severity], _NOUNS[severity]) for severity in SEVERITIES if of[severity])
    worst, answer = page.wrong[0]
    return Verdict("critical" if worst.severity == "critical" else "warning", state, told(worst, answer))


def told(check: Check, answer: Answer) -> str:
    """A problem as a sentence: its number, what it is, and the first names."""
    names = ", ".join(TEXT.text(row[0]) for row in answer.rows[:_NAMED])
    more = ", ..." if answer.total > _NAMED else ""
    return f"{counted(answer.total, check.one, check.many)}: {names}{more}"
