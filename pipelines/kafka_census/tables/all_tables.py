"""The declarations of all tables: the published ones, and those in which the census keeps account of itself."""

from collections.abc import Collection, Iterable, Iterator

from kafka_census.declarations.alerts import ALERTS
from kafka_census.declarations.audit import CENSUS_AUDIT_TABLES
from kafka_census.declarations.deletions import DELETION_AUDIT_TABLES
from kafka_census.declarations.table import Table
from kafka_census.tables import NAMES, part


def _after_their_parts(tables: Iterable[Table]) -> Iterator[Table]:
    for table in tables:
        yield from _after_their_parts((*table.made_of, *table.if_there))
        yield table


TABLES: tuple[Table, ...] = tuple(dict.fromkeys(_after_their_parts(part(name, "columns") for name in NAMES)))
"""Every published table; a table comes after the tables that it is made of."""

AUDIT_TABLES = (*CENSUS_AUDIT_TABLES, ALERTS, *DELETION_AUDIT_TABLES)
"""Every audit table."""


def tables_named(names: Collection[str]) -> tuple[Table, ...]:
    """The tables of these names, and the tables that they are made of, in the order of `TABLES`."""
    wanted = set(names)
    for table in reversed(TABLES):
        if table.name in wanted:
            wanted |= {other.name for other in table.made_of}
    return tuple(table for table in TABLES if table.name in wanted)
