"""What is so of a calm emulated world, table by table, and the differences of published rows.

Partitions, moves, placement and lag: of these a large world has trouble of more kinds than real brokers can be brought
into. The columns are those that tell the kinds apart; all columns of all tables are held against real brokers by
tests/trouble.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from harness import true_groups, true_partitions
from harness.known_world import KnownWorld, Row
from kafka_census.declarations.table import Table
from kafka_census.tables.all_tables import TABLES

SHOWN = 3
"""The number of differences that a message shows."""

TRUTHS: Mapping[str, Callable[[KnownWorld], Iterator[Row]]] = {
    table.name: getattr(module, table.name)
    for table in TABLES
    for module in (true_groups, true_partitions)
    if hasattr(module, table.name)
}
"""The function that returns what is so, with the columns of the key and some others, by table."""

TRUE_TABLES = tuple(table for table in TABLES if table.name in TRUTHS)


Rows = Mapping[tuple[Any, ...], Row]


def true_rows(table: Table, known: KnownWorld) -> Rows:
    return published_rows(table, TRUTHS[table.name](known))


def published_rows(table: Table, rows: Iterable[Row]) -> Rows:
    """Rows by key, lists as tuples; asserts that each key occurs once."""
    found: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        key = tuple(row[name] for name in table.key)
        assert key not in found, f"{table.name} has {key} twice"
        found[key] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return found


def differences(published: Rows, true: Rows) -> list[str]:
    """The differences, a line each, with their number in the first line; empty without differences."""
    found = [
        *(f"{key} is missing" for key in true.keys() - published.keys()),
        *(f"{key} is not so" for key in published.keys() - true.keys()),
    ]
    for key in published.keys() & true.keys():
        row, so = published[key], true[key]
        reported = [f"{name} {row[name]!r}, not {value!r}" for name, value in so.items() if row[name] != value]
        found += [f"{key}: {'; '.join(reported)}"] if reported else []
    return [f"{len(found)} of {len(true)} rows", *sorted(found)[:SHOWN]] if found else []
