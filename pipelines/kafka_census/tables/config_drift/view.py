"""Configs that are not as desired, changed, or differ between brokers; other configs are only counted."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, rank, text
from kafka_census.tables.config_drift.columns import CONFIG_DRIFT
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted

_KINDS = ("not_desired", "since_before", "between_brokers", "not_read", "not_default")


def _totals(counts: Counts, _sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    return [f"{counted(total, 'row')}: {by_value(counts, _KINDS)}"] if total else ["no config is set"]


def _cells(row: Row) -> Sequence[str]:
    return row.kind, f"{row.resource_type} {row.resource_name}", row.name, text(row.value), text(row.expected)


CONFIG_DRIFT_VIEW = View(
    table=CONFIG_DRIFT,
    headline="configs that are not as they should be",
    rows_are="configs",
    group_by="kind",
    sums=(),
    only="kind <> 'not_default'",
    order=(rank("kind", _KINDS), "resource_type", "resource_name", "name"),
    columns=(Shown("kind", 15), Shown("of"), Shown("config"), Shown("is", 12), Shown("should be", 12)),
    cells=_cells,
    note=lambda row: row.reason if row.value is None else None,
    noted=3,
    totals=_totals,
    calm="no config changed, differs between brokers or is other than desired",
)
