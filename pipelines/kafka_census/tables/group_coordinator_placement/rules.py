"""What must hold for `group_coordinator_placement`.

The table may be empty: a cluster without groups has no rows. It has exactly one row for each group that any broker
listed.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Suite, row_count
from kafka_census.declarations.walks import OFFSETS_TOPIC
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.placement_rules import placement_rules

_RULES = placement_rules(OFFSETS_TOPIC, "offsets_partition")


def _counts(census: Counted) -> DataFrame:
    return census.listed("ListGroups", "groups").agg(F.count_distinct("group_id").alias("groups"))


GROUP_COORDINATOR_PLACEMENT_SUITE = Suite(
    GROUP_COORDINATOR_PLACEMENT,
    _counts,
    _RULES,
    (row_count("groups", "There is one row for each group that was listed."),),
)
