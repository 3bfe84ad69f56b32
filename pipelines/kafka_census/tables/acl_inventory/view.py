"""Dangerous grants; the others are only counted."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, text
from kafka_census.tables.acl_inventory.columns import ACL_INVENTORY, DANGERS
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    if sums["no_authorizer"]:
        return ["no authorizer is configured: everyone may do everything"]
    total = sum(counts.values())
    if not total:
        return ["no ACLs"]
    lines = [f"{counted(total, 'ACL', 'ACLs')}: {by_value(counts, ('allow', 'deny'))}"]
    if sums["dangerous"]:
        lines.append(f"{counted(sums['dangerous'], 'grant')} may be dangerous")
    return lines


def _cells(row: Row) -> Sequence[str]:
    dangers = ", ".join(row.dangers or ()) or "-"
    if not row.resource_type:
        return "everyone", "all", "everything", dangers
    # A star behind the prefix would look like a literal name: groups and ids may end with one.
    prefix = "prefix " if row.pattern_type == "prefixed" else ""
    return text(row.principal), row.operation, f"{row.resource_type} {prefix}{text(row.resource_name)}", dangers


_DANGERS = " + ".join(f"CASE WHEN array_contains(dangers, '{danger}') THEN 1 ELSE 0 END" for danger in DANGERS)
"""The number of dangers; Spark and DuckDB have no function in common for the length of an array."""

ACL_INVENTORY_VIEW = View(
    table=ACL_INVENTORY,
    headline="who may do what",
    rows_are="grants",
    group_by="permission",
    sums=(
        ("dangerous", "is_dangerous"),
        ("no_authorizer", "array_contains(dangers, 'no_authorizer')"),
    ),
    only="is_dangerous",
    order=(f"-({_DANGERS})", "principal", "resource_type", "resource_name", "operation"),
    columns=(Shown("principal"), Shown("may", 16), Shown("on"), Shown("danger")),
    cells=_cells,
    note=lambda row: row.reason,
    noted=3,
    totals=_totals,
    calm="no grant is dangerous by the rules of this census",
)
