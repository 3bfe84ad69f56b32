"""Transforms: pure functions from landed items to published tables, one file a table.

Each takes one DataFrame a role, by keyword, and returns the table's rows, columns in table order.
Roles are items of a walk (see `items`), but for two: `gaps` (a sequence of `Gap`: the pages that are
missing or refused in this census, at most one a broker and walk) and, where `Transform.previous` says
so, `previous` (this table's rows of the last published census, or none).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame

from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.reassignment_backlog import REASSIGNMENT_BACKLOG
from kafka_census.tables.table import Table
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS
from kafka_census.transforms.group_coordinator_placement import group_coordinator_placement
from kafka_census.transforms.items import items
from kafka_census.transforms.java_hash import java_hash, java_hash_sql, offsets_partition
from kafka_census.transforms.reasons import Gap
from kafka_census.transforms.reassignment_backlog import reassignment_backlog
from kafka_census.transforms.under_min_isr_partitions import under_min_isr_partitions


@dataclass(frozen=True)
class Transform:
    """How a table is computed: `function(**roles, gaps=...)`, with `previous=...` too where `previous` is true.

    `inputs` gives each role its walk: (rpc, scope).
    """

    table: Table
    function: Callable[..., DataFrame]
    inputs: Mapping[str, tuple[str, str]]
    previous: bool = False


TRANSFORMS = (
    Transform(
        GROUP_COORDINATOR_PLACEMENT,
        group_coordinator_placement,
        {
            "groups": ("ListGroups", "groups"),
            "coordinators": ("FindCoordinator", "groups"),
            "partitions": ("DescribeTopicPartitions", "topics"),
            "topics": ("Metadata", "names"),
            "brokers": ("DescribeCluster", "cluster"),
        },
    ),
    Transform(
        UNDER_MIN_ISR_PARTITIONS,
        under_min_isr_partitions,
        {
            "partitions": ("DescribeTopicPartitions", "topics"),
            "topic_configs": ("DescribeConfigs", "topics"),
            "broker_configs": ("DescribeConfigs", "brokers"),
            "topics": ("Metadata", "names"),
            "reassignments": ("ListPartitionReassignments", "cluster"),
            "groups": ("ListGroups", "groups"),
        },
    ),
    Transform(
        REASSIGNMENT_BACKLOG,
        reassignment_backlog,
        {
            "reassignments": ("ListPartitionReassignments", "cluster"),
            "partitions": ("DescribeTopicPartitions", "topics"),
            "log_dirs": ("DescribeLogDirs", "log_dirs"),
        },
        previous=True,
    ),
)
"""Every transform."""

__all__ = ["TRANSFORMS", "Gap", "Transform", "items", "java_hash", "java_hash_sql", "offsets_partition"]
