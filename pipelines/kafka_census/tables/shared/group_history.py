"""The history of a group, continued by a census: which offsets moved since the previous census, and the empty run.

The row of the previous census is the column `before` (`as_before`), null for a group that is new. Values that could not
be read now are taken from that row, so that a census that read nothing hides no move. A row of a release that kept no
hash per offset is compared by the hash over all offsets: any change counts as a move.
"""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.deletable_groups.columns import UNLISTED
from kafka_census.tables.shared.items import is_true


def as_before(previous: DataFrame) -> DataFrame:
    """Rows of `deletable_groups` by group, in the column `before`."""
    return previous.select(
        "group_id",
        F.struct(
            "census_id",
            "empty_since",
            "censuses_empty",
            "censuses_left_behind",
            "offsets_unchanged_since",
            F.col("committed_partitions").alias("committed"),
            F.col("partitions_gone").alias("gone"),
            F.col("offsets_fingerprint").alias("fingerprint"),
            F.col("offset_hashes").alias("hashes"),
            F.col("end_offsets").alias("ends"),
        ).alias("before"),
    )


def with_unlisted(
    groups: DataFrame, previous: DataFrame, topics: DataFrame, missing: Sequence[MissingRead]
) -> DataFrame:
    """Rows of `group_coordinator_placement`, and the groups of the previous census that could not be listed now.

    `unlisted` is the reason; it is null for groups that were listed. Where every list is complete, a group that is not
    listed was deleted, and has no row. `topics` are items of Metadata, which every census reads: they have its ids.
    """
    lacks = sorted(
        {
            each.reason if each.broker_id is None else each.line
            for each in missing
            if each.walk == ("ListGroups", "groups")
        }
    )
    listed = groups.withColumn("unlisted", F.lit(None).cast("string"))
    if not lacks:
        return listed
    identity = topics.agg(F.max("census_id").alias("census_id"), F.max("cluster_id").alias("cluster_id"))
    kept = (
        previous.select("group_id", "group_type", "protocol_type", "observed_at")
        .join(groups.select("group_id"), "group_id", "left_anti")
        .crossJoin(F.broadcast(identity))
        .withColumn("unlisted", F.lit(f"{UNLISTED}: {'; '.join(lacks)}"))
    )
    return listed.unionByName(kept, allowMissingColumns=True)


def compared(known: DataFrame) -> DataFrame:
    """Adds what moved since the previous census, and the offsets and end offsets as last read.

    Columns that are added: `offsets_moved`, `offsets_removed`, `end_offsets_grew`; and, as last read, `end_offsets`,
    `committed_partitions`, `partitions_gone`, `offsets_fingerprint`, `offset_hashes`, `offsets_unchanged_since`.
    """
    read, known_before = F.col("offsets_unknown").isNull(), F.col("before.fingerprint").isNotNull()
    differs = F.struct("fingerprint_now", "committed_now") != F.struct("before.fingerprint", "before.committed")
    hashed = F.size("before.hashes") == F.col("before.committed")
    added = F.size(F.array_except("hashes_now", "before.hashes")) > 0
    removed = F.size(F.array_except("before.hashes", "hashes_now")).cast("bigint")
    moved, grew = F.col("offsets_moved"), F.col("ends_now") > F.col("before.ends")
    same = ~differs & (F.col("gone_now") == F.col("before.gone"))
    return known.withColumns(
        {
            "offsets_moved": F.when(read & known_before, differs & (added | ~is_true(hashed))),
            "offsets_removed": F.when(read & known_before & hashed, removed),
            "ends_now": F.when(F.col("ends_missing") == 0, F.col("ends_sum")),
        }
    ).withColumns(
        {
            "end_offsets_grew": F.when(read & same, grew),
            "end_offsets": F.when(~read, F.col("before.ends")).otherwise(
                F.coalesce("ends_now", F.when(same, F.col("before.ends")))
            ),
            "committed_partitions": F.when(read, F.col("committed_now")).otherwise(F.col("before.committed")),
            "partitions_gone": F.when(read, F.col("gone_now")).otherwise(F.col("before.gone")),
            "offsets_fingerprint": F.when(read, F.col("fingerprint_now")).otherwise(F.col("before.fingerprint")),
            "offset_hashes": F.coalesce(
                F.when(read, F.col("hashes_now")).otherwise(F.col("before.hashes")), F.array().cast("array<bigint>")
            ),
            "offsets_unchanged_since": F.when(read & ~is_true(~moved), F.col("observed_at")).otherwise(
                F.col("before.offsets_unchanged_since")
            ),
            "previous_census_id": F.col("before.census_id"),
        }
    )


def with_run(known: DataFrame) -> DataFrame:
    """Adds the run of censuses that found the group empty, and in how many of these its topics grew.

    Columns that are added: `empty_since`, `censuses_empty`, `censuses_left_behind`.
    """
    read = F.col("state_unknown").isNull() & F.col("offsets_unknown").isNull()
    counts = read & ~F.col("has_members")
    goes_on = F.col("before.empty_since").isNotNull() & ~is_true(F.col("offsets_moved"))
    counted, left_behind = F.when(counts, 1).otherwise(0), F.when(counts & F.col("end_offsets_grew"), 1).otherwise(0)
    return known.withColumns(
        {
            "empty_since": F.when(F.col("has_members"), None)
            .when(goes_on, F.col("before.empty_since"))
            .when(counts, F.col("observed_at")),
            "censuses_empty": F.when(F.col("has_members"), 0)
            .when(goes_on, F.col("before.censuses_empty") + counted)
            .otherwise(counted),
            "censuses_left_behind": F.when(
                goes_on & ~F.col("has_members"), F.col("before.censuses_left_behind") + left_behind
            ).otherwise(0),
        }
    )
