"""Every member of every group, by the RPC of the group's type, and every group whose members are not all known.

A group whose description was refused, is missing, or may be incomplete has one further row, with the reason; its
members that were read have rows, too. A member that reports no partitions has null, never 0, and so has a member that
may have more than it reports: what it reports is listed.
"""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.group_members.columns import GROUP_MEMBERS
from kafka_census.tables.shared.group_reads import GIVES_UP, TOPOLOGY, UNREPORTED, assigned, described_groups, members
from kafka_census.tables.shared.items import newest

_MEMBER = ["group_id", "member_id"]
_TOLD = ("client_id", "client_host", "instance_id", "rack_id", "assignment", "tasks", "gives_up", "assignor", *TOPOLOGY)


def group_members(
    *,
    groups: DataFrame,
    classic: DataFrame,
    consumer: DataFrame,
    share: DataFrame,
    streams: DataFrame,
    topics: DataFrame,
    missing: Sequence[MissingRead],
) -> DataFrame:
    """One row per member, and one per group whose members were not all read. Columns: those of `GROUP_MEMBERS`.

    Inputs are items: groups of ListGroups; classic, consumer, share and streams of the RPCs that describe them; topics
    of Metadata; and the missing reads.
    """
    described = members(classic=classic, consumer=consumer, share=share, streams=streams)
    kept = described_groups(groups, described, missing)
    last = F.max_by(F.struct(*_TOLD, "received_at"), "received_at").alias("last")
    each = described.where(F.col("member_id").isNotNull()).groupBy(*_MEMBER).agg(last).select(*_MEMBER, "last.*")
    is_told = F.col("assignment").isNotNull()
    nothing, no_names = F.array().cast(GROUP_MEMBERS.schema["assignment"].dataType), F.array().cast("array<string>")
    of_members = (
        each.join(_by_topic(each, topics), _MEMBER, "left")
        .join(kept, "group_id")
        .withColumns(
            {
                "observed_at": F.greatest("described_at", "received_at"),
                "status": F.lit("described"),
                "reason": F.lit(None).cast("string"),
                "partitions": F.when(is_told & ~F.col("gives_up"), F.coalesce("held", F.lit(0))).cast("int"),
                "assignment": F.coalesce("by_topic", nothing),
                "assignment_reason": F.when(~is_told, F.lit(UNREPORTED)).when(F.col("gives_up"), F.lit(GIVES_UP)),
                "subtopologies": F.col("described_subtopologies"),
                "source_topics": F.coalesce("described_topics", no_names),
                "stores": F.coalesce("stores", no_names),
            }
        )
    )
    of_groups = kept.where(F.col("members_reason").isNotNull()).withColumns(
        {
            "observed_at": F.col("described_at"),
            "member_id": F.lit(""),
            "status": F.lit("not_read"),
            "reason": F.col("members_reason"),
            "assignment": nothing,
            "source_topics": no_names,
            "stores": no_names,
        }
    )
    columns = [name for name in GROUP_MEMBERS.computed.names if name in of_groups.columns]
    return (
        of_members.select(*GROUP_MEMBERS.computed.names)
        .unionByName(of_groups.select(*columns), allowMissingColumns=True)
        .select(*GROUP_MEMBERS.computed.names)
    )


def _by_topic(each: DataFrame, topics: DataFrame) -> DataFrame:
    """One row per member with partitions: the partitions by topic, and their number."""
    sizes = newest(topics, "topic", "partition_count")
    by_topic = (
        assigned(each, sizes)
        .groupBy(*_MEMBER, "topic")
        .agg(F.sort_array(F.collect_set("partition")).alias("partitions"))
    )
    return by_topic.groupBy(*_MEMBER).agg(
        F.sort_array(F.collect_list(F.struct("topic", "partitions"))).alias("by_topic"),
        F.sum(F.size("partitions")).alias("held"),
    )


GROUP_MEMBERS_TRANSFORM = Transform(
    GROUP_MEMBERS,
    group_members,
    {
        "groups": ("ListGroups", "groups"),
        "classic": ("DescribeGroups", "groups"),
        "consumer": ("ConsumerGroupDescribe", "groups"),
        "share": ("ShareGroupDescribe", "groups"),
        "streams": ("StreamsGroupDescribe", "groups"),
        "topics": ("Metadata", "names"),
    },
)
