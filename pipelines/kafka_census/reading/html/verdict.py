"""What a page says first: how the cluster was, and the worst problem."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kafka_census.declarations.problem import SEVERITIES
from kafka_census.reading.html.cells import Tone
from kafka_census.reading.html.problems import Told, severities
from kafka_census.reading.html.read import Page
from kafka_census.terminal.human import counted

_NAMED = 3
_NOUNS = {"critical": "critical problem", "warning": "warning", "risk": "risk"}


@dataclass(frozen=True)
class Verdict:
    """The state of a cluster by a census, and the problem to begin with, as two lines."""

    tone: Tone
    state: str
    cause: str


def verdict(page: Page, problems: Sequence[Told]) -> Verdict:
    """The verdict on a census with these problems; what could not be looked at is never well."""
    if page.damage:
        return Verdict("critical", "the lake is damaged", page.damage[0])
    if not problems:
        known = page.head.is_last_word and not page.not_asked
        state = "no problem found" if known else "not all is known"
        return Verdict("good" if known else "warning", state, page.head.calm)
    of = Counter(severities(problems))
    state = ", ".join(counted(of[severity], _NOUNS[severity]) for severity in SEVERITIES if of[severity])
    worst = problems[0]
    named = [name for name, _ in worst.names[:_NAMED]] if worst.effect else []
    more = ", ..." if worst.more or len(worst.names) > _NAMED else ""
    root = f"{worst.text} ({', '.join(named)}{more})" if named else worst.text
    cause = " → ".join([root, *([", ".join(each.text for each in worst.follows)] if worst.follows else [])])
    return Verdict("critical" if of["critical"] else "warning", state, cause)
