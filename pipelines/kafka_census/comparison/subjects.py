"""Every compared subject and its columns; values that move all the time, such as offsets, are not compared."""

from kafka_census.comparison.entity import ENTITY
from kafka_census.comparison.quoted import quoted
from kafka_census.comparison.subject import Listing, Number, Subject, Unread, Words

_BROKERS, _TOPICS, _GROUPS = Listing("DescribeCluster"), Listing("Metadata"), Listing("ListGroups")

UNREAD_PARTITIONS = "coalesce(partitions_unread, partitions_missed - partitions_without_commit)"
"""Partitions of a group of which an offset or an end was not read. Rows of an older release do not tell which of the
partitions without lag were read."""

_CAUGHT_UP = "CASE WHEN caught_up THEN 'caught up' WHEN NOT caught_up THEN 'behind' ELSE 'not heard from' END"
_FINALIZED = "coalesce(CAST(finalized_version AS STRING), 'none')"


def _decimal(column: str) -> str:
    """A double as text: engines print doubles differently, but whole numbers and decimals alike."""
    fraction = f"regexp_replace(CAST(CAST({column} AS DECIMAL(38, 6)) AS STRING), '0+$', '')"
    return (
        f"CASE WHEN {column} >= 9e18 THEN '9000000000000000000 or more' "
        f"WHEN {column} = floor({column}) THEN CAST(CAST({column} AS BIGINT) AS STRING) ELSE {fraction} END"
    )


SUBJECTS = (
    Subject(
        name="partition",
        table="under_min_isr_partitions",
        key=("topic", "partition"),
        text="topic || '-' || CAST(partition AS STRING)",
        things="partition >= 0",
        columns=(
            Words(
                "status",
                "nullif(status, 'UNKNOWN')",
                "CASE WHEN status = 'UNKNOWN' THEN reason END",
                worst_first=("OFFLINE", "UNDER", "AT", "UNDER_REPLICATED", "OK"),
            ),
            Words("leader_id", "coalesce(CAST(leader_id AS STRING), 'none')", of_cluster=True),
            Words("replicas", "CAST(replicas AS STRING)", of_cluster=True),
        ),
        why="reason",
        fields={"topic": "topic", "partition": "partition"},
    ),
    Subject(
        name="broker",
        table="brokers",
        key=("broker_id",),
        text="CAST(broker_id AS STRING)",
        things="state <> 'gone'",
        columns=(
            Words("state", "state", worst_first=("not_alive", "fenced", "alive")),
            Words("host", "host || ':' || CAST(port AS STRING)", of_cluster=True),
            Words("rack", "CASE WHEN state <> 'not_alive' THEN coalesce(rack, 'none') END", of_cluster=True),
            Words(
                "release_at_least",
                "release_at_least",
                "CASE WHEN state = 'alive' AND release_at_least IS NULL THEN 'the broker did not answer "
                "DescribeConfigs, or its API ranges prove no release' END",
            ),
            Words("is_controller", "CAST(is_controller AS STRING)", "controller_reason", of_cluster=True),
        ),
        listings=(_BROKERS, _TOPICS),
        shows="state",
        fields={"broker_id": "broker_id"},
    ),
    Subject(
        name="log_dir",
        table="log_dir_usage",
        key=("broker_id", "log_dir"),
        text="'broker ' || CAST(broker_id AS STRING) || ' ' || log_dir",
        things="state IN ('online', 'offline')",
        columns=(Words("state", "state", worst_first=("offline", "online")),),
        listings=(_BROKERS, _TOPICS),
        shows="state",
        why="reason",
        unread=Unread(rows="state = 'not_read'", scope=("broker_id",), name="'broker ' || CAST(broker_id AS STRING)"),
        fields={"broker_id": "broker_id"},
    ),
    Subject(
        name="voter",
        table="quorum",
        key=("replica_id", "directory_id"),
        text="rtrim(CAST(replica_id AS STRING) || ' ' || directory_id)",
        things="role = 'voter'",
        columns=(
            Words(
                "caught_up",
                _CAUGHT_UP,
                "CASE WHEN caught_up IS NULL AND leader_id IS NULL THEN reason END",
                worst_first=("not heard from", "behind", "caught up"),
            ),
            Words("is_leader", "CAST(is_leader AS STRING)", "CASE WHEN is_leader IS NULL THEN reason END"),
        ),
        listings=(Listing("DescribeQuorum"),),
        shows=_CAUGHT_UP,
        why="reason",
        unread=Unread(rows="role = 'unknown'", scope=(), reason="coalesce(reason, 'the quorum was not read')"),
        fields={"broker_id": "replica_id"},
    ),
    Subject(
        name="feature",
        table="brokers",
        key=("feature",),
        # A level is finalized for the cluster: all brokers tell the same one.
        each="(SELECT one.feature AS feature, max(one.finalized_version) AS finalized_version, max(observed_at) AS "
        "observed_at FROM (SELECT observed_at, explode(features) AS one FROM {rows}) AS told GROUP BY one.feature)",
        text="feature",
        columns=(Words("finalized_version", _FINALIZED),),
        listings=(_BROKERS,),
        shows=_FINALIZED,
        unread=Unread(rows="state = 'alive' AND features_reason IS NOT NULL", scope=(), reason="features_reason"),
    ),
    Subject(
        name="topic",
        table="topic_readiness",
        key=("topic",),
        text="topic",
        columns=(
            Words("partitions", "CAST(partitions AS STRING)", "CASE WHEN partitions IS NULL THEN reason END"),
            Words("topic_id", "topic_id", of_cluster=True),
        ),
        listings=(_TOPICS,),
        shows="CAST(partitions AS STRING) || CASE WHEN partitions = 1 THEN ' partition' ELSE ' partitions' END",
        fields={"topic": "topic"},
    ),
    Subject(
        name="group",
        table="group_lag",
        key=("group_id",),
        text="group_id",
        columns=(
            # At least twice as far behind, and by many offsets: the lag of a busy group moves all the time.
            Number(
                "lag_total", "coalesce(lag_total, 0)", "offsets_reason", UNREAD_PARTITIONS, at_least=10_000, factor=2
            ),
            Number("partitions_out_of_range", "partitions_out_of_range", "offsets_reason", UNREAD_PARTITIONS),
            Words(
                "members",
                "CASE WHEN members = 0 THEN 'none' WHEN members > 0 THEN 'some' END",
                "CASE WHEN coalesce(members, 0) = 0 THEN members_reason END",
                worst_first=("none", "some"),
            ),
            Words("group_type", "group_type"),
        ),
        listings=(_GROUPS,),
        shows="'lag ' || CAST(lag_total AS STRING)",
        fields={"group_id": "group_id"},
    ),
    Subject(
        name="transaction",
        table="hanging_transactions",
        key=("topic", "partition", "producer_id"),
        text="topic || '-' || CAST(partition AS STRING) || ' producer ' || CAST(producer_id AS STRING)",
        things="verdict = 'hanging'",
        columns=(Words("confidence", "confidence", worst_first=("high", "low")),),
        listings=(_TOPICS, Listing("ListTransactions"), Listing("DescribeTransactions")),
        shows="'hanging from offset ' || coalesce(CAST(current_txn_start_offset AS STRING), 'unknown')",
        why="coalesce(doubt, reason)",
        unread=Unread(
            rows="verdict = 'unknown'", scope=("topic", "partition"), reason="coalesce(reason, 'it was not judged')"
        ),
        fields={"topic": "topic", "partition": "partition"},
    ),
    Subject(
        name="move",
        table="reassignment_backlog",
        key=("topic", "partition", "replica_id", "kind"),
        text="topic || '-' || CAST(partition AS STRING) || ' ' || kind || ' at broker ' || CAST(replica_id AS STRING)",
        columns=(
            Words(
                "stalled",
                "CASE WHEN stalled THEN 'stalled' WHEN NOT stalled THEN 'moving' END",
                worst_first=("stalled", "moving"),
            ),
        ),
        listings=(Listing("ListPartitionReassignments"), Listing("DescribeLogDirs", node="replica_id")),
        shows="CAST(bytes_left AS STRING) || ' bytes left'",
        fields={"topic": "topic", "partition": "partition", "broker_id": "replica_id"},
    ),
    Subject(
        name="config",
        table="config_drift",
        key=("resource_type", "resource_name", "name"),
        text="resource_type || ' ' || resource_name || ' ' || name",
        things="kind = 'not_default'",
        columns=(
            Words("value", "coalesce(value, CASE WHEN is_sensitive THEN 'hidden' ELSE 'none' END)"),
            Words("source", "source"),
        ),
        listings=(_BROKERS, _TOPICS),
        shows="coalesce(value, CASE WHEN is_sensitive THEN 'hidden' ELSE 'none' END)",
        unread=Unread(
            rows="kind = 'not_read'",
            scope=("resource_type", "resource_name"),
            name="resource_type || ' ' || resource_name",
        ),
        fields={
            "topic": "CASE WHEN resource_type = 'topic' THEN resource_name END",
            "broker_id": "CASE WHEN resource_type = 'broker' THEN TRY_CAST(resource_name AS INT) END",
        },
    ),
    Subject(
        name="acl",
        table="acl_inventory",
        key=("resource_type", "resource_name", "pattern_type", "principal", "host", "operation", "permission"),
        text="CASE WHEN resource_type = '' THEN 'no authorizer' ELSE permission || ' ' || operation || ' on ' "
        f"|| resource_type || ' ' || pattern_type || ' ' || {quoted('resource_name')} || ' to ' || "
        f"{quoted('principal')} || ' from ' || {quoted('host')} END",
        columns=(
            Words(
                "is_dangerous",
                "CASE WHEN is_dangerous THEN 'dangerous' ELSE 'ordinary' END",
                worst_first=("dangerous", "ordinary"),
            ),
        ),
        listings=(Listing("DescribeAcls"),),
        shows="CASE WHEN is_dangerous THEN 'dangerous' ELSE 'ordinary' END",
        why="reason",
    ),
    Subject(
        name="quota",
        table="quotas",
        key=(),
        # Computed anew: in rows of an older release `entity` does not tell a user named <default> from the default.
        text=f"{ENTITY} || ' ' || quota",
        columns=(Words("value", _decimal("value")),),
        listings=(Listing("DescribeClientQuotas"),),
        shows=_decimal("value"),
    ),
    Subject(
        name="scram_user",
        table="scram_users",
        key=("user", "mechanism"),
        text=f"{quoted('user')} || ' ' || mechanism",
        things="mechanism <> ''",
        columns=(Words("iterations", "CAST(iterations AS STRING)"),),
        listings=(Listing("DescribeUserScramCredentials"),),
        shows="CAST(iterations AS STRING) || ' iterations'",
        unread=Unread(rows="mechanism = ''", scope=("user",), reason="coalesce(reason, 'the user was not described')"),
    ),
)
"""The subjects, those that affect writers first."""
