"""Results as text: a table for people, Markdown for a page, CSV and JSON for programs, and Parquet.

CSV and JSON are exact. CSV: an empty field without quotes is null, an empty field with quotes is the
empty string; lists and structs are JSON in their field. JSON: one object per line, ASCII only, numbers with all
their digits. Times are ISO 8601; those with a zone are UTC, with a `Z`. CSV on a terminal shows control characters as
escapes.

A table has at most 1,000 rows and is no wider than the terminal: long cells end in an ellipsis, and where not even
the titles fit side by side, each row is printed with one line per column. NULL is null; the text `NULL` and the empty
text are quoted as in SQL. Markdown has the cells of a table, and every row. Parquet keeps the types.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from itertools import chain, islice
from typing import TYPE_CHECKING, TextIO

from kafka_census.errors import BadQuery, ConfigError
from kafka_census.terminal.columns import Shown, cells_of, table, terminal_width, wrapped
from kafka_census.terminal.display import printable, write_lines
from kafka_census.terminal.human import counted

if TYPE_CHECKING:
    from kafka_census.reading.sql.session import Result, Rows

MOST_ROWS = 1000
"""Largest number of rows of a printed table."""

_MARKS = re.compile(r"[\\`*<|~&]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[:])")
"""What has a meaning inside of a cell of Markdown; an underscore inside of a word has none."""

NO_TERMINAL = "Parquet is not for a terminal: add --output FILE, or send it to another program"


def write_table(result: "Rows", out: TextIO) -> None:
    """Write a table for people, and the number of its rows."""
    width = terminal_width()
    rows = list(islice(result.rows, MOST_ROWS))
    cells = [[_cell(value) for value in row] for row in rows]
    right = _are_numbers(result.columns, rows)
    shown = [Shown(printable(name), right=number) for name, number in zip(result.columns, right, strict=True)]
    lines = table(shown, cells, width)
    if max(map(cells_of, lines)) > width:
        lines = list(_line_per_column(result.columns, cells, width))
    more = next(result.rows, None) is not None
    count = f"the first {MOST_ROWS:,} rows; --format csv or json has all" if more else counted(len(rows), "row")
    write_lines([*lines, f"({count})", ""], out)


def write_csv(result: "Rows", out: TextIO) -> None:
    """Write a line of column names, then one line per row."""
    safe = printable if out.isatty() else str
    for row in chain([result.columns], result.rows):
        print(safe(",".join(map(_field, row))), file=out)


def write_json(result: "Rows", out: TextIO) -> None:
    """Write one object per line. Raises BadQuery where two columns have the same name."""
    _require_names(result, "JSON")
    for row in result.rows:
        print(_json(dict(zip(result.columns, row, strict=True))), file=out)


def write_markdown(result: "Rows", out: TextIO) -> None:
    """Write a table of Markdown, as GitHub and chats show it."""
    rows = list(result.rows)
    numbers = _are_numbers(result.columns, rows)
    lines = [result.columns, ["---:" if number else "---" for number in numbers]]
    lines += [[_cell(value) for value in row] for row in rows]
    write_lines((f"| {' | '.join(map(_in_markdown, line))} |" for line in lines), out)


def write_parquet(result: "Result", out: TextIO) -> None:
    """Write one file of Parquet. Raises BadQuery for what it cannot hold, ConfigError for a terminal."""
    import pyarrow as pa
    from pyarrow import parquet

    if out.isatty():
        raise ConfigError(NO_TERMINAL)
    _require_names(result, "Parquet")
    schema, batches = result.batches()
    try:
        with parquet.ParquetWriter(out.buffer, schema) as file:
            for batch in batches:
                file.write_batch(batch)
    except pa.ArrowNotImplementedError as error:
        raise BadQuery(f"Parquet does not hold a column of this type: CAST it to VARCHAR ({error})") from error


TEXTS: Mapping[str, Callable[["Rows", TextIO], None]] = {
    "table": write_table,
    "csv": write_csv,
    "json": write_json,
    "markdown": write_markdown,
}
"""The functions that write rows as text, by the name of the format."""

FORMATS: Mapping[str, Callable[["Result", TextIO], None]] = {**TEXTS, "parquet": write_parquet}
"""The functions that write the result of a statement."""

ENDINGS = {".csv": "csv", ".json": "json", ".md": "markdown", ".parquet": "parquet"}
"""The format that the end of a file's name stands for."""


def _require_names(result: "Rows", form: str) -> None:
    twice = [name for name, count in Counter(result.columns).items() if count > 1]
    if twice:
        raise BadQuery(f"two columns have the name {twice[0]}, which {form} does not allow: name them with AS")


def _are_numbers(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> list[bool]:
    """Whether a column has only numbers and nulls, for each column."""
    return [all(isinstance(row[index], int | float | Decimal | None) for row in rows) for index in range(len(columns))]


def _in_markdown(cell: str) -> str:
    """A cell that Markdown shows as it is: no emphasis, no link, no HTML, no other cell."""
    return _MARKS.sub(r"\\\g<0>", printable(cell))


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
