"""What must hold for `log_dir_usage`.

The table is never empty: it has one row for each log dir that a broker reported, and one for each broker that reported
none and is not gone.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE

_RULES = (
    Rule(
        "state_is_known_word",
        "state IN ('online', 'offline', 'not_read', 'remote')",
        "state is one of the words that its comment lists.",
    ),
    Rule(
        "unknown_has_reason",
        "(state = 'online') = (reason IS NULL)",
        "A dir whose content is not known says why, and only such a dir.",
    ),
    Rule(
        "only_online_dirs_are_summed",
        "(state = 'online') = (replicas IS NOT NULL AND replica_bytes IS NOT NULL AND future_bytes IS NOT NULL)",
        "Nothing is said of what a dir holds that is not online, not even 0.",
    ),
    Rule(
        "leaders_or_reason",
        "state != 'online' OR (leader_bytes IS NULL) = (leader_reason IS NOT NULL)",
        "What the broker leads is counted, or the row says why not.",
    ),
    Rule(
        "leaders_are_among_replicas",
        "leader_bytes IS NULL OR (leader_bytes BETWEEN 0 AND replica_bytes AND leader_replicas <= replicas)",
        "What the broker leads is at most all that it holds.",
    ),
    Rule(
        "share_is_a_part",
        "share_of_broker IS NULL OR share_of_broker BETWEEN 0 AND 1",
        "A dir holds at most all of its broker's bytes.",
    ),
    Rule(
        "room_is_within_volume",
        "usable_bytes IS NULL OR total_bytes IS NULL OR usable_bytes BETWEEN 0 AND total_bytes",
        "No more is free than there is.",
        "warning",
    ),
    Rule(
        "dir_is_online",
        "state IN ('online', 'remote')",
        "The dir could be read; where not, see reason.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    reported = census.listed("DescribeLogDirs", "log_dirs").select(F.col("asked_node_id").alias("broker_id"), "log_dir")
    silent = (
        census.staged(BROKERS).where("state <> 'gone'").select("broker_id").join(reported, "broker_id", "left_anti")
    )
    dirs = reported.agg(F.count_distinct("broker_id", "log_dir").alias("dirs"))
    return dirs.crossJoin(silent.agg(F.count("*").alias("silent"))).select(
        (F.col("dirs") + F.col("silent")).alias("rows")
    )


LOG_DIR_USAGE_SUITE = Suite(
    LOG_DIR_USAGE,
    _counts,
    _RULES,
    (row_count("rows", "There is one row for each log dir, and for each broker that reported none."),),
)
