"""SCRAM credentials, those that are the only one of their user and SCRAM-SHA-256 first."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, text
from kafka_census.tables.scram_users.columns import SCRAM_USERS
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    if not total:
        return []
    lines = [f"{counted(total, 'credential')}: {by_value(counts, ('SCRAM-SHA-512', 'SCRAM-SHA-256'))}"]
    if sums["only_sha_256"]:
        lines.append(f"{counted(sums['only_sha_256'], 'user')} cannot log in by SCRAM-SHA-512")
    return lines


def _cells(row: Row) -> Sequence[str]:
    return text(row.user), row.mechanism or "-", text(row.iterations), ", ".join(row.mechanisms or ()) or "-"


SCRAM_USERS_VIEW = View(
    table=SCRAM_USERS,
    headline="who can log in by SCRAM",
    rows_are="credentials",
    group_by="mechanism",
    sums=(("only_sha_256", "only_sha_256"),),
    only="true",
    order=("reason IS NULL", "NOT coalesce(only_sha_256, false)", "iterations", "user", "mechanism"),
    columns=(
        Shown("user"),
        Shown("mechanism", 13),
        Shown("iterations", 10, right=True),
        Shown("all of the user", 28),
    ),
    cells=_cells,
    note=lambda row: row.reason,
    noted=1,
    totals=_totals,
    calm="no SCRAM credentials",
)
