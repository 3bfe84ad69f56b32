"""The reads of groups of any type: their members, the members' assignments, and whether all of it was reported.

Each type has one RPC that describes its groups, and one that reports its offsets. Here their answers have one shape, so
that a transform over all groups does not need to know the RPCs.

Values that were read are kept although others were not: a reason says that more may be missing. Where a broker's pages
break off, groups that it coordinates may lack members or offsets.

While a consumer or streams group rebalances, its members still read partitions that they are to give up. Consumer
groups are described with these from 4.3 on (ConsumerGroupMember.asConsumerGroupDescribeMember of 3.9.1 to 4.2.1 has the
assigned partitions only), streams groups by no release (StreamsGroupMember leaves out tasks to be revoked up to 4.4.0).
"""

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.group_types import CLASSIC, DESCRIBED_BY, SHARE
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.shared.items import is_true, newest
from kafka_census.tables.shared.reasons import first_that_holds, not_read, not_read_from, words
from kafka_census.tables.shared.releases import is_from

_OFFSETS_BY = {CLASSIC: "OffsetFetch", SHARE: "DescribeShareGroupOffsets"}

UNREPORTED = "the group rebalances, its topology is not known, or its protocol is not the consumer's"
"""Why a member that was described does not report its assignment."""

GIVES_UP = "the group rebalances, and its coordinator does not tell which partitions a member has still to give up"
"""Why a member may have more partitions than it reports."""

_REBALANCES = ("NotReady", "Assigning", "Reconciling")
_TELLS_SINCE = "4.3"
_MEMBER = (
    *("group_id", "error_code", "group_state", "member_id", "client_id", "client_host"),
    *("asked_node_id", "received_at", "instance_id", "rack_id", "assignment", "tasks"),
)
TOPOLOGY = ("topology_status", "described_subtopologies", "described_topics", "stores")
"""What a broker stores of a streams application."""

# A task is the same partition of every topic of its subtopology; null where the topology is not known.
_OF_TASKS = """flatten(transform(active_tasks, task -> flatten(transform(
    filter(subtopologies, one -> one.subtopology = task.subtopology),
    one -> transform(one.topics, topic -> named_struct('topic', topic, 'partitions', task.partitions))))))"""


def members(*, classic: DataFrame, consumer: DataFrame, share: DataFrame, streams: DataFrame) -> DataFrame:
    """One row per member from the items of the four RPCs; one row for a group without members, or with an error.

    `assignment` is the current one, (topic, partitions) each; null where the assignment is not reported. `gives_up` is
    true where the member may still have partitions that it does not report. `assignor` and `TOPOLOGY` are the group's.
    """
    nothing, rebalances = F.lit(None).cast("string"), F.col("group_state").isin(*_REBALANCES)
    told = is_true(is_from(F.col("release_at_least"), _TELLS_SINCE))
    reported = [
        classic.withColumnsRenamed({"group_instance_id": "instance_id", "protocol": "assignor_name"}).withColumn(
            "rack_id", nothing
        ),
        consumer,
        share.withColumn("instance_id", nothing),
    ]
    of_streams = streams.withColumn("assignment", F.expr(_OF_TASKS)).withColumn("tasks", F.lit(True))
    every = [*[frame.withColumn("tasks", F.lit(False)) for frame in reported], of_streams]
    hides = (F.lit(False), rebalances & ~told, F.lit(False), rebalances)
    named = [
        frame.select(
            *(*_MEMBER, *(name for name in TOPOLOGY if name in frame.columns)),
            F.nullif("assignor_name", F.lit("")).alias("assignor"),
            is_true(hidden).alias("gives_up"),
        )
        for frame, hidden in zip(every, hides, strict=True)
    ]
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), named)


def assigned(members: DataFrame, sizes: DataFrame) -> DataFrame:
    """One row per partition and assigned member; `sizes` has topic and partition_count, one row per topic."""
    parts = (
        members.where(F.col("member_id").isNotNull())
        .withColumn("of_topic", F.explode("assignment"))
        .withColumn("topic", F.col("of_topic.topic"))
        .withColumn("partition", F.explode("of_topic.partitions"))
    )
    # Topics of one subtopology may differ in size: a task reads only the topics that have its partition.
    there = F.coalesce(F.col("partition") < F.col("partition_count"), F.lit(True))
    return (
        parts.join(F.broadcast(sizes.select("topic", "partition_count")), "topic", "left")
        .where(~F.col("tasks") | there)
        .select("group_id", "topic", "partition", "member_id", "client_id", "received_at")
    )


def described_groups(groups: DataFrame, members: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """One row per listed group: its type and state, and how its members were read.

    Inputs are items of ListGroups, `members`, and the missing reads.

    members          the number of members that were described; null without a description
    members_reason   why members is null or may be too low
    assigned_reason  why it is unknown whether a partition without a reported member has one
    described_at     when the latest of these answers was received
    """
    listed = newest(groups, "group_id", "census_id", "cluster_id", "group_type", "group_state", "protocol_type")
    listed = listed.withColumnsRenamed({"group_state": "listed_state", "received_at": "listed_at"})
    members_reason = _reason("described", DESCRIBED_BY, missing)
    unread = words(
        F.col("members_unread"), " of ", F.col("members"), f" members do not tell what they have: {UNREPORTED}"
    )
    unsure = F.when(F.col("gives_up"), F.lit(GIVES_UP))
    return listed.join(_described(members), "group_id", "left").select(
        "group_id",
        "census_id",
        "cluster_id",
        "group_type",
        "protocol_type",
        F.coalesce("described_state", "listed_state").alias("group_state"),
        F.when(F.col("described_error") == 0, F.col("members")).cast("int").alias("members"),
        members_reason.alias("members_reason"),
        F.coalesce(members_reason, F.when(F.col("members_unread") > 0, unread), unsure).alias("assigned_reason"),
        F.greatest("listed_at", "described_at").alias("described_at"),
    )


def group_reads(
    groups: DataFrame,
    members: DataFrame,
    offsets: DataFrame,
    share_offsets: DataFrame,
    missing: Sequence[MissingRead],
) -> DataFrame:
    """One row per listed group: `described_groups`, and how its offsets were read.

    Inputs are items of ListGroups, `members`, items of OffsetFetch and DescribeShareGroupOffsets; the missing reads.

    offsets_reason   why offsets of the group may be missing
    reads_at         when the latest of all these answers was received
    """
    described = described_groups(groups, members, missing)
    return described.join(_reported(offsets, share_offsets), "group_id", "left").select(
        *[name for name in described.columns if name != "described_at"],
        _reason("offsets", _OFFSETS_BY, missing).alias("offsets_reason"),
        F.greatest("described_at", "offsets_at").alias("reads_at"),
    )


def is_share() -> Column:
    """Whether `group_type` is a share group's; false for groups of brokers without group types."""
    return is_true(F.col("group_type") == SHARE)


def _described(members: DataFrame) -> DataFrame:
    member = F.col("member_id").isNotNull()
    return members.groupBy("group_id").agg(
        F.max_by("group_state", "received_at").alias("described_state"),
        F.max("error_code").alias("described_error"),
        F.count("member_id").alias("members"),
        F.count_if(member & F.col("assignment").isNull()).alias("members_unread"),
        F.max(member & F.col("gives_up")).alias("gives_up"),
        F.max("asked_node_id").alias("described_node"),
        F.max("received_at").alias("described_at"),
    )


def _reported(offsets: DataFrame, share_offsets: DataFrame) -> DataFrame:
    """One row per group that OffsetFetch or DescribeShareGroupOffsets reported; an error of the group has no topic."""
    columns = ("group_id", "topic", "error_code", "asked_node_id", "received_at")
    answers = offsets.select(*columns).unionByName(share_offsets.select(*columns))
    return answers.groupBy("group_id").agg(
        F.max(F.when(F.col("topic").isNull(), F.col("error_code")).otherwise(0)).alias("offsets_error"),
        F.max("asked_node_id").alias("offsets_node"),
        F.max("received_at").alias("offsets_at"),
    )


def _reason(what: str, rpcs: dict[str, str], missing: Sequence[MissingRead]) -> Column:
    """Why the answer of the RPC for the group's type is missing, is an error, or may be incomplete."""
    rules = []
    for group_type, rpc in rpcs.items():
        error, node = F.col(f"{what}_error"), f"{what}_node"
        refused = words(f"{rpc} answered ", error_name(f"{what}_error"), " for this group")
        silent = F.coalesce(not_read(missing, rpc, "groups"), F.lit(f"{rpc} did not answer for this group"))
        reason = (
            F.when(error.isNull(), silent)
            .when(error != 0, refused)
            .otherwise(not_read_from(missing, rpc, "groups", node))
        )
        rules.append((_is_of(group_type, rpcs), reason))
    return first_that_holds(*rules)


def _is_of(group_type: str, rpcs: dict[str, str]) -> Column:
    """Groups of a type; groups without a type, and of types that have no RPC here, are read as classic groups."""
    kind = F.col("group_type")
    if group_type == CLASSIC:
        return kind.isNull() | ~kind.isin(*[other for other in rpcs if other != CLASSIC])
    return kind == group_type
