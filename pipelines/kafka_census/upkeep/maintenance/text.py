"""Plans of maintenance and migration, as lines of at most 80 columns."""

from collections.abc import Collection, Iterator, Sequence

from kafka_census.declarations.table import Table
from kafka_census.terminal.columns import WIDTH, Shown, fit, table, wrapped
from kafka_census.terminal.human import counted, human_bytes
from kafka_census.upkeep.maintenance.migrate import Change
from kafka_census.upkeep.maintenance.plan import Plan
from kafka_census.upkeep.maintenance.retention import Known

_COLUMNS = (
    Shown("rows that go from"),
    Shown("censuses", right=True),
    Shown("rows", right=True),
    Shown("files", right=True),
    Shown("size", right=True),
)


def plan_lines(plan: Plan) -> Iterator[str]:
    """The plan of one cluster: the censuses to hide, the censuses to clear, and the rows to delete per table."""
    yield fit(f"cluster {', '.join(plan.clusters)} ({plan.cluster_id})", WIDTH)
    yield f"  {counted(plan.visible, 'census', 'censuses')} visible"
    yield from _named("to be retired", plan.retire)
    yield from _named("landed pages too old", plan.clear)
    rows = [
        (each.table.folder, f"{len(each.census_ids):,}", f"{each.rows:,}", f"{each.files:,}", human_bytes(each.size))
        for each in plan.shares
    ]
    yield from (f"  {line}" for line in (table(_COLUMNS, rows, WIDTH - 2) if rows else ["no rows to go"]))


def optimized_lines(tables: Collection[Table]) -> Iterator[str]:
    """The upkeep of the tables, which all clusters share."""
    compact = sum(each.layer in ("audit", "published") for each in tables)
    yield from wrapped(
        f"then OPTIMIZE of {counted(compact, 'table')} and VACUUM of {len(tables):,}: "
        "files deleted more than seven days ago go from the disk; tables without their comment get it"
    )


def change_lines(changes: Sequence[Change]) -> Iterator[str]:
    """The columns that a migration adds, one paragraph per table."""
    for change in changes:
        names = [column.name for column in change.absent] + [f"{name} (empty lists)" for name in change.fill]
        yield from wrapped(", ".join(names), f"{change.table.folder}: ", "    ")


def _named(what: str, censuses: Sequence[Known]) -> Iterator[str]:
    if censuses:
        first, last = (one.census.census_id for one in (censuses[0], censuses[-1]))
        which = first if first == last else f"{first} to {last}"
        yield from wrapped(f"{len(censuses):,} {what}: {which}", "  ", "    ")
