"""Every config that brokers told of topics and of themselves, as they told it; a sensitive one without its value.

Topics are asked of any broker. What is not set on the topic is the answering broker's own value, and brokers may
differ. A topic or broker whose configs were not answered is a row with the reason; a broker that is gone has no configs
to read.
"""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.configs.columns import CONFIGS, SOURCES
from kafka_census.tables.shared.items import is_true
from kafka_census.tables.shared.reasons import first_that_holds, not_asked, not_read, not_read_from, words

_RESOURCE = ["resource_type", "resource_name"]
_DEFAULT, _UNKNOWN = SOURCES[4:]


def configs(
    *,
    topic_configs: DataFrame,
    broker_configs: DataFrame,
    topics: DataFrame,
    brokers: DataFrame,
    missing: Sequence[MissingRead],
) -> DataFrame:
    """One row per config that was answered, and one per resource that was not read. Columns: those of `CONFIGS`.

    Inputs are items: topic_configs and broker_configs of DescribeConfigs, topics of Metadata; brokers, rows of that
    table; and the missing reads.
    """
    answers = broker_configs.where("resource_type = 'broker'").unionByName(topic_configs)
    unread = _not_read(_resources(topics, brokers), answers, missing)
    return (
        _reported(answers)
        .unionByName(unread, allowMissingColumns=True)
        .select(*[F.col(field.name).cast(field.dataType) for field in CONFIGS.computed])
    )


def _reported(answers: DataFrame) -> DataFrame:
    """Every config that was answered; a sensitive config has neither value nor default."""
    open_to_all = ~is_true(F.col("is_sensitive"))
    # `source` is DescribeConfigsResponse.ConfigSource, which counts from 1.
    source = first_that_holds(
        *[(F.col("source") == code, word) for code, word in enumerate(SOURCES[:-1], 1)], otherwise=_UNKNOWN
    )
    return (
        answers.where(F.col("name").isNotNull())
        .withColumn("source", source)
        .select(
            "census_id",
            "cluster_id",
            F.col("received_at").alias("observed_at"),
            *_RESOURCE,
            "name",
            F.when(open_to_all, F.col("value")).alias("value"),
            "source",
            F.when(F.col("source") != _UNKNOWN, F.col("source") == _DEFAULT).alias("is_default"),
            F.when(open_to_all, F.col("default_value")).alias("default_value"),
            (~open_to_all).alias("is_sensitive"),
            F.col("asked_node_id").alias("answered_by"),
        )
    )


def _resources(topics: DataFrame, brokers: DataFrame) -> DataFrame:
    """Every listed topic and every broker that is not gone, with the broker's id, and why a broker was not asked."""
    head = ("census_id", "cluster_id", "observed_at")
    listed = topics.withColumnRenamed("received_at", "observed_at")
    named = brokers.where("state <> 'gone'").select(
        *head,
        F.lit("broker").alias("resource_type"),
        F.col("broker_id").cast("string").alias("resource_name"),
        "broker_id",
        not_asked().alias("not_asked"),
    )
    of_topics = listed.select(*head, F.lit("topic").alias("resource_type"), F.col("topic").alias("resource_name"))
    return named.unionByName(of_topics, allowMissingColumns=True)


def _not_read(resources: DataFrame, answers: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """One row per resource whose configs were not answered, with the reason."""
    answered = answers.groupBy(*_RESOURCE).agg(
        F.max(F.col("name").isNotNull()).alias("is_read"), F.max(error_name("error_code")).alias("error")
    )
    gap = F.when(F.col("resource_type") == "topic", not_read(missing, "DescribeConfigs", "topics_all")).otherwise(
        not_read_from(missing, "DescribeConfigs", "brokers", "broker_id")
    )
    refused = words("DescribeConfigs answered ", F.col("error"))
    silent = words("DescribeConfigs reported nothing of ", F.col("resource_type"), " ", F.col("resource_name"))
    return (
        resources.join(answered, _RESOURCE, "left")
        .where(~is_true(F.col("is_read")))
        .select(
            *("census_id", "cluster_id", "observed_at", *_RESOURCE),
            F.lit("").alias("name"),
            F.coalesce(refused, gap, "not_asked", silent).alias("reason"),
        )
    )


CONFIGS_TRANSFORM = Transform(
    CONFIGS,
    configs,
    {
        "topic_configs": ("DescribeConfigs", "topics_all"),
        "broker_configs": ("DescribeConfigs", "brokers"),
        "topics": ("Metadata", "names"),
        "brokers": BROKERS,
    },
)
