"""Resources whose configs were not read; all configs are only counted."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value
from kafka_census.tables.configs.columns import CONFIGS, SOURCES
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    known: Counts = {source: number for source, number in counts.items() if source in SOURCES}
    lines = [f"{counted(sum(known.values()), 'config')} by source: {by_value(known, SOURCES)}"] if known else []
    if sums["sensitive"]:
        lines.append(f"{counted(sums['sensitive'], 'config')} whose value Kafka hides")
    return lines or ["no configs"]


def _cells(row: Row) -> Sequence[str]:
    return row.resource_type, row.resource_name, "?"


CONFIGS_VIEW = View(
    table=CONFIGS,
    headline="configs of topics and brokers",
    rows_are="resources",
    group_by="source",
    sums=(("sensitive", "is_sensitive"),),
    only="reason IS NOT NULL",
    order=("resource_type", "resource_name"),
    columns=(Shown("of", 6), Shown("name"), Shown("configs", 7, right=True)),
    cells=_cells,
    note=lambda row: row.reason,
    noted=2,
    totals=_totals,
    calm="the configs of every topic and broker were read",
)
