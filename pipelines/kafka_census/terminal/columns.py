"""Text of limited width: terminal cells, tables, paragraphs."""

import shutil
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from kafka_census.terminal.display import printable

WIDTH = 80
WIDEST = 160
"""Cells of a line of a report, at least and at most: longer lines are hard to read."""
_LEAST = 8
"""Smallest width of a column of words, unless the table does not fit otherwise."""


@dataclass(frozen=True)
class Shown:
    """A column of a printed table.

    width  the largest number of cells; None: the room that the other columns leave
    """

    title: str
    width: int | None = None
    right: bool = False


def terminal_width() -> int:
    """The cells of a line of the terminal; `WIDTH` where there is none."""
    return shutil.get_terminal_size((WIDTH, 1)).columns


def width_of(out: TextIO) -> int:
    """The cells of a line of a report: those of the terminal that `out` is, within limits; `WIDTH` where it is none."""
    return min(max(terminal_width(), WIDTH), WIDEST) if out.isatty() else WIDTH


def table(columns: Sequence[Shown], rows: Sequence[Sequence[str]], width: int = WIDTH) -> list[str]:
    """The lines of a table no wider than `width`; a cell that is too long ends in an ellipsis.

    Columns without a width shrink first, then columns of words, and columns of numbers last. Where there is room, a
    column with a width gets more.
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    needed = [
        max(cells_of(column.title), *(cells_of(row[index]) for row in cells), 1) for index, column in enumerate(columns)
    ]
    widths = [min(need, column.width or need) for need, column in zip(needed, columns, strict=True)]
    excess = sum(widths) + 2 * (len(columns) - 1) - width
    for giving_way, least in (
        ([index for index, column in enumerate(columns) if column.width is None], _LEAST),
        ([index for index, column in enumerate(columns) if not column.right], _LEAST),
        (range(len(columns)), 0),
    ):
        for index in sorted(giving_way, key=lambda each: -widths[each]):
            cut = max(min(excess, widths[index] - max(least, cells_of(columns[index].title))), 0)
            widths[index] -= cut
            excess -= cut
    for index, need in enumerate(needed):
        more = min(need - widths[index], -excess) if excess < 0 else 0
        widths[index] += more
        excess += more
    lines = [[column.title for column in columns], *cells]
    return [
        "  ".join(
            _pad(fit(cell, size), size, right=column.right)
            for cell, size, column in zip(line, widths, columns, strict=True)
        ).rstrip()
        for line in lines
    ]


def wrapped(text: str, first: str = "", rest: str | None = None, width: int = WIDTH) -> list[str]:
    """A paragraph; `first` begins its first line, `rest` the others."""
    indent = " " * len(first) if rest is None else rest
    return textwrap.wrap(
        printable(text), width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False
    ) or [first.rstrip()]


def fit(text: str, width: int) -> str:
    """The text, made printable, in at most `width` terminal cells."""
    shown = printable(text)
    if cells_of(shown) <= width:
        return shown
    kept, used = "", 0
    for character in shown:
        used += _cells(character)
        if used > width - 1:
            break
        kept += character
    return f"{kept}…"


def cells_of(text: str) -> int:
    """The number of terminal cells of a text: wide characters take two, combining characters none."""
    return sum(map(_cells, text))


def _pad(text: str, width: int, *, right: bool) -> str:
    fill = " " * (width - cells_of(text))
    return fill + text if right else text + fill


def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
