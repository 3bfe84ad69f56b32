"""What of each published table is worth reading on a terminal, and what is worst.

A `View` says which rows are shown and in which order, as Spark SQL expressions, and how a
row becomes cells. Counts are made by Spark over all rows of the census, not over those shown.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Row

from kafka_census.report.text import Shown, counted, human_bytes, human_seconds
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.reassignment_backlog import REASSIGNMENT_BACKLOG
from kafka_census.tables.table import Table
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS

_AGREEMENTS = (
    "no_coordinator", "listed_twice", "formula_differs", "listed_elsewhere", "listed_nowhere", "unknown", "agree",
)  # fmt: skip
_STATUSES = ("OFFLINE", "UNDER", "AT", "UNDER_REPLICATED", "UNKNOWN", "OK")

Counts = Mapping[str, int]


@dataclass(frozen=True)
class View:
    """How one table is told.

    rows_are  what a row stands for
    group_by  the column whose values are counted over all rows
    sums      further totals, name → aggregate, over all rows
    only      which rows are worth showing
    order     the worst first; each ascends
    cells     one row as text
    note      why the cell in column `noted` is unknown; None when it is known
    totals    sentences made of the counts and sums
    calm      what is said when no row is worth showing
    """

    table: Table
    headline: str
    rows_are: str
    group_by: str
    sums: tuple[tuple[str, str], ...]
    only: str
    order: tuple[str, ...]
    columns: tuple[Shown, ...]
    cells: Callable[[Row], Sequence[str]]
    note: Callable[[Row], str | None]
    noted: int
    totals: Callable[[Counts, Counts], Sequence[str]]
    calm: str


def _rank(column: str, values: Sequence[str]) -> str:
    """Position of a value in the order of badness; unknown ones last."""
    words = ", ".join(f"'{value}'" for value in values)
    return f"coalesce(nullif(array_position(array({words}), {column}), 0), 99)"


def _text(value: object) -> str:
    return "-" if value is None else str(value)


def _list(values: Sequence[int] | None) -> str:
    return ",".join(map(str, values or ())) or "none"


def _by_value(counts: Counts, order: Sequence[str]) -> str:
    known = [value for value in order if counts.get(value)]
    other = sorted(value for value in counts if value not in order)
    return ", ".join(f"{counts[value]:,} {value}" for value in (*known, *other))


def _group_totals(counts: Counts, _sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    return [f"{counted(total, 'group')}: {_by_value(counts, _AGREEMENTS)}"] if total else ["no groups"]


def _partition_totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    lines = [f"{counted(total, 'partition')}: {_by_value(counts, _STATUSES)}"] if total else ["no partitions"]
    if sums["not_ready"]:
        lines.append(f"{counted(sums['not_ready'], 'partition')} cannot take an acks=all write now")
    if sums["stuck_groups"]:
        lines.append(f"{counted(sums['stuck_groups'], 'group')} cannot commit offsets")
    return lines


def _backlog_totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    if not total:
        return []
    lines = [f"{counted(total, 'replica')}: {_by_value(counts, ('move', 'log_dir_move', 'remove'))}"]
    lines.append(f"at least {human_bytes(sums['bytes_left'])} left to copy" if sums["unknown"] else
                 f"{human_bytes(sums['bytes_left'])} left to copy")  # fmt: skip
    if sums["unknown"]:
        lines.append(f"{counted(sums['unknown'], 'replica')} with unknown bytes left")
    if sums["stalled"]:
        lines.append(f"{counted(sums['stalled'], 'replica')} stalled since the census before")
    return lines


def _group_cells(row: Row) -> Sequence[str]:
    return (
        row.group_id or '""',
        _text(row.group_state),
        _text(row.offsets_partition),
        _text(row.expected_coordinator),
        _list(row.listed_by),
        _text(row.found_coordinator),
        row.agreement,
    )


def _partition_cells(row: Row) -> Sequence[str]:
    return (
        row.topic,
        _text(row.partition),
        row.status,
        _list(row.isr),
        _list(row.replicas),
        _text(row.min_isr_effective),
        "-" if row.ready_for_acks_all is None else "yes" if row.ready_for_acks_all else "NO",
        _text(row.groups_unable_to_commit),
    )


def _backlog_cells(row: Row) -> Sequence[str]:
    state = "stalled" if row.stalled else human_seconds(row.eta_seconds) if row.eta_seconds is not None else "-"
    rate = "-" if row.bytes_per_second is None else f"{human_bytes(row.bytes_per_second)}/s"
    return (
        row.topic,
        _text(row.partition),
        row.kind,
        _text(row.source_id),
        _text(row.replica_id),
        human_bytes(row.bytes_total),
        human_bytes(row.bytes_left),
        rate,
        state,
    )


VIEWS = (
    View(
        table=UNDER_MIN_ISR_PARTITIONS,
        headline="partitions against their minimum ISR",
        rows_are="partitions",
        group_by="status",
        sums=(
            ("not_ready", "count_if(NOT ready_for_acks_all)"),
            ("stuck_groups", "sum(groups_unable_to_commit)"),
        ),
        only="status <> 'OK'",
        order=(_rank("status", _STATUSES), "-coalesce(groups_unable_to_commit, 0)", "topic", "partition"),
        columns=(
            Shown("topic"),
            Shown("part", 6, right=True),
            Shown("status", 16),
            Shown("isr", 9),
            Shown("replicas", 10),
            Shown("min", 3, right=True),
            Shown("acks", 4),
            Shown("stuck", 6, right=True),
        ),
        cells=_partition_cells,
        note=lambda row: row.groups_unable_to_commit_reason,
        noted=7,
        totals=_partition_totals,
        calm="every partition has the in-sync replicas that it needs",
    ),
    View(
        table=GROUP_COORDINATOR_PLACEMENT,
        headline="who coordinates each group",
        rows_are="groups",
        group_by="agreement",
        sums=(),
        only="agreement <> 'agree'",
        order=(_rank("agreement", _AGREEMENTS), "group_id"),
        columns=(
            Shown("group"),
            Shown("state", 18),
            Shown("part", 5, right=True),
            Shown("expected", 8, right=True),
            Shown("listed", 7),
            Shown("found", 5, right=True),
            Shown("agreement", 16),
        ),
        cells=_group_cells,
        note=lambda row: row.expected_reason,
        noted=3,
        totals=_group_totals,
        calm="formula, listing and FindCoordinator agree on every group",
    ),
    View(
        table=REASSIGNMENT_BACKLOG,
        headline="what is still moving",
        rows_are="replicas",
        group_by="kind",
        sums=(
            ("bytes_left", "sum(bytes_left)"),
            ("unknown", "count_if(bytes_left IS NULL)"),
            ("stalled", "count_if(stalled)"),
        ),
        only="true",
        order=(
            "NOT coalesce(stalled, false)",
            "bytes_left IS NOT NULL",
            "-bytes_left",
            "topic",
            "partition",
            "replica_id",
        ),
        columns=(
            Shown("topic"),
            Shown("part", 6, right=True),
            Shown("kind", 12),
            Shown("from", 5, right=True),
            Shown("to", 5, right=True),
            Shown("size", 9, right=True),
            Shown("left", 9, right=True),
            Shown("rate", 11, right=True),
            Shown("eta", 8, right=True),
        ),
        cells=_backlog_cells,
        note=lambda row: row.bytes_left_reason,
        noted=6,
        totals=_backlog_totals,
        calm="no replica is being added, removed or moved",
    ),
)
"""The tables in the order in which they are told: what hurts writers first."""
