"""What must hold for `config_drift`.

It has at least one row for each config that is set; other drift cannot be counted in the landed pages. A cluster
without any config that is set has no such row.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.config_drift.columns import CONFIG_DRIFT

_RULES = (
    Rule(
        "kind_is_known_word",
        "kind IN ('not_default', 'between_brokers', 'since_before', 'not_desired', 'not_read')",
        "kind is one of the words that its comment lists.",
    ),
    Rule("resource_is_known_word", "resource_type IN ('broker', 'topic')", "A config is of a broker or a topic."),
    Rule("row_has_reason", "reason IS NOT NULL", "The row says what differs, or what is not known."),
    Rule(
        "sensitive_is_not_shown",
        "NOT coalesce(is_sensitive, false) OR (value IS NULL AND expected IS NULL)",
        "No sensitive value is in the table.",
    ),
    Rule(
        "unread_has_no_value",
        "kind != 'not_read' OR (name = '' AND value IS NULL AND source IS NULL)",
        "Nothing is said of a resource that was not read.",
    ),
    Rule(
        "set_has_source",
        "kind != 'not_default' OR source NOT IN ('default', 'unknown')",
        "What is set says where.",
    ),
    Rule(
        "before_is_named",
        "(kind = 'since_before') = (previous_census_id IS NOT NULL)",
        "A change since the previous census names that census, and only such a row.",
    ),
    Rule(
        "drift_differs",
        "kind NOT IN ('between_brokers', 'not_desired') OR value IS NULL OR expected IS NULL OR value != expected",
        "What drifts is not what it should be.",
    ),
    Rule("config_is_desired", "kind != 'not_desired'", "The config is as desired; where not, see reason.", "warning"),
    Rule("brokers_agree", "kind != 'between_brokers'", "The broker has what most brokers have.", "warning"),
    Rule("resource_was_read", "kind != 'not_read'", "Its configs could be read; where not, see reason.", "warning"),
)


def _counts(census: Counted) -> DataFrame:
    is_set = F.count_distinct("resource_name", "name")
    topics = census.listed("DescribeConfigs", "topics_all").where("source = 1").agg(is_set.alias("of_topics"))
    brokers = census.listed("DescribeConfigs", "brokers").where("source IN (2, 3, 4)").agg(is_set.alias("of_brokers"))
    return topics.crossJoin(brokers).select((F.col("of_topics") + F.col("of_brokers")).alias("set"))


CONFIG_DRIFT_SUITE = Suite(
    CONFIG_DRIFT, _counts, _RULES, (row_count("set", "There is a row for each config that is set.", at_least=True),)
)
