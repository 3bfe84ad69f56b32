"""What must hold for `configs`: a row for each config that was answered. Each resource has rows, or a reason."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.configs.columns import CONFIGS, SOURCES

_RULES = (
    Rule("resource_is_known_word", "resource_type IN ('topic', 'broker')", "A config is of a topic or a broker."),
    Rule(
        "source_is_known_word",
        f"name = '' OR source IN {SOURCES}",
        "source is one of the words that its comment lists.",
    ),
    Rule(
        "default_is_the_source",
        "is_default <=> (nullif(source, 'unknown') = 'default')",
        "A config has its default exactly where the source says so.",
    ),
    Rule(
        "sensitive_is_not_shown",
        "NOT coalesce(is_sensitive, false) OR (value IS NULL AND default_value IS NULL)",
        "No sensitive value is in the table.",
    ),
    Rule("unread_has_reason", "(name = '') = (reason IS NOT NULL)", "A resource that was not read says why."),
    Rule(
        "unread_has_no_value",
        "name <> '' OR coalesce(value, source, default_value) IS NULL AND coalesce(is_default, is_sensitive) IS NULL "
        "AND answered_by IS NULL",
        "Nothing is said of a resource that was not read.",
    ),
    Rule("resource_was_read", "name <> ''", "Its configs could be read; where not, see reason.", "warning"),
)


def _counts(census: Counted) -> DataFrame:
    of_topics, of_brokers = (
        census.listed("DescribeConfigs", scope).where("name IS NOT NULL").agg(F.count("*").alias(scope))
        for scope in ("topics_all", "brokers")
    )
    return of_topics.crossJoin(of_brokers).select((F.col("topics_all") + F.col("brokers")).alias("configs"))


CONFIGS_SUITE = Suite(
    CONFIGS,
    _counts,
    _RULES,
    (row_count("configs", "There is a row for each config that was answered.", at_least=True),),
)
