"""Transforms: pure functions from landed items to published tables, one file a table.

Each takes one DataFrame a role, by keyword, and returns the table's rows, columns in table order.
Roles are items of a walk (see `items`) or rows of a table that this one is made of, but for two: `gaps`
(a sequence of `Gap`: the pages that are missing or refused in this census, at most one a broker and walk)
and, where `Transform.previous` says so, `previous` (this table's rows of the last published census, or none).
"""

from kafka_census.transforms.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT_TRANSFORM
from kafka_census.transforms.items import items
from kafka_census.transforms.java_hash import java_hash, java_hash_sql, offsets_partition
from kafka_census.transforms.reasons import Gap
from kafka_census.transforms.reassignment_backlog import REASSIGNMENT_BACKLOG_TRANSFORM
from kafka_census.transforms.transform import Transform
from kafka_census.transforms.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS_TRANSFORM

TRANSFORMS = (
    GROUP_COORDINATOR_PLACEMENT_TRANSFORM,
    UNDER_MIN_ISR_PARTITIONS_TRANSFORM,
    REASSIGNMENT_BACKLOG_TRANSFORM,
)
"""Every transform, in the order of `TABLES`."""

__all__ = ["TRANSFORMS", "Gap", "Transform", "items", "java_hash", "java_hash_sql", "offsets_partition"]
