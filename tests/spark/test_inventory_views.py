"""Brokers, dirs, configs, rights and quotas on a terminal: worst first, and unknown differs from none."""

from datetime import UTC, datetime
from typing import Any

from pyspark.sql import SparkSession

from kafka_census.report.views.acl_inventory import ACL_INVENTORY_VIEW
from kafka_census.report.views.brokers import BROKERS_VIEW
from kafka_census.report.views.config_drift import CONFIG_DRIFT_VIEW
from kafka_census.report.views.log_dir_usage import LOG_DIR_USAGE_VIEW
from kafka_census.report.views.quorum import QUORUM_VIEW
from kafka_census.report.views.quotas import QUOTAS_VIEW
from kafka_census.report.views.scram_users import SCRAM_USERS_VIEW
from kafka_census.report.views.topics import TOPICS_VIEW
from spark.viewed import reported

LONG = "a-name-that-is-rather-long-as-names-in-real-clusters-are"


def test_brokers_that_need_a_look(spark: SparkSession) -> None:
    counts = ("leaders", "preferred_elsewhere", "replicas", "out_of_sync_replicas", "offline_replicas")
    base: dict[str, Any] = dict.fromkeys(counts, 0) | {"state": "alive", "rack": LONG, "is_controller": False}
    rows = [
        base | {"broker_id": 1, "leaders": 10**6},
        base | {"broker_id": 2, "preferred_elsewhere": 3},
        base | {"broker_id": 3, "state": "not_alive", "offline_replicas": 10**6, "rack": None},
        base | dict.fromkeys(counts) | {"broker_id": 4, "counts_reason": "not read", "is_controller": None},
    ]
    shown, totals = reported(spark, BROKERS_VIEW, rows)
    assert [row.broker_id for row in shown] == [3, 4, 2]
    assert (BROKERS_VIEW.cells(shown[1])[3:5], BROKERS_VIEW.note(shown[1])) == (("?", "-"), "not read")
    assert totals == ["4 brokers: 1 not_alive, 3 alive", "3 partitions not led by the preferred replica"]


def test_dirs_by_how_full_they_are(spark: SparkSession) -> None:
    base = {"state": "online", "log_dir": f"/{LONG}", "total_bytes": 1000, "replicas": 10**6, "skew": 1.0}
    rows = [
        base | {"broker_id": 1, "usable_bytes": 500, "replica_bytes": 300, "leader_bytes": 100},
        base | {"broker_id": 2, "usable_bytes": 5, "replica_bytes": 600, "leader_bytes": 200},
        {"broker_id": 3, "log_dir": "/d", "state": "offline", "reason": "not readable"},
        {"broker_id": 4, "log_dir": "", "state": "not_read", "reason": "down"},
    ]
    shown, totals = reported(spark, LOG_DIR_USAGE_VIEW, rows)
    assert [row.broker_id for row in shown] == [3, 4, 2, 1]
    assert LOG_DIR_USAGE_VIEW.cells(shown[1])[1:6] == ("-", "not_read", "-", "-", "-")
    assert totals == ["4 log dirs: 1 offline, 1 not_read, 2 online", "at least 300 B of data, 900 B with all replicas"]
    assert reported(spark, LOG_DIR_USAGE_VIEW, rows[:2])[1][1] == "300 B of data, 900 B with all replicas"


def test_topics_by_their_bytes(spark: SparkSession) -> None:
    base = {"is_internal": False, "groups": 1, "partitions": 10**5, "cleanup_policy": "compact,delete"}
    written = datetime(2026, 11, 20, tzinfo=UTC)
    rows = [
        base | {"topic": "small", "leader_bytes": 10, "growth_bytes": -5_000_000, "groups": 0},
        base | {"topic": LONG, "leader_bytes": 10**15, "growth_bytes": 7, "last_written_at": written},
        base | {"topic": "dark", "leader_bytes_reason": "down", "groups_reason": "down", "replicas_sharing_rack": 3},
        base | {"topic": "least", "leader_bytes": 15, "last_written_at_least": written, "last_written_reason": "down"},
        base | {"topic": "__internal", "leader_bytes": 20, "is_internal": True, "groups": 0},
    ]
    shown, totals = reported(spark, TOPICS_VIEW, rows)
    assert [row.topic for row in shown] == ["dark", LONG, "__internal", "least", "small"]
    assert TOPICS_VIEW.cells(shown[0])[2:] == ("-", "-", "compact,delete", "1+", "-", "3")
    assert TOPICS_VIEW.note(shown[0]) == "down"
    assert TOPICS_VIEW.cells(shown[1])[6] == "2026-11-20"
    assert TOPICS_VIEW.cells(shown[3])[6] == "2026-11-20+"
    assert TOPICS_VIEW.cells(shown[4])[3].startswith("-")
    assert totals == [
        "5 topics: at least 1.0 PB of data",
        "1 topic that no group reads, Kafka's own aside",
        "1 topic with several replicas of a partition in one rack",
    ]


def test_configs_that_are_not_as_they_should_be(spark: SparkSession) -> None:
    base = {"resource_type": "topic", "resource_name": LONG, "name": "min.insync.replicas", "value": "1"}
    kinds = ("not_default", "not_read", "between_brokers", "since_before", "not_desired")
    rows = [base | {"kind": kind, "expected": "2", "reason": "r"} for kind in kinds]
    rows[1] |= {"value": None, "name": ""}
    shown, totals = reported(spark, CONFIG_DRIFT_VIEW, rows)
    assert [row.kind for row in shown] == ["not_desired", "since_before", "between_brokers", "not_read"]
    assert [CONFIG_DRIFT_VIEW.note(row) for row in shown] == [None, None, None, "r"]
    assert totals == ["5 rows: 1 not_desired, 1 since_before, 1 between_brokers, 1 not_read, 1 not_default"]
    assert reported(spark, CONFIG_DRIFT_VIEW, [])[1] == ["no config is set"]


def test_dangerous_grants(spark: SparkSession) -> None:
    """Entries with most dangers first; without an authorizer nothing else is shown.

    A prefix is called one: with a star behind it, it would look like a literal name, and a star would be two.
    """
    base = {"resource_type": "topic", "resource_name": LONG, "pattern_type": "prefixed", "permission": "allow"}
    base |= {"operation": "write", "is_dangerous": False}
    danger = {"is_dangerous": True, "reason": "why"}
    rows = [
        base | {"principal": "User:a"},
        base | danger | {"principal": "User:b", "dangers": ["internal_topics"]},
        base | danger | {"principal": "User:*", "dangers": ["everyone", "internal_topics"]},
        base | {"principal": "User:a", "permission": "deny"},
    ]
    shown, totals = reported(spark, ACL_INVENTORY_VIEW, rows)
    assert [row.principal for row in shown] == ["User:*", "User:b"]
    assert ACL_INVENTORY_VIEW.cells(shown[1])[2] == f"topic prefix {LONG}"
    assert totals == ["4 ACLs: 3 allow, 1 deny", "2 grants may be dangerous"]
    assert reported(spark, ACL_INVENTORY_VIEW, [])[1] == ["no ACLs"]
    none = dict.fromkeys(base, "") | danger | {"principal": "", "dangers": ["no_authorizer"]}
    shown, totals = reported(spark, ACL_INVENTORY_VIEW, [none])
    assert ACL_INVENTORY_VIEW.cells(shown[0]) == ("everyone", "all", "everything", "no_authorizer")
    assert totals == ["no authorizer is configured: everyone may do everything"]


def test_replicas_of_the_metadata_log_that_lag(spark: SparkSession) -> None:
    base = {"role": "voter", "caught_up": True, "lag_offsets": 0, "lag_ms": 0, "is_leader": False}
    behind = {"caught_up": False, "lag_offsets": 10**9, "lag_ms": 90_000, "reason": "behind"}
    rows = [
        base | {"replica_id": 1, "is_leader": True},
        base | {"replica_id": 2},
        base | behind | {"replica_id": 3, "role": "observer"},
        base | {"replica_id": 4, "caught_up": None, "lag_offsets": None, "lag_ms": None, "reason": "silent"},
    ]
    shown, totals = reported(spark, QUORUM_VIEW, rows)
    assert [row.replica_id for row in shown] == [4, 3]
    assert QUORUM_VIEW.cells(shown[0])[3:] == ("-", "-", "-")
    assert QUORUM_VIEW.cells(shown[1])[3:] == ("1000000000", "1m 30s", "NO")
    assert totals == ["4 replicas: 3 voter, 1 observer", "2 of 3 voters caught up, 2 needed"]


def test_quotas_and_credentials(spark: SparkSession) -> None:
    quotas = [
        {"entity": LONG, "quota": "controller_mutation_rate", "value": 2.5, "unit": "mutations/s"},
        {"entity": LONG, "quota": "producer_byte_rate", "value": 1.5e9, "unit": "bytes/s"},
        {"entity": LONG, "quota": "later_rate", "value": 7.0},
    ]
    shown, totals = reported(spark, QUOTAS_VIEW, quotas)
    assert [QUOTAS_VIEW.cells(row)[2] for row in shown] == ["2.5 mutations/s", "7", "1.5 GB/s"]
    assert totals == ["3 quotas: 1 producer_byte_rate, 1 controller_mutation_rate, 1 later_rate"]
    both = ["SCRAM-SHA-256", "SCRAM-SHA-512"]
    users: list[dict[str, Any]] = [
        {"user": LONG, "mechanism": each, "iterations": 8192, "mechanisms": both, "only_sha_256": False}
        for each in both
    ]
    users.append({"user": "weak", "mechanism": both[0], "mechanisms": both[:1], "only_sha_256": True})
    shown, totals = reported(spark, SCRAM_USERS_VIEW, users)
    assert [row.user for row in shown] == ["weak", LONG, LONG]
    assert totals == ["3 credentials: 1 SCRAM-SHA-512, 2 SCRAM-SHA-256", "1 user cannot log in by SCRAM-SHA-512"]
    assert (reported(spark, QUOTAS_VIEW, [])[1], reported(spark, SCRAM_USERS_VIEW, [])[1]) == ([], [])


def test_an_empty_name_is_shown_as_one(spark: SparkSession) -> None:
    """A principal without a name is not everyone, and brokers accept entries for it."""
    nameless = {"resource_type": "group", "resource_name": "*", "pattern_type": "literal", "permission": "allow"}
    nameless |= {"principal": "", "host": "", "operation": "all", "is_dangerous": True, "dangers": ["every_resource"]}
    shown, _ = reported(spark, ACL_INVENTORY_VIEW, [nameless])
    assert ACL_INVENTORY_VIEW.cells(shown[0]) == ('""', "all", "group *", "every_resource")
