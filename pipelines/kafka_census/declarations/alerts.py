"""The audit table `alerts`: the messages that the webhook accepted, one row per state that opened or closed.

A row is written once its message was accepted, and never removed: the table records what the receiver knows. A state
is open when its last row says so.
"""

from pyspark.sql.types import DoubleType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, Table, column

_STRING, _TIME = StringType(), TimestampType()

ALERTS = Table(
    name="alerts",
    layer="audit",
    comment="Messages that the webhook accepted: one row per state of a cluster that opened or closed.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census that found it; null where it failed before it had an id."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster; null where census_id is."),
            CLUSTER,
            column("state", _STRING, "The state, such as offline, under_min_isr, refused; see docs/alerts.md."),
            column("event", _STRING, "opened or closed."),
            column("count", DoubleType(), "How many there were, such as partitions; 0 where it closed."),
            column("since", _TIME, "When the state opened."),
            column("notified_at", _TIME, "When the census ended that sent the message."),
        ]
    ),
    key=("cluster", "state", "notified_at"),
)
