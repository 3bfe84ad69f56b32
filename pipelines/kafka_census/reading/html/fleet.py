"""The pages of all clusters of a lake, and the index that shows which of them need a look first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from kafka_census.reading.html.cells import PROSE, UNKNOWN
from kafka_census.reading.html.figure import Column, Number
from kafka_census.reading.html.head import Head
from kafka_census.reading.html.numbers import NUMBERS
from kafka_census.reading.html.page import rendered
from kafka_census.reading.html.problems import told
from kafka_census.reading.html.read import Answer, Page
from kafka_census.reading.html.rows import column_styles
from kafka_census.reading.html.verdict import Verdict, verdict

_COLUMNS = (
    *(Column("cluster"), Column("state"), Column("the worst", PROSE), Column("census")),
    *(Column(number.title, number.form) for number in NUMBERS),
)
_WORST_FIRST = ("critical", "warning", "plain", "good")


@dataclass(frozen=True)
class Member:
    """A cluster of a fleet.

    head     the identity of its census; None: it has none, as the verdict says
    numbers  the numbers at the head of its page, as text
    """

    cluster: str
    verdict: Verdict
    head: Head | None
    numbers: Sequence[str]

    @property
    def file(self) -> str:
        """The name of the page's file, whatever the cluster's name is."""
        return f"cluster-{quote(self.cluster, safe='')}.html"

    @property
    def link(self) -> str:
        """The file as a relative address."""
        return quote(self.file)


def member(page: Page) -> Member:
    """A cluster by its page."""
    return Member(
        page.head.cluster,
        verdict(page, told(page)),
        page.head,
        [_text(number, answer) for number, answer, _ in page.numbers],
    )


def _text(number: Number, answer: Answer) -> str:
    value, total, _ = answer.rows[0] if answer.known else (None, None, None)
    return number.form.text(value) + ("" if total is None else f" of {number.form.text(total)}")


def without_page(cluster: str, why: str) -> Member:
    """A cluster without a census that can be read."""
    return Member(cluster, Verdict("warning", "no census", why), None, [UNKNOWN] * len(NUMBERS))


def as_index(members: Iterable[Member], at: str) -> str:
    """The index, the worst clusters first.

    at  the time at which it was made
    """
    ordered = sorted(members, key=lambda each: (_WORST_FIRST.index(each.verdict.tone), each.cluster))
    return rendered("index.html", [column_styles("clusters", _COLUMNS)], members=ordered, columns=_COLUMNS, at=at)
