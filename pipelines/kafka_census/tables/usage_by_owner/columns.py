"""Published table: what each owner has of the cluster, and what nobody has."""

from pyspark.sql.types import ArrayType, DoubleType, IntegerType, LongType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, Question, Table, column
from kafka_census.tables.group_lag.columns import GROUP_LAG
from kafka_census.tables.producer_state.columns import PRODUCER_STATE
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.tables.topics.columns import TOPICS
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT

_DOUBLE, _INT, _LONG, _STRING = DoubleType(), IntegerType(), LongType(), StringType()

USAGE_BY_OWNER = Table(
    name="usage_by_owner",
    layer="published",
    comment="One row per owner of the configuration, and one of what no pattern matches: topics, bytes, growth, "
    "groups, lag, producer ids, quotas.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", TimestampType(), "When the latest answer of the cluster was received."),
            column("owner", _STRING, "The owner, by `owners` of the configuration; empty: nobody."),
            column("contact", _STRING, "As configured."),
            column("cost_centre", _STRING, "As configured."),
            column("topics", _INT, "Topics; Kafka's own count, too."),
            column("partitions", _LONG, "Partitions of them, of topics that were described."),
            column("replica_bytes", _LONG, "Bytes with all replicas, of topics of which they are known."),
            column("topics_without_bytes", _INT, "Topics of which they are not known: replica_bytes lacks them."),
            column("share_of_bytes", _DOUBLE, "replica_bytes / those of all owners and nobody; null where that is 0."),
            column(
                "growth_bytes_per_day",
                _DOUBLE,
                "Growth of leader_bytes since the previous census, as of a day, of topics of which that is known; null "
                "where it is known of none.",
            ),
            column("topics_without_growth", _INT, "Topics of which growth is not known."),
            column("groups", _INT, "Consumer groups."),
            column("lag_total", _LONG, "Sum of the known lags of these groups, in offsets."),
            column("groups_without_lag", _INT, "Groups with offsets, none of whose lag is known."),
            column("lag_seconds", _LONG, "The largest known lag in time of these groups, see group_lag."),
            column("transactional_ids", _INT, "Transactional ids; null where the census has no table of them."),
            column("producer_ids", _LONG, "Producer ids in the partitions of the topics, as far as leaders told."),
            column("quotas", _INT, "Client quotas; null where the census has no table of them."),
            column(
                "examples",
                ArrayType(_STRING, containsNull=False),
                "Of nobody's: the first names of topics, groups and transactional ids that no pattern matches.",
            ),
        ]
    ),
    key=("owner",),
    reads=TOPICS.reads,
    made_of=(TOPICS, GROUP_LAG),
    if_there=(PRODUCER_STATE, QUOTAS, TRANSACTION_COORDINATOR_PLACEMENT),
    questions=(
        Question(
            "Who uses how much of the cluster?",
            """SELECT owner, cost_centre, partitions, replica_bytes, share_of_bytes, growth_bytes_per_day, groups,
       lag_total
FROM current_usage_by_owner
ORDER BY replica_bytes DESC NULLS LAST, owner""",
        ),
        Question(
            "Which names has nobody yet, so that the mapping can be completed?",
            """SELECT topics, groups, transactional_ids, quotas, examples
FROM current_usage_by_owner
WHERE owner = ''""",
        ),
    ),
)
