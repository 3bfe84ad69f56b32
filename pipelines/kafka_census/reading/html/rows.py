"""The rows of figures as HTML: chips, bars, anchors and links; all rows of all figures up to a size of the page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from urllib.parse import quote

from markupsafe import Markup, escape

from kafka_census.reading.html.cells import TEXT, Tone, tone
from kafka_census.reading.html.figure import Column, Figure, Kind
from kafka_census.reading.html.read import Answer
from kafka_census.reading.sql.session import Row

MOST_BYTES = 4_900_000
"""The size up to which all rows of all figures are in a page, which then is below 5 MB."""

_LONGEST_ANCHOR = 300


@dataclass(frozen=True)
class Rows:
    """The rows of a figure in a page.

    first  those that are shown at first
    more   those that are folded
    folded their number
    left   the number of rows that only the SQL shows
    """

    first: Markup
    more: Markup
    folded: int
    left: int


def in_page(figures: Sequence[tuple[Figure, Answer]], most_bytes: int = MOST_BYTES) -> Mapping[Figure, Rows]:
    """The rows of each figure; where not all fit, those of the smallest figures, and of the others the first ones."""
    smallest_first = sorted(figures, key=lambda pair: pair[1].total * len(pair[0].columns))
    lines = {figure: _lines(figure, answer.rows) for figure, answer in smallest_first}
    first = {figure: list(islice(rows, figure.most)) for figure, rows in lines.items()}
    most_bytes -= sum(len(line.encode()) for of in first.values() for line in of)
    found = {}
    for figure, answer in smallest_first:
        more = []
        for line in lines[figure]:
            most_bytes -= len(line.encode())
            if most_bytes < 0:
                break
            more.append(line)
        left = answer.total - len(first[figure]) - len(more)
        # Everything in a line is escaped.
        found[figure] = Rows(Markup("".join(first[figure])), Markup("".join(more)), len(more), left)  # noqa: S704
    return found


def column_styles(slug: str, columns: Sequence[Column]) -> str:
    """Rules for the columns of a table: once, instead of attributes of every cell. Titles are ours, and plain."""
    numbers, prose = ";--side:right;--wrap:nowrap", ";--least:15em;--span:1/-1"
    return "\n".join(
        f'#{slug} tr > :nth-child({number}){{--title:"{column.title}"'
        f"{numbers if column.form.right else prose if column.form.most > TEXT.most else ''}}}"
        for number, column in enumerate(columns, 1)
    )


def anchor(kind: Kind, name: object) -> str:
    """The fragment of a broker, topic or group: `topic-orders`; the digest of a name that would be too long."""
    quoted = quote(str(name), safe="")
    return f"{kind}-{quoted if len(quoted) <= _LONGEST_ANCHOR else sha256(quoted.encode()).hexdigest()}"


def _lines(figure: Figure, rows: Sequence[Row]) -> Iterator[str]:
    largest = [_largest(column, [row[index] for row in rows]) for index, column in enumerate(figure.columns)]
    home = figure.columns[0].of if figure.home else None
    for row in rows:
        named = f' id="{anchor(home, row[0])}"' if home else ""
        cells = map(_cell, figure.columns, row, largest, [home is not None, *[False] * (len(row) - 1)])
        yield f"<tr{named}>{''.join(cells)}</tr>\n"


def _largest(column: Column, values: Sequence[object]) -> float:
    """What a whole bar stands for; 0 without bars."""
    if not column.bar:
        return 0
    return max((value for value in values if isinstance(value, int | float)), default=0)


def _cell(column: Column, value: object, largest: float, is_anchor: bool) -> str:
    form, text = column.form, column.form.text(value)
    shown: str = escape(text)
    null = ' class="none"' if value is None and not form.right else ""
    key = f' data-n="{value}"' if form.units and value is not None else ""
    if form.chip and value is not None:
        shown = chip(text, tone(text))
    elif column.of and value not in (None, []) and not is_anchor:
        named = value if isinstance(value, list) else [value]
        shown = ", ".join(f'<a href="#{anchor(column.of, each)}">{escape(form.text(each))}</a>' for each in named)
    elif largest and isinstance(value, int | float) and value > 0:
        shown = f'<svg class="bar"><rect width="{100 * value / largest:.0f}%" height="100%"/></svg>{shown}'
    return f"<td{null}{key}>{shown}</td>"


def chip(text: str, colour: Tone) -> Markup:
    """A word with the colour of what it says."""
    return Markup(f'<span class="chip {colour}">{escape(text)}</span>')  # noqa: S704 - escaped
