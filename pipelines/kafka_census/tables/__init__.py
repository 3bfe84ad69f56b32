"""The published tables: a table is a folder of this room, named in `NAMES`.

`columns.py` declares the table, `transform.py` computes it (a pure function of DataFrames), `rules.py` says what must
hold of it, `view.py` what a terminal shows. What transforms share is in `shared`. `TABLES` are the declarations alone;
`transforms`, `suites` and `views` have the other parts, so that collecting never imports what is computed.
"""

from collections.abc import Collection, Iterable, Iterator
from importlib import import_module
from typing import Any

from kafka_census.declarations.alerts import ALERTS
from kafka_census.declarations.audit import CENSUS_AUDIT_TABLES
from kafka_census.declarations.deletions import DELETION_AUDIT_TABLES
from kafka_census.declarations.table import Table

NAMES = (
    "under_min_isr_partitions",
    "topic_readiness",
    "group_coordinator_placement",
    "transaction_coordinator_placement",
    "coordinator_load",
    "reassignment_backlog_by_broker",
    "reassignment_backlog",
    "hanging_transactions",
    "group_lag",
    "consumer_lag",
    "group_members",
    "deletable_groups",
    "topics",
    "producer_state",
    "brokers",
    "log_dir_usage",
    "config_drift",
    "acl_inventory",
    "quotas",
    "quorum",
    "scram_users",
    "changes",
)
"""Every published table in the order of the report: those that affect writers first."""


def part(table: str, file: str, suffix: str = "") -> Any:
    """What a file of a table's folder declares: `GROUP_LAG` of columns.py, `GROUP_LAG_VIEW` of view.py."""
    return getattr(import_module(f"{__name__}.{table}.{file}"), f"{table.upper()}{suffix}")


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
