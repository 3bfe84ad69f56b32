"""What must hold for `brokers`.

The table is never empty: it has one row for each broker that DescribeCluster, a replica list or a leader names. A
broker that only the previous census knew adds a row, which warns once.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.kafka.error_codes import UNREGISTER
from kafka_census.tables.brokers.columns import BROKERS

_RULES = (
    Rule(
        "state_is_known_word",
        "state IN ('alive', 'fenced', 'not_alive', 'gone')",
        "state is one of the words that its comment lists.",
    ),
    Rule(
        "listed_has_endpoint",
        "(state IN ('not_alive', 'gone')) = (host IS NULL AND port IS NULL)",
        "A broker that the cluster lists has an endpoint, and only such a one.",
    ),
    Rule(
        "controller_or_reason",
        "(is_controller IS NULL) = (controller_reason IS NOT NULL)",
        "It is known whether the broker is the controller, or the row says why not.",
    ),
    Rule(
        "unknown_features_have_reason",
        "features_reason IS NULL OR (size(features) = 0 AND release_at_least IS NULL)",
        "A broker that did not tell its versions has neither features nor a release.",
    ),
    Rule(
        "unknown_counts_have_reason",
        "leaders IS NOT NULL OR counts_reason IS NOT NULL",
        "Replicas are counted, or the row says why not.",
    ),
    Rule(
        "counts_are_within",
        "leaders IS NULL OR (leaders >= 0 AND preferred_elsewhere <= preferred_leaders AND "
        "preferred_leaders <= replicas AND out_of_sync_replicas <= replicas AND offline_replicas <= replicas)",
        "What is counted of the replicas is at most all of them.",
    ),
    Rule("broker_is_alive", "state IN ('alive', 'gone')", "The broker is alive.", "warning"),
    Rule(
        "broker_is_still_seen",
        "state <> 'gone'",
        "A broker that the previous census knew is named again; where not, it is not seen any more: decommissioned, "
        "or down and without replicas.",
        "warning",
    ),
    Rule(
        "fenced_broker_has_replicas",
        "state <> 'fenced' OR coalesce(replicas > 0, true)",
        f"A broker that is registered and fenced holds replicas; where not, it owes no answer, and {UNREGISTER} N.",
        "warning",
    ),
    Rule(
        "counts_are_whole",
        "counts_reason IS NULL",
        "Every partition is counted; where not, see counts_reason.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    partitions = census.listed("DescribeTopicPartitions", "topics").where("partition IS NOT NULL")
    named = partitions.select(F.explode(F.array_append("replicas", F.col("leader_id"))).alias("broker_id")).distinct()
    listed = census.listed("DescribeCluster", "cluster").select(F.col("node_id").alias("broker_id"))
    gone = census.staged(BROKERS).where("state = 'gone'").select("broker_id")
    every = named.where("broker_id >= 0").unionByName(listed).unionByName(gone)
    return every.agg(F.count_distinct("broker_id").alias("brokers"))


BROKERS_SUITE = Suite(
    BROKERS, _counts, _RULES, (row_count("brokers", "There is one row for each broker that is named, or gone."),)
)
