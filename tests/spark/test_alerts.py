"""Alerts in Spark: figures counted in tables, and stored messages that the webhook accepted."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kafka_census.alerts.counting import count, with_owners
from kafka_census.alerts.facts import Facts
from kafka_census.alerts.metrics import COUNTS
from kafka_census.alerts.notifications import open_since, remember
from kafka_census.alerts.states import STATES, Change
from kafka_census.declarations.alerts import ALERTS
from kafka_census.errors import CorruptLake
from kafka_census.lake.lake import Lake
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.risks.columns import RISK_WORDS
from spark.faults import row
from spark.landed_items import rows_of
from spark.report_lake import Rows, census

START = datetime(2026, 11, 25, 12, 0, tzinfo=UTC)


def each(name: str, *values: object) -> Rows:
    """A row for each value of a column."""
    return [{name: value} for value in values]


ROWS: Mapping[str, Rows] = {
    "under_min_isr_partitions": [
        row(status="OFFLINE", ready_for_acks_all=False, groups_unable_to_commit=5),
        row(status="UNDER", ready_for_acks_all=False, groups_unable_to_commit=2),
        row(status="UNDER", ready_for_acks_all=False),
        *(row(status="AT", ready_for_acks_all=True), row(status="UNDER_REPLICATED", ready_for_acks_all=True)),
        row(status="UNKNOWN"),
    ],
    "brokers": each("state", "alive", "alive", "fenced", "not_alive", "gone"),
    "reassignment_backlog": [row(bytes_left=7, stalled=True), row(bytes_left=5, stalled=False), {}],
    "group_lag": [
        row(lag_total=2**53 - 10, group_state="Stable", partitions_unread=1, partitions_not_draining=2),
        *(row(lag_total=3, group_state="NotReady", partitions_unread=0), {}),
    ],
    "consumer_lag": [
        *each("range", "after_end", "before_start"),
        *(row(range="in_range", drain_reason="not_draining"), row(range="no_commit", drain_reason="lag_unknown")),
    ],
    "hanging_transactions": [
        *(row(verdict="hanging", confidence="high"), row(verdict="hanging", confidence="low"), row(verdict="held")),
    ],
    "quorum": [
        *(row(role="voter", caught_up=True), row(role="voter", caught_up=False), row(role="voter")),
        row(role="observer", caught_up=False),
    ],
    "log_dir_usage": [
        *each("state", "offline", "online"),
        *(row(state="online", usable_bytes=usable, total_bytes=100) for usable in (9, 10)),
    ],
    "transaction_coordinator_placement": [
        row(described_state="PrepareCommit", over_timeout=True),
        *(row(described_state="Ongoing", over_timeout=False), row(described_state="Empty")),
    ],
    "group_coordinator_placement": each("agreement", "agree", "formula_differs", "no_coordinator", "unknown"),
    "config_drift": each("kind", "not_desired", "not_default"),
    "coordinator_load": [row(groups_skew="wrong", transactional_ids_skew="unlucky")] * 2,
    "risks": [*(row(risk=word, state="open") for word in RISK_WORDS), row(risk="one_rack", state="unknown")],
    "failure_impact": [
        *(row(kind="broker", verdict="stops_writes"), row(kind="broker", verdict="unknown")),
        *(row(kind="broker", verdict="degrades"), row(kind="rack", verdict="loses_availability")),
    ],
}
COUNTED = (
    row(brokers=4, unreachable=2, offline=1, under_min_isr=2, not_ready_partitions=3, unable_to_commit=2)
    | row(groups_unable_to_commit=7, moving_replicas=3, stalled=1, reassignment_backlog_bytes=12)
    | row(lag_offsets=2**53 - 7, worst_lag_offsets=2**53 - 10, out_of_range=2, not_draining=1, lag_unknown=1)
    | row(hanging=1, skewed=2, broker_loss=1, voters_behind=2, log_dir_offline=1, disk_low=1, not_known=8)
    | dict.fromkeys(RISK_WORDS, 1)
    | row(under_replicated=2, transaction_late=1, streams_not_ready=1, coordinators_disagree=2, not_desired=1)
)


def figures(spark: SparkSession, rows: Mapping[str, Rows], **counts: int) -> Mapping[str, float]:
    """What is counted in these rows; `counts` are numbers of rows of the gate that are not theirs."""
    frames = {table.name: rows_of(spark, table, list(rows[table.name])) for table in TABLES if table.name in rows}
    found = count({name: len(some) for name, some in rows.items()} | counts, lambda table: frames[table.name])
    return {name.removeprefix("kafka_census_"): figure for name, figure in found.items()}


def test_every_figure_is_counted_in_one_query(spark: SparkSession) -> None:
    assert {table for metric in COUNTS for table in metric.sql} == set(ROWS)
    assert figures(spark, ROWS, quotas=1) == COUNTED
    # Metrics of tables that the census did not compute are left out.
    of_brokers = {"brokers": ROWS["brokers"]}
    assert set(figures(spark, of_brokers)) == {"brokers", "unreachable", "not_known"}
    assert figures(spark, {}, quotas=1) == {}
    assert figures(spark, dict.fromkeys(ROWS, ())) == dict.fromkeys(COUNTED, 0)
    with pytest.raises(CorruptLake, match=r"^published/brokers is damaged: the gate counted 0 rows, it has [1-9]$"):
        figures(spark, of_brokers, brokers=0)


def test_a_zero_among_rows_that_do_not_tell_is_not_known(spark: SparkSession) -> None:
    """No figure at all, so that the last one stays; sums that are known in part are lower bounds."""
    rows: Mapping[str, Rows] = {
        "under_min_isr_partitions": [row(status="UNKNOWN"), row(status="OK", ready_for_acks_all=True)],
        "quorum": each("role", "unknown"),
        "log_dir_usage": each("state", "online"),
        "reassignment_backlog": each("kind", "move"),
        "group_lag": [row(group_state="Stable", partitions_missed=1, partitions_without_commit=0)],
        "consumer_lag": [row(range="in_range", drain_reason="no_history"), row(range="no_commit")],
        "coordinator_load": [row(groups_skew="fair", groups_expected=1.0), row(transactional_ids_expected=0.0)],
        "hanging_transactions": each("verdict", "unknown"),
        "transaction_coordinator_placement": each("description_reason", "not read"),
        "group_coordinator_placement": each("agreement", "unknown"),
        "config_drift": each("kind", "not_read"),
        "risks": [row(state="unknown")],
        "failure_impact": [row(kind="broker", verdict="unknown")],
    }
    known = row(moving_replicas=1, out_of_range=0, unable_to_commit=0, groups_unable_to_commit=0, log_dir_offline=0)
    assert figures(spark, rows) == known | row(streams_not_ready=0, lag_unknown=1, not_known=12)
    few = {"coordinator_load": [{"groups_expected": 0.5, "transactional_ids_expected": 0.0}]}
    assert figures(spark, few) == {"skewed": 0, "not_known": 0}


def test_what_opened_is_told_by_owner(spark: SparkSession) -> None:
    """The most first; closed states, and states of things that nobody owns, have no owners."""
    rows = {
        "under_min_isr_partitions": [
            *(row(status="OFFLINE", owner=owner) for owner in ("pay", "ship", "ship", None)),
            row(status="OK", owner="pay"),
        ],
        "brokers": ROWS["brokers"],
    }
    frames = {table.name: rows_of(spark, table, list(rows[table.name])) for table in TABLES if table.name in rows}
    states = {state.name: state for state in STATES}
    changed = [Change(states["offline"], 4, START), Change(states["unreachable"], 2, START)]
    changed += [Change(states["refused"], 1, START), Change(states["under_min_isr"], 0, START)]
    told = with_owners(changed, lambda table: frames[table.name])
    assert [change.owners for change in told] == [(("ship", 2), ("", 1), ("pay", 1)), (), (), ()]


def test_what_was_reported_is_remembered_in_one_commit_a_message(spark: SparkSession, tmp_path: Path) -> None:
    """Rows are kept by cluster; the last row of a state decides whether it is open; times keep their microseconds."""
    lake = Lake(str(tmp_path / "lake"))
    assert open_since(spark, lake, ["prod"]) == {}
    offline, refused = (next(one for one in STATES if one.name == name) for name in ("offline", "refused"))
    first, second, third = (START + timedelta(hours=hour, microseconds=1) for hour in range(3))

    def reported(at: datetime, *changes: Change, names: tuple[str, ...] = ("prod",)) -> None:
        facts = Facts(names[0], at, 0, frozenset(), census(1, names[0]))
        remember(spark, lake, facts, changes, names)

    reported(first, Change(offline, 3, first), Change(refused, 1, first))
    assert open_since(spark, lake, ["other"]) == {}
    assert open_since(spark, lake, ["prod"]) == {"offline": first, "refused": first}
    reported(third, Change(offline, 0, first))
    assert open_since(spark, lake, ["prod"]) == {"refused": first}
    renamed = ("production", "prod")
    reported(second, Change(offline, 2, second), Change(refused, 0, first), names=renamed)  # the clock went back
    assert open_since(spark, lake, renamed) == {"offline": second}
    log = Path(lake.path(ALERTS.layer, ALERTS.name), "_delta_log")
    assert len(list(log.glob("*.json"))) == 3
