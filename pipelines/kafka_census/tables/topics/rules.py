"""What must hold for `topics`: one row for each topic that Metadata listed. Each unknown value has a reason."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.topics.columns import TOPICS

_RULES = (
    *(
        Rule(
            f"{name}_or_reason",
            f"({column} IS NULL) = ({reason} IS NOT NULL)",
            f"{column} is known, or the row says why not.",
        )
        for name, column, reason in (
            ("partitions", "partitions", "reason"),
            ("leader_bytes", "leader_bytes", "leader_bytes_reason"),
            ("replica_bytes", "replica_bytes", "replica_bytes_reason"),
            ("growth", "growth_bytes", "growth_reason"),
            ("configs", "cleanup_policy", "config_reason"),
            ("last_written", "last_written_at", "last_written_reason"),
            ("racks", "replicas_sharing_rack", "racks_reason"),
        )
    ),
    Rule(
        "last_written_is_a_lower_bound_too",
        "last_written_at IS NULL OR last_written_at <=> last_written_at_least",
        "The newest timestamp that is known is the newest that was told.",
    ),
    Rule(
        "counts_are_possible",
        "coalesce(partitions, 1) > 0 AND coalesce(replication_factor, 1) > 0 "
        "AND coalesce(replicas_sharing_rack, 0) >= 0",
        "A topic has partitions and these have replicas.",
    ),
    Rule(
        "leaders_are_among_replicas",
        "coalesce(leader_bytes, 0) >= 0 AND coalesce(leader_bytes <= replica_bytes, true)",
        "What leaders have is at most what all replicas have.",
    ),
    Rule(
        "growth_is_since_an_earlier_census",
        "growth_bytes IS NULL OR (leader_bytes IS NOT NULL AND previous_census_id < census_id AND "
        "growth_since <= observed_at)",
        "Growth compares known bytes with an earlier census.",
    ),
    Rule("groups_are_listed", "groups = size(group_ids)", "There are as many groups as are named."),
    Rule(
        "topic_was_described",
        "reason IS NULL",
        "The topic's partitions were described; where not, see reason.",
        "warning",
    ),
    Rule(
        "bytes_are_known",
        "leader_bytes IS NOT NULL AND replica_bytes IS NOT NULL",
        "The topic's bytes are known; where not, see leader_bytes_reason and replica_bytes_reason.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    return census.listed("Metadata", "names").agg(F.count_distinct("topic").alias("topics"))


TOPICS_SUITE = Suite(
    TOPICS, _counts, _RULES, (row_count("topics", "There is one row for each topic that was listed."),)
)
