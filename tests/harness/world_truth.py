"""The true rows of published tables for a calm emulated world, and the differences of published rows.

For most columns the world has the value. For sentences, and for `ONLY_THERE`, only the presence of a value is
compared: the values are texts for people, times, or hashes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from harness import true_groups, true_partitions
from harness.known_world import KnownWorld, Row
from kafka_census.tables import TABLES
from kafka_census.tables.table import Table

ONLY_THERE: Mapping[str, str] = {
    "census_id": "a census' own",
    "cluster": "its name in the configuration",
    "previous_census_id": "a census' own",
    "observed_at": "the clock",
    "empty_since": "the clock",
    "offsets_unchanged_since": "the clock",
    "min_isr_broker_id": "any broker may have reported the minimum",
    "offsets_fingerprint": "a hash; see the test of what it tells apart",
    "offset_hashes": "hashes; see the test of what is new",
}
"""Columns that are compared only for null, and why. So are all columns whose names end in `reason`."""

WORDS = frozenset({"drain_reason"})
"""Columns whose names end so and that are no sentences."""


SHOWN = 3
"""The number of differences that a message shows."""

TRUTHS: Mapping[str, Callable[[KnownWorld], Iterator[Row]]] = {
    table.name: getattr(module, table.name)
    for table in TABLES
    for module in (true_groups, true_partitions)
    if hasattr(module, table.name)
}
"""The function that returns a table's true rows, without the columns of the census, by table.

Partitions, moves and groups: of these a large world has trouble of more kinds than real brokers can be brought into.
All tables are held against real brokers by tests/trouble.
"""

TRUE_TABLES = tuple(table for table in TABLES if table.name in TRUTHS)


def true_rows(table: Table, known: KnownWorld) -> dict[tuple[Any, ...], Row]:
    """All rows of a table by key, comparable: every column, and no other."""
    of_census = {"census_id": True, "cluster_id": known.world.cluster_id, "cluster": True, "observed_at": True}
    rows = [{**of_census, **row} for row in TRUTHS[table.name](known)]
    return _by_key(table, (_comparable(row) for row in rows))


def published_rows(table: Table, rows: Iterable[Row]) -> dict[tuple[Any, ...], Row]:
    """Published rows by key, made comparable: columns of `ONLY_THERE` become their presence."""
    there = ({name: value is not None if _only_there(name) else value for name, value in row.items()} for row in rows)
    return _by_key(table, map(_comparable, there))


def differences(published: Mapping[Any, Row], true: Mapping[Any, Row]) -> list[str]:
    """The differences, a line each, with their number in the first line; empty without differences."""
    found = [
        *(f"{key} is missing" for key in true.keys() - published.keys()),
        *(f"{key} is not so" for key in published.keys() - true.keys()),
        *_otherwise(published, true),
    ]
    return [f"{len(found)} of {len(true)} rows", *sorted(found)[:SHOWN]] if found else []


def _otherwise(published: Mapping[Any, Row], true: Mapping[Any, Row]) -> Iterator[str]:
    for key in published.keys() & true.keys():
        row, so = published[key], true[key]
        if row != so:
            names = sorted(name for name in row.keys() | so.keys() if row.get(name, ...) != so.get(name, ...))
            reported = (f"{name} {row.get(name, 'absent')!r}, not {so.get(name, 'absent')!r}" for name in names)
            yield f"{key}: {'; '.join(reported)}"


def _only_there(name: str) -> bool:
    return name in ONLY_THERE or (name.endswith("reason") and name not in WORDS)


def _by_key(table: Table, rows: Iterable[Row]) -> dict[tuple[Any, ...], Row]:
    """Rows by key; asserts that each key occurs once."""
    found: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        key = tuple(row[name] for name in table.key)
        assert key not in found, f"{table.name} has {key} twice"
        found[key] = row
    return found


def _comparable(row: Row) -> Row:
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(map(_plain, value.values()))
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value
