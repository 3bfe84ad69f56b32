"""The audit table `alerts`: which states were told to the webhook, one row for each time that one opened or closed.

It is the memory of what a receiver knows: a row is written once its message was accepted, and never removed. A state
is open when its last row says so.
"""

from pyspark.sql.types import DoubleType, StringType, StructType, TimestampType

from kafka_census.tables.table import Table, column

_STRING, _TIME = StringType(), TimestampType()

ALERTS = Table(
    name="alerts",
    layer="audit",
    comment="What the webhook was told: one row for each state of a cluster that opened or closed.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census that found it; null where it failed before it had an id."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster; null where census_id is."),
            column("cluster", _STRING, "Name of the cluster in the configuration."),
            column("state", _STRING, "The state, such as offline, under_min_isr, refused; see docs/alerts.md."),
            column("event", _STRING, "opened or closed."),
            column("count", DoubleType(), "How many there were, such as partitions; 0 where it closed."),
            column("since", _TIME, "When the state opened."),
            column("told_at", _TIME, "When the census that told it ended."),
        ]
    ),
    key=("cluster", "state", "told_at"),
)
