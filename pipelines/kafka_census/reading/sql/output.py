"""Results as text: a table for people, CSV and JSON for programs.

CSV and JSON are exact. CSV: an empty field without quotes is null, an empty field with quotes is the
empty string; lists and structs are JSON in their field. JSON: one object per line, ASCII only, numbers with all
their digits. Times are ISO 8601; those with a zone are UTC, with a `Z`. CSV on a terminal shows control characters as
escapes.

A table has at most 1,000 rows and is no wider than the terminal: long cells end in an ellipsis, and where not even
the titles fit side by side, each row is printed with one line per column. NULL is null; the text `NULL` and the empty
text are quoted as in SQL.
"""

import json
import math
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, time
from decimal import Decimal
from itertools import chain, islice
from typing import TYPE_CHECKING, TextIO

from kafka_census.errors import BadQuery
from kafka_census.terminal.columns import WIDTH, Shown, cells_of, table, wrapped
from kafka_census.terminal.display import printable, write_lines
from kafka_census.terminal.human import counted

if TYPE_CHECKING:
    from kafka_census.reading.sql.session import Result

MOST_ROWS = 1000
"""Largest number of rows of a printed table."""


def write_table(result: "Result", out: TextIO) -> None:
    """Write a table for people, and the number of its rows."""
    width = shutil.get_terminal_size((WIDTH, 1)).columns
    rows = list(islice(result.rows, MOST_ROWS))
    cells = [[_cell(value) for value in row] for row in rows]
    shown = [
        Shown(printable(name), right=all(isinstance(row[index], int | float | Decimal | None) for row in rows))
        for index, name in enumerate(result.columns)
    ]
    lines = table(shown, cells, width)
    if max(map(cells_of, lines)) > width:
        lines = list(_line_per_column(result.columns, cells, width))
    more = next(result.rows, None) is not None
    count = f"the first {MOST_ROWS:,} rows; --format csv or json has all" if more else counted(len(rows), "row")
    write_lines([*lines, f"({count})", ""], out)


def write_csv(result: "Result", out: TextIO) -> None:
    """Write a line of column names, then one line per row."""
    safe = printable if out.isatty() else str
    for row in chain([result.columns], result.rows):
        print(safe(",".join(map(_field, row))), file=out)


def write_json(result: "Result", out: TextIO) -> None:
    """Write one object per line. Raises BadQuery where two columns have the same name."""
    twice = [name for name, count in Counter(result.columns).items() if count > 1]
    if twice:
        raise BadQuery(f"two columns have the name {twice[0]}, which JSON does not allow: name them with AS")
    for row in result.rows:
        print(_json(dict(zip(result.columns, row, strict=True))), file=out)


FORMATS = {"table": write_table, "csv": write_csv, "json": write_json}
"""The functions that write a result, by the name of the format."""


def _line_per_column(names: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    titles = [printable(name) for name in names]
    longest = max(map(len, titles))
    for number, row in enumerate(rows, 1):
        yield f"-- row {number} ".ljust(width, "-")
        for title, cell in zip(titles, row, strict=True):
            yield from wrapped(cell, f"{title:{longest}}  ", width=width)


def _cell(value: object) -> str:
    if isinstance(value, str) and (value in ("", "NULL") or value.startswith("'")):
        doubled = value.replace("'", "''")
        return f"'{doubled}'"
    return "NULL" if value is None else _text(value)


def _field(value: object) -> str:
    text = "" if value is None else _text(value)
    if (text == "" and value is not None) or any(each in text for each in ',"\r\n'):
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def _text(value: object) -> str:
    """A value that is not null, as text outside of lists and structs."""
    match value:
        case date() | time():
            return value.isoformat().replace("+00:00", "Z")
        case bytes():
            return value.hex()
        case Decimal():
            return f"{value:f}"
        case bool() | float():
            return json.dumps(value)
        case dict() | list() | tuple():
            return _json(value)
        case _:
            return str(value)


def _json(value: object) -> str:
    match value:
        case dict():
            return f"{{{', '.join(f'{json.dumps(str(key))}: {_json(each)}' for key, each in value.items())}}}"
        case list() | tuple():
            return f"[{', '.join(map(_json, value))}]"
        case None:
            return "null"
        case float() if not math.isfinite(value):
            return json.dumps(_text(value))
        case bool() | int() | float() | Decimal():
            return _text(value)
        case _:
            return json.dumps(_text(value))
