"""The minimum ISR that is configured for a partition, and the source of the value.

A topic without a value of its own is reported with the value of the broker that answered, which may differ from the
leader's; the leader's log config is what counts (precedence: topic, broker, cluster, static, default).
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.shared_rules import TOPIC_SOURCE, topics_own
from kafka_census.pages.error_name import error_name
from kafka_census.tables.shared.reasons import first_that_holds

MIN_ISR = "min.insync.replicas"
_METADATA = -637
_SOURCES = (
    (TOPIC_SOURCE, "topic"),
    (2, "dynamic_broker"),
    (3, "dynamic_default"),
    (4, "static"),
    (5, "default"),
    (_METADATA, "metadata"),
)
"""DescribeConfigsResponse.ConfigSource; and our own code for KIP-637's field, which does not report a source."""


def with_min_isr(
    partitions: DataFrame, topics: DataFrame, topic_configs: DataFrame, broker_configs: DataFrame
) -> DataFrame:
    """Adds `min_isr_raw`, `min_isr_source`, `min_isr_broker_id`: a topic's own value, else the leader's, else any's.

    partitions  has `topic`, `leader_id`, `described`, `replicas`; the others are items of Metadata and DescribeConfigs

    A value that Metadata reports (KIP-637) is preferred: one answer with the partitions' state, and no second RPC that
    an ACL may refuse.
    """
    of_topic = _settings(topic_configs, "topic", "topic", "config")
    of_leader = _settings(broker_configs, "broker", "leader", "leader_config")
    of_leader = of_leader.withColumn("leader_id", F.expr("try_cast(leader AS INT)")).drop("leader")
    reported = F.col("min_insync_replicas").isNotNull()
    in_metadata = F.struct(
        F.col("min_insync_replicas").alias("value"),
        F.lit(_METADATA).alias("source"),
        F.col("asked_node_id").alias("node_id"),
    )
    of_metadata = (
        topics.where(reported)
        .groupBy("topic")
        .agg(F.max_by(in_metadata, "received_at").alias("metadata"), F.max("received_at").alias("metadata_at"))
    )
    of_topics_own = F.expr(topics_own("config.source", "leader_config.value"))
    # A topic that was not read may have a value of its own: the leader's value would be a guess.
    read = F.col("described") & F.col("config.value").isNotNull()
    source = first_that_holds(
        *[(F.col("min_isr.source") == code, name) for code, name in _SOURCES], otherwise="unknown"
    )
    return (
        partitions.join(of_topic, "topic", "left")
        .join(of_leader, "leader_id", "left")
        .join(of_metadata, "topic", "left")
        .withColumn(
            "min_isr",
            F.when(F.col("described") & F.col("metadata").isNotNull(), F.col("metadata"))
            .when(read & of_topics_own, F.col("config"))
            .when(read, F.col("leader_config")),
        )
        .withColumns(
            {
                "min_isr_raw": F.col("min_isr.value"),
                "min_isr_source": source,
                "min_isr_broker_id": F.when(F.col("min_isr.source") != TOPIC_SOURCE, F.col("min_isr.node_id")),
                "leader_at": F.when(
                    ~of_topics_own | (F.col("min_isr.value") > F.size("replicas")), F.col("leader_config_at")
                ),
            }
        )
    )


def _settings(configs: DataFrame, resource_type: str, key: str, prefix: str) -> DataFrame:
    """One row per resource: min.insync.replicas as `<prefix>` (value, source, node_id), `_error`, `_at`, `_release`."""
    is_it, refused = F.col("name") == MIN_ISR, F.col("name").isNull()
    value = F.struct(F.expr("try_cast(value AS INT)").alias("value"), "source", F.col("asked_node_id").alias("node_id"))
    resource = F.col("resource_name").alias(key)
    return (
        configs.where((F.col("resource_type") == resource_type) & (is_it | refused))
        .groupBy(resource)
        .agg(
            F.max_by(value, F.when(is_it, F.col("received_at"))).alias(prefix),
            F.max(error_name("error_code")).alias(f"{prefix}_error"),
            F.max("received_at").alias(f"{prefix}_at"),
            F.max_by("release_at_least", "received_at").alias(f"{prefix}_release"),
        )
    )
