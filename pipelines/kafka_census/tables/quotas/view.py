"""All client quotas."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted, human_bytes

_QUOTAS = ("producer_byte_rate", "consumer_byte_rate", "request_percentage")


def _totals(counts: Counts, _sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    return [f"{counted(total, 'quota')}: {by_value(counts, _QUOTAS)}"] if total else []


def _cells(row: Row) -> Sequence[str]:
    return row.entity, row.quota, "-" if row.value is None else _limit(row.value, row.unit)


def _limit(value: float, unit: str | None) -> str:
    return f"{human_bytes(value)}/s" if unit == "bytes/s" else f"{value:g} {unit or ''}".rstrip()


QUOTAS_VIEW = View(
    table=QUOTAS,
    headline="who is limited to what",
    rows_are="quotas",
    group_by="quota",
    sums=(),
    only="true",
    order=("quota", "value", "entity"),
    columns=(Shown("entity"), Shown("quota", 24), Shown("limit", 16, right=True)),
    cells=_cells,
    note=lambda _row: None,
    noted=2,
    totals=_totals,
    calm="no quotas",
)
