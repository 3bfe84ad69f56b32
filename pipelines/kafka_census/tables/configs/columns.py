"""Published table: every config of every topic and broker, with its value and where that is set."""

from pyspark.sql.types import BooleanType, IntegerType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column
from kafka_census.tables.brokers.columns import BROKERS

_BOOLEAN, _STRING, _TIME = BooleanType(), StringType(), TimestampType()

SOURCES = ("topic", "dynamic_broker", "dynamic_default", "static", "default", "unknown")
"""Every place where a value is set, the most specific first."""

CONFIGS = Table(
    name="configs",
    layer="published",
    comment="One row per config of a topic or broker, set or not: value, source, default; and one row per resource "
    "whose configs were not read.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the answer that this row was computed from was received."),
            column("resource_type", _STRING, "topic or broker."),
            column("resource_name", _STRING, "Topic or broker id."),
            column("name", _STRING, "The config; empty where the resource was not read, see reason."),
            column("value", _STRING, "The value in force; null when it is sensitive, has none, or was not read."),
            column(
                "source",
                _STRING,
                f"Where value is set: {' | '.join(SOURCES)}; null where the resource was not read. What is not set on "
                "a topic is the value of the broker that answered, see answered_by.",
            ),
            column(
                "is_default", _BOOLEAN, "The value is Kafka's own default: nobody set it. Null without a known source."
            ),
            column(
                "default_value",
                _STRING,
                "Kafka's own default of a broker's config; null where it has none, is sensitive, and for topics: their "
                "default is the broker's value under another name.",
            ),
            column(
                "is_sensitive", _BOOLEAN, "Kafka hides the value, so that value is null. Null where it was not read."
            ),
            column("answered_by", IntegerType(), "The broker that answered; null where the resource was not read."),
            column("reason", _STRING, "Why the configs of the resource are not known; else null."),
            OWNER,
        ]
    ),
    key=("resource_type", "resource_name", "name"),
    owned_by=(("topics", "CASE WHEN resource_type = 'topic' THEN resource_name END"),),
    reads=(
        Read("DescribeConfigs", "topics_all"),
        Read("DescribeConfigs", "brokers"),
        *(read for read in BROKERS.reads if read.rpc != "DescribeConfigs"),
    ),
    made_of=(BROKERS,),
    questions=(
        Question(
            "Which value does each topic have for a config, and where is it set?",
            """SELECT resource_name AS topic, value, source, answered_by
FROM current_configs
WHERE resource_type = 'topic' AND name = 'retention.ms'
ORDER BY topic""",
        ),
        Question(
            "What is set on each broker, statically or dynamically?",
            """SELECT resource_name AS broker_id, name, value, source, default_value, is_sensitive
FROM current_configs
WHERE resource_type = 'broker' AND NOT is_default
ORDER BY broker_id, name""",
        ),
        Question(
            "Of which topics and brokers are the configs not known, and why?",
            """SELECT resource_type, resource_name, reason
FROM current_configs
WHERE reason IS NOT NULL
ORDER BY resource_type, resource_name""",
        ),
    ),
)
