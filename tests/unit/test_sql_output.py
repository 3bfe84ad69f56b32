"""Results as text: a table that fits and drives no terminal, CSV and JSON that are exact."""

import io
import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from harness.hostile import HOSTILE, assert_harmless
from kafka_census.errors import BadQuery
from kafka_census.reading.sql.output import FORMATS, MOST_ROWS
from kafka_census.reading.sql.session import Result
from kafka_census.terminal.columns import cells_of
from unit.test_progress import Terminal

NOON, AT_NOON = datetime(2026, 11, 21, 12, 0, 0, 5, tzinfo=UTC), "2026-11-21T12:00:00.000005Z"


def written(form: str, columns: Sequence[str], *rows: tuple[Any, ...], out: io.StringIO | None = None) -> str:
    out = out or io.StringIO()
    FORMATS[form](Result(columns, iter(rows)), out)
    return out.getvalue()


def test_a_table_tells_null_from_text() -> None:
    """Text that is empty or could be taken for null is quoted, and so is what begins with a quote."""
    rows = [(None, 1), ("", 22), ("NULL", None), ("'x'", 4), ("plain", 5)]
    assert written("table", ["name", "n"], *rows) == (
        "name        n\nNULL        1\n''         22\n'NULL'   NULL\n'''x'''     4\nplain       5\n(5 rows)\n\n"
    )


@pytest.mark.parametrize("columns", [2, 30])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_table_is_no_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: int, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    names = [f"column_{number}" for number in range(columns)]
    text = written("table", names, tuple("long words " * 20 for _ in names), tuple(range(columns)))
    assert max(map(cells_of, text.splitlines())) <= width
    assert ("-- row 2 ---" in text) == (columns == 30)
    assert all(name in text for name in names)


def test_a_table_ends_in_time() -> None:
    rows = iter([(number,) for number in range(3 * MOST_ROWS)])
    out = io.StringIO()
    FORMATS["table"](Result(["n"], rows), out)
    assert out.getvalue().endswith(f"{MOST_ROWS - 1}\n(the first 1,000 rows; --format csv or json has all)\n\n")
    assert len(list(rows)) >= 2 * MOST_ROWS - 1


def test_no_rows_are_said_to_be_none() -> None:
    assert written("table", ["a", "b"]) == "a  b\n(0 rows)\n\n"
    assert written("csv", ["a", "b"]) == "a,b\n"
    assert written("json", ["a", "b"]) == ""


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_names_of_kafka_drive_no_terminal(form: str) -> None:
    text = written(form, ["\x1b[2Jpwned", *"bc"], *((name, [name], {"a": name}) for name in HOSTILE), out=Terminal())
    assert_harmless(text)
    assert len(text.splitlines()) >= len(HOSTILE)


def test_csv_is_exact() -> None:
    odd = (None, "", "a,b", 'say "so"', "two\nlines", "\x1b[2J")
    text = written("csv", list("abcdef"), odd, (True, 2**63, 0.1, Decimal("1.50"), NOON, [1, None]))
    first = 'a,b,c,d,e,f\n,"","a,b","say ""so""","two\nlines",\x1b[2J\n'
    assert text == f'{first}true,9223372036854775808,0.1,1.50,{AT_NOON},"[1, null]"\n'


def test_json_is_exact() -> None:
    """One object per line; a reader of JSON gets back what was there, with every digit and in ASCII."""
    values: dict[str, tuple[Any, Any]] = {
        "null": (None, None),
        "text": ("größe \x1b\u2028😀", "größe \x1b\u2028😀"),
        "large": (2**63, 2**63),
        "decimal": (Decimal("0.10000000000000000001"), Decimal("0.10000000000000000001")),
        "nested": ([{"a": [1.5, None], "at": NOON}], [{"a": [Decimal("1.5"), None], "at": AT_NOON}]),
        "day": (date(2026, 11, 21), "2026-11-21"),
        "bytes": (b"\x00\xff", "00ff"),
        "no_number": (float("nan"), "NaN"),
        "endless": (float("-inf"), "-Infinity"),
        "took": (timedelta(hours=1), "1:00:00"),
    }
    text = written("json", list(values), tuple(value for value, _ in values.values()))
    assert text.isascii()
    assert json.loads(text, parse_float=Decimal) == {name: shown for name, (_, shown) in values.items()}
    assert len(written("json", ["a"], ("x\ny",), ("z",)).splitlines()) == 2


def test_json_does_not_lose_a_column_that_has_the_name_of_another() -> None:
    with pytest.raises(BadQuery, match=r"^two columns have the name a, which JSON does not allow: name them with"):
        written("json", ["a", "b", "a"], (1, 2, 3))
