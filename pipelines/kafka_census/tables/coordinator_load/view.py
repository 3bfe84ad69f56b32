"""Every broker with its load; first brokers without which groups or transactional ids would have no coordinator."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, text
from kafka_census.tables.coordinator_load.columns import COORDINATOR_LOAD
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted

_STATES = ("not_alive", "fenced", "unknown", "alive")


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    lines = [f"{counted(total, 'broker')}: {by_value(counts, _STATES)}"] if total else ["no brokers"]
    if sums["stranded"]:
        lines.append(f"{sums['stranded']:,} groups and transactional ids have only one broker to coordinate them")
    lines += [
        f"the spread of {kind.replace('_', ' ')} over partitions is {word}"
        for kind in ("groups", "transactional_ids")
        for word in ("unlucky", "wrong")
        if sums[f"{kind}_{word}"]
    ]
    return lines


def _cells(row: Row) -> Sequence[str]:
    expected = "-" if row.groups_expected is None else f"{row.groups_expected:.1f}"
    return (
        text(row.broker_id),
        row.broker_state,
        f"{text(row.offsets_partitions_led)}/{text(row.transactions_partitions_led)}",
        text(row.groups),
        expected,
        text(row.members),
        text(row.transactional_ids),
        text((row.groups_stranded or 0) + (row.transactional_ids_stranded or 0)),
        ",".join(str(heir.broker_id) for heir in row.if_lost) or "none",
    )


COORDINATOR_LOAD_VIEW = View(
    table=COORDINATOR_LOAD,
    headline="what each broker coordinates, and who would take it over",
    rows_are="brokers",
    group_by="broker_state",
    sums=(
        ("stranded", "coalesce(groups_stranded, 0) + coalesce(transactional_ids_stranded, 0)"),
        ("groups_unlucky", "groups_skew = 'unlucky'"),
        ("groups_wrong", "groups_skew = 'wrong'"),
        ("transactional_ids_unlucky", "transactional_ids_skew = 'unlucky'"),
        ("transactional_ids_wrong", "transactional_ids_skew = 'wrong'"),
    ),
    only="true",
    order=(
        "-(coalesce(groups_stranded, 0) + coalesce(transactional_ids_stranded, 0))",
        "-coalesce(groups, 0)",
        "broker_id",
    ),
    columns=(
        Shown("broker", 6, right=True),
        Shown("state", 9),
        Shown("leads", 9, right=True),
        Shown("groups", 8, right=True),
        Shown("share", 9, right=True),
        Shown("members", 8, right=True),
        Shown("tx ids", 8, right=True),
        Shown("alone", 6, right=True),
        Shown("next"),
    ),
    cells=_cells,
    note=lambda row: row.groups_reason or row.members_reason,
    noted=3,
    totals=_totals,
    calm="no broker is known",
)
