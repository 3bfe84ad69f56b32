"""Published table: every client quota."""

from pyspark.sql.types import BooleanType, DoubleType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column

_STRING, _TIME = StringType(), TimestampType()

QUOTAS = Table(
    name="quotas",
    layer="published",
    comment="One row per client quota: whom it is for, what it limits, and the limit.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the answer that this row is from was received."),
            column(
                "entity",
                _STRING,
                "Whom it is for in one line, such as user alice, client-id <default>; a name with a space, a quote or "
                "a < is in single quotes: user 'a, client-id b', user '<default>'. Two entities never have one text.",
            ),
            column("is_default", BooleanType(), "Whether one of the names is the default entity, for which see user."),
            column("quota", _STRING, "What it limits, by Kafka's name, such as producer_byte_rate."),
            column("user", _STRING, "The user; <default> for users without a quota of their own; null for any."),
            column("client_id", _STRING, "The client id; <default> and null as for user."),
            column("ip", _STRING, "The IP address; <default> and null as for user."),
            column("user_is_default", BooleanType(), "The user is the default entity, and not a user named <default>."),
            column("client_id_is_default", BooleanType(), "The client id is the default entity."),
            column("ip_is_default", BooleanType(), "The IP address is the default entity."),
            column(
                "value",
                DoubleType(),
                "The limit, on each broker apart: a client of N brokers may have N times as much.",
            ),
            column(
                "unit",
                _STRING,
                "bytes/s | % (of a thread's time, all threads together) | mutations/s | connections/s; null for a "
                "quota of a later Kafka.",
            ),
            OWNER,
        ]
    ),
    key=("entity", "quota"),
    owned_by=(
        ("principals", "'User:' || user"),
        ("client_ids", "client_id"),
    ),
    reads=(Read("DescribeClientQuotas", "quotas"),),
    questions=(
        Question(
            "Whose producers are limited to less than 1 MB/s on a broker?",
            """SELECT entity, value AS bytes_per_second
FROM current_quotas
WHERE quota = 'producer_byte_rate' AND value < 1000000
ORDER BY value, entity""",
        ),
    ),
)
