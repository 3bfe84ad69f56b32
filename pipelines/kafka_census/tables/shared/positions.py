"""The position of each group in each partition: the answer of its offset RPC, and the members assigned.

With millions of rows, only what must be sorted is sorted: numbers are aggregated by hash, texts are joined separately
where there are any, and members are collected by partition only in groups where two members share a partition.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.tables.shared.group_reads import assigned

KEY = ["group_id", "topic", "partition"]
_NUMBERS = ("error_code", "offset", "leader_epoch", "share_lag")
_PARTITIONS = "flatten(transform(assignment, one -> transform(one.partitions, p -> concat(one.topic, '/', p))))"


def positions(*, offsets: DataFrame, share_offsets: DataFrame, members: DataFrame, sizes: DataFrame) -> DataFrame:
    """One row per group and partition that is committed, or that a member is assigned.

    Inputs are items of OffsetFetch and DescribeShareGroupOffsets, `group_reads.members`, and topic and partition_count,
    one row per topic.

    reported          error_code, offset, leader_epoch, share_lag and metadata as last received; null if nothing
    committed_offset  its offset
    member_ids        members assigned the partition; empty where no member is known to be assigned
    client_ids        the client ids of these members
    position_at       when the latest of these answers was received
    """
    # Each shuffle partition of one side fits into memory, so that neither side is sorted.
    both = _reported(offsets, share_offsets).join(_held(members, sizes).hint("shuffle_hash"), KEY, "full_outer")
    nobody = F.array().cast("array<string>")
    return both.select(
        *KEY,
        "reported",
        F.col("reported.offset").alias("committed_offset"),
        F.coalesce("member_ids", nobody).alias("member_ids"),
        F.coalesce("client_ids", nobody).alias("client_ids"),
        F.greatest("reported_at", "held_at").alias("position_at"),
    )


def _reported(offsets: DataFrame, share_offsets: DataFrame) -> DataFrame:
    """One row per group and partition that an offset RPC reported: `reported` and `reported_at`."""
    columns = (*KEY, "error_code", "leader_epoch", "received_at")
    committed = offsets.select(
        *columns,
        F.col("committed_offset").alias("offset"),
        F.col("metadata").isNotNull().alias("noted"),
        (F.col("metadata") != "").alias("worded"),
    )
    started = share_offsets.select(*columns, F.col("start_offset").alias("offset"), F.col("lag").alias("share_lag"))
    answers = committed.unionByName(started, allowMissingColumns=True).where(F.col("topic").isNotNull())
    numbers = answers.groupBy(*KEY).agg(
        *[F.max_by(name, "received_at").alias(name) for name in (*_NUMBERS, "noted", "worded")],
        F.max("received_at").alias("reported_at"),
    )
    texts = offsets.where((F.col("metadata") != "") & F.col("topic").isNotNull())
    texts = texts.groupBy(*KEY).agg(F.max_by("metadata", "received_at").alias("words"))
    metadata = F.when(F.col("worded"), F.col("words")).when(F.col("noted"), F.lit("")).alias("metadata")
    reported = F.struct(*_NUMBERS, metadata).alias("reported")
    return numbers.join(texts.hint("shuffle_hash"), KEY, "left").select(*KEY, reported, "reported_at")


def _held(members: DataFrame, sizes: DataFrame) -> DataFrame:
    """One row per group and partition assigned to members: the members, and `held_at`."""
    partitions = members.groupBy("group_id").agg(F.flatten(F.collect_list(F.expr(_PARTITIONS))).alias("partitions"))
    shared = partitions.where(F.size("partitions") > F.size(F.array_distinct("partitions"))).select("group_id")
    each = assigned(members, sizes).withColumnRenamed("received_at", "held_at")
    alone = each.join(F.broadcast(shared), "group_id", "left_anti")
    several = (
        each.join(F.broadcast(shared), "group_id", "left_semi")
        .groupBy(*KEY)
        .agg(
            F.sort_array(F.collect_set("member_id")).alias("member_ids"),
            F.sort_array(F.collect_set("client_id")).alias("client_ids"),
            F.max("held_at").alias("held_at"),
        )
    )
    ids = {f"{name}s": F.array_compact(F.array(name)) for name in ("member_id", "client_id")}
    return alone.withColumns(ids).select(*KEY, *ids, "held_at").unionByName(several)
