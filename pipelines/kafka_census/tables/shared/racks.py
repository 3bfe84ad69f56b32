"""The racks of a partition's replicas, and how many replicas share one."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.tables.shared.reasons import first_that_holds, words


def with_racks(partitions: DataFrame, brokers: DataFrame) -> DataFrame:
    """Adds to rows with `replicas` what is known of their racks; `brokers` has broker_id and rack, one row per broker.

    racks              of the replicas' brokers, in the order of the replicas, those that are known
    replicas_sharing   the replicas in a rack that holds another one, without the first in each rack
    rackless           the lowest id of a replica whose broker has no rack, or is not in `brokers`
    brokers_with_rack  how many brokers of the cluster have a rack
    """
    has_rack = brokers.where(F.col("rack").isNotNull())
    racks = has_rack.agg(F.map_from_entries(F.collect_list(F.struct("broker_id", "rack"))).alias("rack_of"))
    of_replicas = F.transform("replicas", lambda node: F.try_element_at("rack_of", node))
    bare = F.array_min(F.filter("replicas", lambda node: F.try_element_at("rack_of", node).isNull()))
    return (
        partitions.crossJoin(F.broadcast(racks))
        .withColumns(
            {
                "racks": F.array_compact(of_replicas),
                "rackless": bare,
                "brokers_with_rack": F.size("rack_of"),
            }
        )
        .withColumn("replicas_sharing", F.size("racks") - F.size(F.array_distinct("racks")))
        .drop("rack_of")
    )


def why_no_racks(undescribed: Column) -> Column:
    """Why the replicas that share a rack are not known; `undescribed` is the reason where replicas are not, or null."""
    bare = words("broker ", F.col("rackless"), " has no rack, or is not listed")
    return first_that_holds(
        (undescribed.isNotNull(), undescribed),
        (F.col("brokers_with_rack") == 0, "no broker has a rack"),
        (F.col("rackless").isNotNull(), bare),
    )
