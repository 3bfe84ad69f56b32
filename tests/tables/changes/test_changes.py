"""Changes in Spark: the same rows as DuckDB's, under the ids of this census; no rows for a first census."""

from typing import Any

from pyspark.sql import Row, SparkSession

from harness.both_engines import comparable
from harness.compared import BEFORE, COMPARED, changes, text
from kafka_census.comparison.subjects import SUBJECTS
from kafka_census.declarations.transform import Earlier
from kafka_census.pages.missing_read import read_back
from kafka_census.tables.changes.columns import CHANGES
from kafka_census.tables.changes.transform import changes as transformed
from spark.landed_items import CENSUS, CLUSTER, NOON, rows_of

SEEN = {"observed_at": NOON}
GROUP = SEEN | {"partitions_missed": 0, "partitions_without_commit": 0, "partitions_out_of_range": 0, "members": 1}
CONFIG = SEEN | {"kind": "not_default", "resource_type": "topic", "value": "1", "source": "topic"}
ACL = SEEN | {"resource_type": "topic", "pattern_type": "literal", "principal": "User:a", "host": "*"}
FEATURES = [{"feature": "metadata.version", "min_version": 1, "max_version": 9, "finalized_version": 7}]
WORLD: dict[str, list[dict[str, Any]]] = {
    "under_min_isr_partitions": [
        SEEN | {"topic": "a", "partition": at, "status": "OK", "leader_id": 1, "replicas": [1, 2]} for at in range(4)
    ],
    "brokers": [
        SEEN | {"broker_id": at, "state": "alive", "host": f"b{at}", "port": 9092, "features": FEATURES}
        for at in (1, 2, 3)
    ],
    "topic_readiness": [SEEN | {"topic": topic, "partitions": 4, "topic_id": "i"} for topic in ("a", "it's `b`")],
    "group_lag": [GROUP | {"group_id": group, "lag_total": 20_000} for group in ("g", "h", "é {0}", "")],
    "reassignment_backlog": [
        SEEN | {"topic": "a", "partition": 0, "kind": "move", "replica_id": at, "bytes_left": 7} for at in (2, 3)
    ],
    "config_drift": [CONFIG | {"resource_name": "a", "name": name} for name in ("x", "y")]
    + [CONFIG | {"resource_name": "b", "name": "x"}],
    "acl_inventory": [
        ACL | {"resource_name": at, "operation": "read", "permission": "allow", "is_dangerous": False} for at in "ab"
    ],
    "log_dir_usage": [SEEN | {"broker_id": at, "log_dir": "/d", "state": "online"} for at in (1, 2, 3)],
    "quorum": [
        SEEN | {"replica_id": at, "directory_id": "", "role": "voter", "caught_up": True, "leader_id": 1}
        for at in (1, 2, 3)
    ],
    "hanging_transactions": [
        SEEN | {"topic": "a", "partition": at, "producer_id": 7, "verdict": "hanging", "confidence": "low"}
        for at in (0, 1, 2)
    ],
    "scram_users": [
        SEEN | {"user": user, "mechanism": "SCRAM-SHA-256", "iterations": 4096} for user in ("a b", "c", "it's")
    ],
    "quotas": [
        SEEN | {"user": names[0], "client_id": names[1], "is_default": False, "quota": "request_percentage", "value": 1}
        for names in (("a", "b"), ("a, client-id b", None), ("é'\n", None), ("", ""), ("<default>", None))
    ]
    + [
        SEEN | {"user": f"u{at}", "is_default": False, "quota": "producer_byte_rate", "value": value}
        for at, value in enumerate((0.1, 1e7, 123456789.5, 2.0**62, 1e300))
    ],
}


def later() -> dict[str, list[dict[str, Any]]]:
    """The same state, later: every subject has changed, in every possible way."""
    made = {name: [dict(row) for row in rows] for name, rows in WORLD.items()}
    partitions, brokers, topics, groups = list(made.values())[:4]
    partitions[0] |= {"status": "UNDER", "reason": "isr 1 < 2", "leader_id": None}
    partitions[1] |= {"status": "UNKNOWN", "reason": "not read"}
    partitions[2] |= {"replicas": [2, 1]}
    brokers[1] |= {"state": "not_alive", "host": None, "port": None}
    brokers[2] |= {"state": "gone"}
    topics[0] |= {"partitions": None, "reason": "not described"}
    topics[1] |= {"topic": "c"}
    groups[0] |= {"lag_total": 50_000, "members": 0}
    groups[1] |= {"lag_total": 9, "partitions_missed": 2}
    groups[2] |= {"group_id": "new"}
    made["reassignment_backlog"] = [made["reassignment_backlog"][0] | {"stalled": True, "replica_id": 4}]
    made["config_drift"][0] |= {"value": "2"}
    made["config_drift"][2] |= {"kind": "not_read", "name": "", "value": None, "reason": "it's not read"}
    made["acl_inventory"][0] |= {"is_dangerous": True, "reason": "why"}
    made["acl_inventory"][1] |= {"permission": "deny"}
    made["brokers"][0] |= {"features": [feature | {"finalized_version": 8} for feature in FEATURES]}
    made["log_dir_usage"][0] |= {"state": "offline"}
    made["log_dir_usage"][1] |= {"state": "not_read", "log_dir": "", "reason": "lost"}
    made["quorum"][1] |= {"caught_up": None}
    made["quorum"][2] |= {"replica_id": 4}
    made["hanging_transactions"][1] |= {"confidence": "high"}
    made["hanging_transactions"][2] |= {"producer_id": -1, "verdict": "unknown", "reason": "lost"}
    made["scram_users"][0] |= {"iterations": 8192}
    made["scram_users"][1] |= {"mechanism": "", "reason": "lost"}
    made["scram_users"][2] |= {"user": "it"}
    made["quotas"] = [row | {"value": row["value"] * 3} for row in made["quotas"][:8]]
    return made


BEFORE_LACKS = [read_back("ListPartitionReassignments", None, "LOST")]
LACKS = [read_back("ListGroups", 3, "BROKER_NOT_ALIVE"), read_back("DescribeLogDirs", 3, "BROKER_NOT_ALIVE")]


def test_spark_and_duckdb_find_the_same_changes(spark: SparkSession) -> None:
    """All columns of all rows are equal, from the same SQL text."""
    earlier = {
        table.name: Earlier(BEFORE, rows_of(spark, table, WORLD[table.name]), BEFORE_LACKS) for table in COMPARED
    }
    tables = {table.name: rows_of(spark, table, later()[table.name]) for table in COMPARED}
    lacking = {table.name: LACKS for table in COMPARED}
    found = transformed(ids=(CENSUS, CLUSTER), earlier=earlier, lacking=lacking, missing=(), **tables)
    assert found.columns == CHANGES.computed.names
    rows: list[Row] = found.collect()
    assert {(row.census_id, row.cluster_id) for row in rows} == {(CENSUS, CLUSTER)}
    ours = [
        {name: value for name, value in row.asDict().items() if name not in ("census_id", "cluster_id")} for row in rows
    ]
    theirs = [dict(row) for row in changes(WORLD, later(), text(BEFORE_LACKS, LACKS))]
    order = [name for name in CHANGES.columns if name in ours[0]]
    assert comparable(ours) == comparable({name: row[name] for name in order} for row in theirs)
    assert {row.subject for row in rows} == {subject.name for subject in SUBJECTS}
    assert {row.change for row in rows} == {"worse", "gone", "unread", "changed", "appeared"}


def test_a_table_that_one_of_the_censuses_lacks_is_told_and_not_compared(spark: SparkSession) -> None:
    """Its rows neither appeared nor are gone; of an empty table nothing is told."""
    both, lost, new, none = "under_min_isr_partitions", "scram_users", "quotas", "quorum"
    frames = {table.name: rows_of(spark, table, later()[table.name]) for table in COMPARED}
    earlier = {name: Earlier(BEFORE, frames[name]) for name in (both, lost)}
    tables = {name: frames[name] for name in (both, new)} | {none: frames[none].limit(0)}
    found = transformed(ids=(CENSUS, CLUSTER), earlier=earlier, lacking={}, missing=(), **tables).collect()
    columns = ("subject", "table_name", "key", "column_name", "change", "reason", "before_census_id")
    assert {tuple(row[name] for name in columns) for row in found} == {
        ("scram_user", lost, "", "", "unread", "this census has no table scram_users", BEFORE),
        ("quota", new, "", "", "unread", "no census before has the table quotas", BEFORE),
    }
    assert all(row.observed_at for row in found)
