"""Published table: configs that differ between brokers, from defaults, the last census or the desired state."""

from pyspark.sql.types import BooleanType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Table, column
from kafka_census.tables.configs.columns import CONFIGS, SOURCES

_STRING, _TIME = StringType(), TimestampType()

CONFIG_DRIFT = Table(
    name="config_drift",
    layer="published",
    comment="One row per config of a broker or topic that drifts, and kind of drift; and one per resource not read.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column(
                "kind",
                _STRING,
                "not_default (set to something, be it to the default) | between_brokers (not what most brokers have) | "
                "since_before (not as in the previous census) | not_desired (not as in the cluster's desired_state) | "
                "not_read (nothing is known of the resource).",
            ),
            column("resource_type", _STRING, "broker or topic."),
            column("resource_name", _STRING, "Broker id or topic; of a desired state that nothing matches, its entry."),
            column("name", _STRING, "The config; empty for not_read."),
            column(
                "value", _STRING, "Its value now; null when it is sensitive, has none, or is not known, see reason."
            ),
            column(
                "expected",
                _STRING,
                "What it is held against: the default, what most brokers have (null without a majority), the value "
                "before, or the desired value; null when it is sensitive or not known.",
            ),
            column(
                "source",
                _STRING,
                f"Where value is set: {' | '.join(SOURCES)}; null without an answer.",
            ),
            column(
                "is_sensitive",
                BooleanType(),
                "Kafka hides the value: that it is set can be seen, whether it drifts cannot. Null without an answer.",
            ),
            column("reason", _STRING, "In one line what differs, or what is not known."),
            column("previous_census_id", _STRING, "For since_before: the census that it compares with; else null."),
            OWNER,
        ]
    ),
    key=("kind", "resource_type", "resource_name", "name"),
    owned_by=(("topics", "CASE WHEN resource_type = 'topic' THEN resource_name END"),),
    reads=CONFIGS.reads,
    made_of=(CONFIGS,),
    questions=(
        Question(
            "Which configs are not as they should be, or changed since the previous census?",
            """SELECT kind, resource_type, resource_name, name, value, expected, reason
FROM current_config_drift
WHERE kind <> 'not_default'
ORDER BY kind, resource_type, resource_name, name""",
        ),
        Question(
            "Which topics keep their data for another time than the default?",
            """SELECT resource_name AS topic, value AS retention_ms, expected AS default_ms
FROM current_config_drift
WHERE kind = 'not_default' AND resource_type = 'topic' AND name = 'retention.ms'
ORDER BY topic""",
        ),
    ),
)
