"""Each check between tables lets a right census pass, and names the fault in a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.census.gate import cross_checks
from kafka_census.census.gate.outcome import named, of_rule
from kafka_census.census.gate.tally import tallies
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.tables.suites import SUITES
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS
from spark.faults import planted
from spark.group_items import LandedItems
from spark.landed_items import item

Rows = dict[str, list[dict[str, Any]]]

RIGHT: Rows = {
    "brokers": [{"broker_id": 1}, {"broker_id": 2}],
    "under_min_isr_partitions": [
        {"topic": "a", "partition": 1, "replicas": [1, 2], "isr": [1], "eligible_leader_replicas": [2], "leader_id": 1},
        {"topic": "a", "partition": 0, "replicas": [2], "leader_id": -1},
        {"topic": "b", "partition": 0, "replicas": [2]},
        {"topic": "deleted", "partition": 0},
        {"topic": "deleted", "partition": 2},
    ],
    "group_coordinator_placement": [
        {"group_id": "g", "listed_by": [1], "expected_coordinator": 2, "found_coordinator": 1},
        {"group_id": ""},
    ],
    "transaction_coordinator_placement": [{"transactional_id": "t", "listed_by": [2], "expected_coordinator": 2}],
    "group_lag": [{"group_id": "g", "members": 2}, {"group_id": "", "members_reason": "refused"}],
    "group_members": [
        *({"group_id": "g", "member_id": name, "status": "described"} for name in ("m-1", "m-2")),
        {"group_id": "", "member_id": "", "status": "not_read"},
    ],
    "consumer_lag": [{"group_id": "g", "topic": "a", "partition": number} for number in range(3)],
    "deletable_groups": [{"group_id": "g"}, {"group_id": ""}],
    "log_dir_usage": [{"broker_id": 1, "log_dir": "/d"}],
    "coordinator_load": [{"broker_id": 1, "if_lost": [{"broker_id": 2}]}],
    "reassignment_backlog": [{"replica_id": 2, "adding_replicas": [2], "removing_replicas": [1]}],
    "reassignment_backlog_by_broker": [{"broker_id": 1}],
}
WRONG: dict[str, tuple[list[dict[str, Any]], str]] = {
    "under_min_isr_partitions_partitions_are_contiguous": (
        [{"topic": "gap", "partition": number} for number in (0, 1, 3)],
        "topic=gap: 3 partitions from 0 to 3",
    ),
    "group_coordinator_placement_placed_groups_are_listed": ([{"group_id": "unlisted"}], "group_id=unlisted"),
    "group_lag_groups_are_placed": ([{"group_id": "x"}], "group_id=x"),
    "consumer_lag_groups_are_placed": ([{"group_id": "y"}] * 2, "group_id=y"),
    "deletable_groups_groups_are_placed": ([{"group_id": "z"}], "group_id=z"),
    "group_members_members_are_counted": (
        [{"group_id": "g", "member_id": "m-3", "status": "described"}],
        "group_id=g",
    ),
}
OF_BROKERS: dict[str, dict[str, Any]] = {
    "under_min_isr_partitions": {"topic": "c", "partition": 0, "replicas": [1, 90]},
    "log_dir_usage": {"broker_id": 91},
    "group_coordinator_placement": {"group_id": "g", "found_coordinator": 92},
    "transaction_coordinator_placement": {"listed_by": [93]},
    "coordinator_load": {"broker_id": 1, "if_lost": [{"broker_id": 94}]},
    "reassignment_backlog": {"adding_replicas": [95]},
    "reassignment_backlog_by_broker": {"broker_id": 96},
}
WRONG |= {
    f"{of}_brokers_are_known": ([row], f"broker={number}") for number, (of, row) in enumerate(OF_BROKERS.items(), 90)
}


DESCRIBED = [item(topic="deleted", error_code=3), item(topic="gap", partition=0, error_code=5)]
"""A topic was deleted before its second page was requested, and a partition of another has no leader."""


def test_each_planted_fault_is_named_by_its_check(spark: SparkSession) -> None:
    """One fault per check; each check fails with that key alone, and on no right row; none raises.

    Leaderless partitions name no broker, a topic may be deleted between its pages, and an empty group id is valid.
    """
    checks = cross_checks.applicable(TABLES)
    rows = {suite.table.name: list(RIGHT.get(suite.table.name, ())) for suite in SUITES}
    for check in checks:
        rows[check.table.name] += WRONG[check.name][0]
    staged = {suite.table.name: planted(spark, suite, rows[suite.table.name]) for suite in SUITES}
    landed = LandedItems(spark, UNDER_MIN_ISR_PARTITIONS, {"partitions": DESCRIBED})
    subjects = cross_checks.subjects(checks, staged, landed)
    counted, _ = tallies(subjects, {}, one_task=True)
    judged = [of_rule(check.condition, of, counted[of.name]) for of, check in zip(subjects, checks, strict=True)]
    outcomes = [one for [one] in named([(of, [one]) for of, one in zip(subjects, judged, strict=True)], one_task=True)]
    assert [outcome.raised for outcome in outcomes] == [None] * len(cross_checks.CROSS_CHECKS)
    found = {outcome.rule: outcome.failing_keys for outcome in outcomes if not outcome.success}
    assert found == {check: (f"key={key}",) for check, (_, key) in WRONG.items()}
    assert set(found) == {check.name for check in cross_checks.CROSS_CHECKS}


def test_checks_need_both_of_their_tables() -> None:
    """A census of few tables is checked only on these tables."""
    assert cross_checks.applicable((QUORUM, BROKERS)) == ()
    [alone] = cross_checks.applicable((UNDER_MIN_ISR_PARTITIONS,))
    assert alone.rule == "partitions_are_contiguous"
    both = cross_checks.applicable((UNDER_MIN_ISR_PARTITIONS, BROKERS))
    assert [check.rule for check in both] == ["partitions_are_contiguous", "brokers_are_known"]
