"""Where each group's coordinator is: by formula, by listing, and as Kafka answers; see `placement`."""

from collections.abc import Sequence

from pyspark.sql import DataFrame

from kafka_census.declarations.transform import Transform
from kafka_census.declarations.walks import OFFSETS_TOPIC
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.shared.placement import Placed, placement

_GROUPS = Placed(
    id="group_id",
    noun="group",
    topic=OFFSETS_TOPIC,
    partition="offsets_partition",
    listing=("ListGroups", "groups"),
    listed=("group_type", "group_state", "protocol_type"),
    finding=("FindCoordinator", "groups"),
)


def group_coordinator_placement(
    *,
    groups: DataFrame,
    coordinators: DataFrame,
    partitions: DataFrame,
    topics: DataFrame,
    brokers: DataFrame,
    missing: Sequence[MissingRead],
) -> DataFrame:
    """One row per group id. Columns: those of `GROUP_COORDINATOR_PLACEMENT`.

    Inputs are items: groups of ListGroups, coordinators of FindCoordinator, partitions of DescribeTopicPartitions,
    topics of Metadata, brokers of DescribeCluster; and the missing reads.
    """
    placed = placement(
        _GROUPS,
        listing=groups,
        coordinators=coordinators,
        partitions=partitions,
        topics=topics,
        brokers=brokers,
        missing=missing,
    )
    return placed.select(*GROUP_COORDINATOR_PLACEMENT.computed.names)


GROUP_COORDINATOR_PLACEMENT_TRANSFORM = Transform(
    GROUP_COORDINATOR_PLACEMENT,
    group_coordinator_placement,
    {
        "groups": ("ListGroups", "groups"),
        "coordinators": ("FindCoordinator", "groups"),
        "partitions": ("DescribeTopicPartitions", "topics"),
        "topics": ("Metadata", "names"),
        "brokers": ("DescribeCluster", "cluster"),
    },
)
