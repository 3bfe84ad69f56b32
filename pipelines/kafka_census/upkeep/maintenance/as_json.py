"""Plans of maintenance and migration as the fields of one JSON object, for scripts."""

from collections.abc import Sequence

from kafka_census.upkeep.maintenance.migrate import Change
from kafka_census.upkeep.maintenance.plan import Plan


def plan_fields(plan: Plan) -> dict[str, object]:
    """The plan of one cluster: the censuses to retire, the censuses to clear, and the bytes to delete per table."""
    return {
        "clusters": plan.clusters,
        "cluster_id": plan.cluster_id,
        "visible": plan.visible,
        "retire": [known.census.census_id for known in plan.retire],
        "clear": [known.census.census_id for known in plan.clear],
        "tables": [
            {
                "table": share.table.folder,
                "censuses": len(share.census_ids),
                "rows": share.rows,
                "files": share.files,
                "bytes": share.size,
            }
            for share in plan.shares
        ],
    }


def migration_fields(changes: Sequence[Change]) -> dict[str, object]:
    """The columns that a migration adds, and the lists that it fills, by table."""
    return {
        "columns": {change.table.folder: [column.name for column in change.absent] for change in changes},
        "filled": {change.table.folder: change.fill for change in changes if change.fill},
    }
