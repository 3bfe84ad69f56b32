"""A row of each table of a lake, for docs/tables.md: `python -m tools.example_rows LAKE`, after `make demo` say.

Rows are kept in example_rows.json beside this file, since the page is generated without a cluster. The row that says
most is taken, that with the fewest nulls. Left out are nulls, the columns that all tables have, and all but the first
elements of lists; the folder of temporary brokers is called as that of lasting ones.
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import kafka_census
from kafka_census.declarations.table import Table
from kafka_census.tables.all_tables import TABLES

FILE = Path(__file__).with_suffix(".json")
HEAD = ("census_id", "cluster_id", "cluster", "observed_at")
"""The columns that every table has."""
ELEMENTS = 3
"""The number of elements of a list that are kept."""

_TEMPORARY = re.compile(r'/[^"\s]*/kafka-census-brokers\.[^/]*')


def example_rows() -> Mapping[str, Mapping[str, Any]]:
    """The kept rows, by table; a table may have none."""
    kept: Mapping[str, Mapping[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return kept


def _fullest(table: Table, rows: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The row with the fewest nulls and empty lists, of those the first by its key."""
    said = [{name: row[name] for name in table.columns if name not in HEAD and row[name] is not None} for row in rows]
    most = min(said, key=lambda row: (-sum(value != [] for value in row.values()), [row[name] for name in table.key]))
    return {name: value[:ELEMENTS] if isinstance(value, list) else value for name, value in most.items()}


def _plain(value: Any) -> str:
    """A time, as JSON has none; other values have a form of their own."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%dT%H:%M:%S.%fZ}"
    raise TypeError(f"no example of {type(value)}")


def main(lake: str) -> None:
    """Keep a row of each table that the lake's last published census has rows of."""
    published = kafka_census.current(lake, *[table.name for table in TABLES])
    rows = {table.name: frame.to_table().to_pylist() for table, frame in zip(TABLES, published, strict=True)}
    kept = {table.name: _fullest(table, rows[table.name]) for table in TABLES if rows[table.name]}
    text = json.dumps(kept, indent=1, ensure_ascii=False, default=_plain)
    FILE.write_text(_TEMPORARY.sub("/var/lib/kafka", text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
