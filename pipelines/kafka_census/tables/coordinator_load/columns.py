"""Published table: what each broker coordinates, whether its share is fair, and who takes over if it fails."""

from pyspark.sql.types import (
    ArrayType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from kafka_census.declarations.table import CLUSTER, Question, Read, Table, column
from kafka_census.declarations.walks import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT

_DOUBLE, _INT, _LONG, _STRING, _TIME = DoubleType(), IntegerType(), LongType(), StringType(), TimestampType()

_NEXT = StructType(
    [StructField("broker_id", _INT), StructField("groups", _LONG), StructField("transactional_ids", _LONG)]
)

_MADE_OF = (GROUP_COORDINATOR_PLACEMENT, TRANSACTION_COORDINATOR_PLACEMENT)


def _of_kind(ids: str, words: str, listing: str, topic: str, led: str) -> tuple[StructField, ...]:
    """The columns of one kind of ids: groups, or transactional ids."""
    return (
        column(ids, _LONG, f"{words} whose coordinator it is, as FindCoordinator says; null: see {ids}_reason."),
        column(f"{ids}_reason", _STRING, f"Why {ids} is null: it leads partitions and did not answer {listing}."),
        column(led, _INT, f"Partitions of {topic} that it leads; null: see {led}_reason."),
        column(f"{led}_reason", _STRING, f"Why {topic} was not described; null when it was."),
        column(f"{ids}_expected", _DOUBLE, f"Its share of all {ids} by a fair hash; null where {led} is."),
        column(
            f"{ids}_stranded",
            _LONG,
            f"Of {ids}, those that would have no coordinator without this broker, unless an unclean election "
            "(unclean.leader.election.enable) makes a replica leader that may lack what they committed.",
        ),
        column(
            f"{ids}_unforeseen",
            _LONG,
            f"Of {ids}, those on no partition that it leads, by formula: where they would go is not known.",
        ),
    )


def _spread(ids: str, words: str, topic: str) -> tuple[StructField, ...]:
    """The columns that are the same in every row of a cluster: the spread of its ids over coordinators."""
    return (
        column(f"{ids}_unplaced", _LONG, f"Whole cluster: {words} for which FindCoordinator named no coordinator."),
        column(
            f"{ids}_chi_square",
            _DOUBLE,
            f"Whole cluster: Pearson's statistic of {ids} per partition of {topic}, by formula, against equal shares.",
        ),
        column(f"{ids}_p_value", _DOUBLE, "Whole cluster: the chance of a fair hash to spread them no better."),
        column(
            f"{ids}_skew",
            _STRING,
            "Whole cluster: fair | unlucky (p_value below 0.01) | wrong (below 1e-6: the names defeat the hash).",
        ),
        column(f"{ids}_skew_reason", _STRING, f"Why {ids}_skew and its numbers are null; else null."),
    )


COORDINATOR_LOAD = Table(
    name="coordinator_load",
    layer="published",
    comment="One row per broker: what it coordinates, its fair share, and where that would go if it were lost. How ids "
    "spread over partitions is of the whole cluster and the same in every row.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("broker_id", _INT, "A broker that is named, holds a replica of any partition, or coordinates."),
            column(
                "broker_state",
                _STRING,
                "alive | fenced | not_alive (not named; brokers before 4.0 leave out fenced ones too) | unknown "
                "(not read).",
            ),
            *_of_kind("groups", "Groups", "ListGroups", OFFSETS_TOPIC, "offsets_partitions_led"),
            column("members", _LONG, "Members of those of its groups that were described; null when none was."),
            column("groups_undescribed", _LONG, "Its groups that could not be described: members lacks theirs."),
            column("members_reason", _STRING, "Why members is null or lacks some; else null."),
            *_of_kind(
                "transactional_ids",
                "Transactional ids",
                "ListTransactions",
                TRANSACTIONS_TOPIC,
                "transactions_partitions_led",
            ),
            column(
                "if_lost",
                ArrayType(_NEXT, containsNull=False),
                "Brokers that would lead its partitions of both topics if it were lost, and how many of its groups "
                "and transactional ids each would get (null where these are): of each partition the first other "
                "replica that is in sync, else the first that is alive and eligible (ELR).",
            ),
            *_spread("groups", "groups", OFFSETS_TOPIC),
            *_spread("transactional_ids", "transactional ids", TRANSACTIONS_TOPIC),
        ]
    ),
    key=("broker_id",),
    reads=(
        *dict.fromkeys(read for table in _MADE_OF for read in table.reads),
        Read("DescribeGroups", "groups", required=False),
        Read("ConsumerGroupDescribe", "groups", required=False),
        Read("ShareGroupDescribe", "groups", required=False),
        Read("StreamsGroupDescribe", "groups", required=False),
    ),
    made_of=_MADE_OF,
    questions=(
        Question(
            "If broker 3 were lost, which brokers would take over its groups and transactional ids?",
            """SELECT groups_stranded, transactional_ids_stranded, next.broker_id, next.groups, next.transactional_ids
FROM current_coordinator_load LATERAL VIEW OUTER explode(if_lost) AS next
WHERE broker_id = 3
ORDER BY next.groups DESC""",
        ),
        Question(
            "Does any broker coordinate more than its share, and is that luck?",
            """SELECT broker_id, groups, round(groups_expected, 1) AS expected, members, offsets_partitions_led,
       groups_skew, groups_p_value, coalesce(groups_reason, groups_skew_reason) AS reason
FROM current_coordinator_load
WHERE (groups <= groups_expected) IS NOT TRUE
ORDER BY groups - groups_expected DESC""",
        ),
    ),
)
