"""One table of a report: its totals and its worst rows as text."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Row

from kafka_census.declarations.view import View
from kafka_census.reading.censuses import Record
from kafka_census.reading.report.found import Found
from kafka_census.terminal.columns import Shown


@dataclass(frozen=True)
class Section:
    """The totals and the worst rows of one table, as text.

    `row_count` is the number of all rows, `shown_rows` of those that the view shows, `rows` are the first of them.
    `totals` count the rows (`rows_are` is their name) by `counted_by`. `failed` are the rules that refused the census.
    """

    table: str
    headline: str
    is_complete: bool
    missing: tuple[str, ...]
    visibility: str
    totals: tuple[str, ...]
    columns: tuple[Shown, ...]
    row_count: int
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    shown_rows: int
    calm: str
    counted_by: str
    rows_are: str
    failed: tuple[str, ...] = ()


def section_of(view: View, judged: Record, found: Found, failed: tuple[str, ...]) -> Section:
    """The section of a table; `judged` is its row of `publications` or `refusals`."""
    cells, notes = _cells(view, found.worst)
    return Section(
        table=view.table.name,
        headline=view.headline,
        is_complete=judged["is_complete"],
        missing=tuple(_pair(each["rpc"], each["broker_id"]) for each in judged["missing"]),
        visibility=judged["visibility"],
        totals=tuple(view.totals(found.counts, found.sums)),
        columns=view.columns,
        row_count=sum(found.counts.values()),
        rows=cells,
        notes=notes,
        shown_rows=found.shown_rows,
        calm=view.calm,
        counted_by=view.group_by,
        rows_are=view.rows_are,
        failed=failed,
    )


def _cells(view: View, shown: Sequence[Row]) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Rows as text and the distinct notes; the cell that a note explains ends with the number of the note.

    What is null, and known by every census that computed the table, is not known: a lake may hold anything.
    """
    notes: list[str] = []
    lines = []
    for row in shown:
        cells = ["?" if cell is None else cell for cell in view.cells(row)]
        note = view.note(row)
        if note:
            if note not in notes:
                notes.append(note)
            cells[view.noted] += f"[{notes.index(note) + 1}]"
        lines.append(tuple(cells))
    return tuple(lines), tuple(notes)


def _pair(rpc: str, broker_id: int | None) -> str:
    return rpc if broker_id is None else f"{rpc} of broker {broker_id}"
