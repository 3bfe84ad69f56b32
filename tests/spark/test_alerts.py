"""Alerts in Spark: figures counted in tables, and stored messages that the webhook accepted."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from kafka_census.alerts.counting import count
from kafka_census.alerts.facts import Facts
from kafka_census.alerts.metrics import COUNTS
from kafka_census.alerts.notifications import open_since, remember
from kafka_census.alerts.states import STATES, Change
from kafka_census.declarations.alerts import ALERTS
from kafka_census.declarations.table import Table
from kafka_census.errors import CorruptLake
from kafka_census.lake.lake import Lake
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.config_drift.columns import CONFIG_DRIFT
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.coordinator_load.columns import COORDINATOR_LOAD
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.group_lag.columns import GROUP_LAG
from kafka_census.tables.hanging_transactions.columns import HANGING_TRANSACTIONS
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS
from spark.faults.faults import row
from spark.landed_items import rows_of
from spark.report_lake import Rows, census

START = datetime(2026, 11, 25, 12, 0, tzinfo=UTC)


def each(name: str, *values: object) -> Rows:
    """A row for each value of a column."""
    return [{name: value} for value in values]


ROWS: Mapping[Table, Rows] = {
    UNDER_MIN_ISR_PARTITIONS: [
        row(status="OFFLINE", ready_for_acks_all=False, groups_unable_to_commit=5),
        row(status="UNDER", ready_for_acks_all=False, groups_unable_to_commit=2),
        row(status="UNDER", ready_for_acks_all=False),
        *(row(status="AT", ready_for_acks_all=True), row(status="UNDER_REPLICATED", ready_for_acks_all=True)),
        row(status="UNKNOWN"),
    ],
    BROKERS: each("state", "alive", "alive", "fenced", "not_alive", "gone"),
    REASSIGNMENT_BACKLOG: [row(bytes_left=7, stalled=True), row(bytes_left=5, stalled=False), {}],
    GROUP_LAG: [
        row(lag_total=2**53 - 10, group_state="Stable", partitions_unread=1, partitions_not_draining=2),
        *(row(lag_total=3, group_state="NotReady", partitions_unread=0), {}),
    ],
    CONSUMER_LAG: [
        *each("range", "after_end", "before_start"),
        *(row(range="in_range", drain_reason="not_draining"), row(range="no_commit", drain_reason="lag_unknown")),
    ],
    HANGING_TRANSACTIONS: [
        *(row(verdict="hanging", confidence="high"), row(verdict="hanging", confidence="low"), row(verdict="held")),
    ],
    QUORUM: [
        *(row(role="voter", caught_up=True), row(role="voter", caught_up=False), row(role="voter")),
        row(role="observer", caught_up=False),
    ],
    LOG_DIR_USAGE: [
        *each("state", "offline", "online"),
        *(row(state="online", usable_bytes=usable, total_bytes=100) for usable in (9, 10)),
    ],
    TRANSACTION_COORDINATOR_PLACEMENT: [
        row(described_state="PrepareCommit", over_timeout=True),
        *(row(described_state="Ongoing", over_timeout=False), row(described_state="Empty")),
    ],
    GROUP_COORDINATOR_PLACEMENT: each("agreement", "agree", "formula_differs", "no_coordinator", "unknown"),
    CONFIG_DRIFT: each("kind", "not_desired", "not_default"),
    COORDINATOR_LOAD: [row(groups_skew="wrong", transactional_ids_skew="unlucky")] * 2,
}
COUNTED = (
    row(brokers=4, unreachable=2, offline=1, under_min_isr=2, not_ready_partitions=3, unable_to_commit=2)
    | row(groups_unable_to_commit=7, moving_replicas=3, stalled=1, reassignment_backlog_bytes=12)
    | row(lag_offsets=2**53 - 7, worst_lag_offsets=2**53 - 10, out_of_range=2, not_draining=1, lag_unknown=1)
    | row(hanging=1, skewed=2, voters_behind=2, log_dir_offline=1, disk_low=1, not_known=6)
    | row(under_replicated=2, transaction_late=1, streams_not_ready=1, coordinators_disagree=2, not_desired=1)
)


def frames(spark: SparkSession, rows: Mapping[Table, Rows]) -> dict[str, DataFrame]:
    return {table.name: rows_of(spark, table, list(some)) for table, some in rows.items()}


def test_every_figure_is_counted_in_one_query(spark: SparkSession) -> None:
    assert {table for metric in COUNTS for table in metric.sql} == {table.name for table in ROWS}
    tables = frames(spark, ROWS)
    rows = {table.name: len(some) for table, some in ROWS.items()}
    counted = count(rows | {"quotas": 1}, lambda table: tables[table.name])
    assert counted == {f"kafka_census_{name}": figure for name, figure in COUNTED.items()}
    # Metrics of tables that the census did not compute are left out.
    of_brokers = count({"brokers": len(ROWS[BROKERS])}, lambda table: tables[table.name])
    assert set(of_brokers) == {"kafka_census_brokers", "kafka_census_unreachable", "kafka_census_not_known"}
    assert count({"quotas": 1}, lambda table: tables[table.name]) == {}
    none = frames(spark, dict.fromkeys(ROWS, ()))
    assert count(dict.fromkeys(none, 0), lambda table: none[table.name]) == dict.fromkeys(counted, 0)
    with pytest.raises(CorruptLake, match=r"^published/brokers is damaged: the gate counted 0 rows, it has [1-9]$"):
        count({"brokers": 0}, lambda table: tables[table.name])


def test_a_zero_among_rows_that_do_not_tell_is_not_known(spark: SparkSession) -> None:
    """No figure at all, so that the last one stays; sums that are known in part are lower bounds."""
    rows: Mapping[Table, Rows] = {
        UNDER_MIN_ISR_PARTITIONS: [row(status="UNKNOWN"), row(status="OK", ready_for_acks_all=True)],
        QUORUM: each("role", "unknown"),
        LOG_DIR_USAGE: each("state", "online"),
        REASSIGNMENT_BACKLOG: each("kind", "move"),
        GROUP_LAG: [row(group_state="Stable", partitions_missed=1, partitions_without_commit=0)],
        CONSUMER_LAG: [row(range="in_range", drain_reason="no_history"), row(range="no_commit")],
        COORDINATOR_LOAD: [row(groups_skew="fair", groups_expected=1.0), row(transactional_ids_expected=0.0)],
        HANGING_TRANSACTIONS: each("verdict", "unknown"),
        TRANSACTION_COORDINATOR_PLACEMENT: each("description_reason", "not read"),
        GROUP_COORDINATOR_PLACEMENT: each("agreement", "unknown"),
        CONFIG_DRIFT: each("kind", "not_read"),
    }
    tables = frames(spark, rows)
    known = row(moving_replicas=1, out_of_range=0, unable_to_commit=0, groups_unable_to_commit=0, log_dir_offline=0)
    known |= row(streams_not_ready=0, lag_unknown=1, not_known=10)
    counts = {table.name: len(of) for table, of in rows.items()}
    assert count(counts, lambda table: tables[table.name]) == {
        f"kafka_census_{name}": figure for name, figure in known.items()
    }
    few = frames(spark, {COORDINATOR_LOAD: [{"groups_expected": 0.5, "transactional_ids_expected": 0.0}]})
    known = row(kafka_census_skewed=0, kafka_census_not_known=0)
    assert count({"coordinator_load": 1}, lambda table: few[table.name]) == known


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
    assert open_since(spark, lake, ["other", "prod"]) == {"offline": first, "refused": first}, "a renamed cluster"
    reported(second, Change(offline, 0, first))
    assert open_since(spark, lake, ["prod"]) == {"refused": first}
    reported(third, Change(offline, 2, third))
    assert open_since(spark, lake, ["prod"]) == {"offline": third, "refused": first}
    reported(first, Change(offline, 0, third))  # the clock went back meanwhile
    renamed = ("production", "prod")
    reported(first, Change(refused, 0, first), names=renamed)
    assert open_since(spark, lake, renamed) == {}
    log = Path(lake.path(ALERTS.layer, ALERTS.name), "_delta_log")
    assert len(list(log.glob("*.json"))) == 5
