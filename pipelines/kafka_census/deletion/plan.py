"""A plan to delete groups: one row per group that its census calls deletable, to delete or to keep, with reasons.

A group is kept if a pattern protects it, if it could not be restored (the offsets of share
groups), or if it was not empty, with unchanged offsets, in every complete census for long
enough.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.declarations.deletions import DELETION_PLAN_GROUPS
from kafka_census.deletion.history import Window, seen
from kafka_census.deletion.rules import DeletionRules, protecting
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.shared.reasons import first_that_holds, words
from kafka_census.terminal.human import human_time


def planned(spark: SparkSession, lake: Lake, plan_id: str, window: Window, rules: DeletionRules) -> DataFrame:
    """One row per deletable group. Columns: those of `DELETION_PLAN_GROUPS`."""
    groups = seen(spark, lake, window).where("deletable")
    placed = store.rows(spark, lake, GROUP_COORDINATOR_PLACEMENT, window.last).select(
        "group_id", F.col("found_coordinator").alias("coordinator")
    )
    rows = groups.join(placed, "group_id", "left").join(_offsets(spark, lake, window), "group_id", "left")
    because, reason = _kept(window, rules)
    return rows.select(
        F.lit(plan_id).alias("plan_id"),
        "cluster_id",
        "group_id",
        F.when(because.isNull(), "delete").otherwise("keep").alias("action"),
        because.alias("because"),
        reason.alias("reason"),
        _risk().alias("risk"),
        *("group_type", "group_state", "protocol_type", "evidence", "empty_since", "censuses_empty", "coordinator"),
        *("offsets_fingerprint", "committed_partitions", "topics", "lag"),
        F.coalesce("offsets", F.array().cast(DELETION_PLAN_GROUPS.schema["offsets"].dataType)).alias("offsets"),
    ).select(*DELETION_PLAN_GROUPS.columns)


def _kept(window: Window, rules: DeletionRules) -> tuple[Column, Column]:
    """Why a group is kept, as a keyword and as a line; null when the plan deletes it."""
    size = len(window.census_ids)
    needed = f"{human_time(rules.empty_for)} and {rules.censuses} complete censuses"
    not_long_enough = words(
        "empty with these offsets in ",
        F.col("censuses_empty"),
        f" of {size} complete censuses since {window.since:%Y-%m-%d %H:%M}Z; it must be so in all of {needed}",
    )
    cases = [
        (protected_by(rules.protect).isNotNull(), "protected", words("protected by ", protected_by(rules.protect))),
        (F.col("group_type") == "share", "cannot_be_restored", F.lit("an undo could not restore a share group")),
        (F.lit(window.lacks is not None), "not_long_enough", F.lit(f"{window.lacks}; {needed} are needed")),
        ((F.col("censuses_empty") < size) | ~F.col("same"), "not_long_enough", not_long_enough),
    ]
    because = first_that_holds(*[(holds, word) for holds, word, _ in cases])
    return because, first_that_holds(*[(holds, line) for holds, _, line in cases])


def protected_by(protect: Sequence[str]) -> Column:
    """The first pattern that the column `group_id` matches; null for none."""
    fits = [F.when(F.col("group_id").rlike(protecting(pattern)), F.lit(pattern)) for pattern in protect]
    return F.coalesce(*fits, F.lit(None).cast("string"))


def _risk() -> Column:
    return (
        F.when(F.array_contains("evidence", "no_offsets"), 0)
        .when(F.array_contains("evidence", "topics_gone"), 1)
        .when(F.col("commits_only"), 3)
        .otherwise(2)
    )


def _offsets(spark: SparkSession, lake: Lake, window: Window) -> DataFrame:
    """One row per group, if consumer_lag was published: its offsets, the number of their topics, and their lag."""
    committed = store.rows(spark, lake, CONSUMER_LAG, window.last).where(F.col("committed_offset").isNotNull())
    one = F.struct("topic", "partition", "committed_offset", "lag")
    return committed.groupBy("group_id").agg(
        F.count_distinct("topic").alias("topics"),
        F.when(F.count("lag") == F.count("*"), F.try_sum("lag")).alias("lag"),
        F.sort_array(F.collect_list(one)).alias("offsets"),
    )
