"""The pages of all clusters of a lake, and the index that shows which of them need a look first."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote

from kafka_census.reading.html.numbers import NUMBERS
from kafka_census.reading.html.page import rendered
from kafka_census.reading.html.read import Page
from kafka_census.reading.html.verdict import Verdict, verdict

_WORST_FIRST = ("critical", "warning", "plain", "good")


@dataclass(frozen=True)
class Member:
    """A cluster of a fleet.

    page    its page; None: there is none
    lacks   why there is none
    """

    cluster: str
    page: Page | None
    lacks: str = ""

    @property
    def file(self) -> str:
        """The name of the page's file, whatever the cluster's name is."""
        return f"cluster-{quote(self.cluster, safe='')}.html"

    @property
    def link(self) -> str:
        """The file as a relative address."""
        return quote(self.file)

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict of the page."""
        return verdict(self.page) if self.page else Verdict("warning", "no census", self.lacks)

    @property
    def numbers(self) -> Iterator[tuple[str, str]]:
        """The titles and texts of the page's numbers."""
        known = {number: answer for number, answer, _ in self.page.numbers if answer.known} if self.page else {}
        for number in NUMBERS:
            value, total, _ = known[number].rows[0] if number in known else (None, None, False)
            yield (
                number.title,
                number.form.text(value) + (f" of {number.form.text(total)}" if total is not None else ""),
            )


def as_index(members: Iterable[Member], at: str) -> str:
    """The index, the worst clusters first.

    at  the time at which it was made
    """
    ordered = sorted(members, key=lambda member: (_WORST_FIRST.index(member.verdict.tone), member.cluster))
    return rendered("index.html", members=ordered, numbers=NUMBERS, at=at)
