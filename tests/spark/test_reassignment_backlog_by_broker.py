"""Copies count into their target and out of their source, and sums do not hide unknown values."""

from typing import Any

from pyspark.sql import Row, SparkSession

from kafka_census.tables.reassignment_backlog_by_broker import REASSIGNMENT_BACKLOG_BY_BROKER
from spark.landed_items import CENSUS, CLUSTER, Item, at, compute, rows_by

TABLE = REASSIGNMENT_BACKLOG_BY_BROKER
BEFORE = "20261121T110000000Z-000001"


def copy(target: int, source: int | None, left: int | None, kind: str = "move", **columns: Any) -> Item:
    """A row of reassignment_backlog."""
    plain = {
        "census_id": CENSUS,
        "cluster_id": CLUSTER,
        "observed_at": at(target),
        "topic": "t",
        "partition": 0,
        "kind": kind,
        "replica_id": target,
        "source_id": source,
        "bytes_left": left,
    }
    return plain | columns


def going(rate: float, eta: int | None, **columns: Any) -> dict[str, Any]:
    """A copy's columns from the comparison with the previous census."""
    return {"bytes_per_second": rate, "eta_seconds": eta, "stalled": False, "previous_census_id": BEFORE} | columns


def brokers(spark: SparkSession, *backlog: Item) -> dict[int, Row]:
    """The table by broker."""
    return rows_by(compute(spark, TABLE, backlog=list(backlog)), "broker_id")


def of(row: Row, way: str, *names: str) -> tuple[Any, ...]:
    """Values of one direction."""
    return tuple(row[f"{name}_{way}"] for name in names)


def test_a_copy_counts_into_its_target_and_out_of_its_source(spark: SparkSession) -> None:
    """A move between log dirs stays within its broker; a removed replica is no copy, but has a row."""
    rows = brokers(
        spark,
        copy(4, 1, 700),
        copy(4, 2, 100, partition=1),
        copy(4, 4, 50, "log_dir_move", partition=2),
        copy(9, None, 0, "remove"),
    )
    assert set(rows) == {1, 2, 4, 9}
    assert of(rows[4], "in", "replicas", "bytes_left", "unknown") == (3, 850, 0)
    assert of(rows[4], "out", "replicas", "bytes_left", "unknown") == (0, 0, 0)
    assert (rows[4].log_dir_moves, rows[4].replicas_removed) == (1, 0)
    assert of(rows[1], "out", "replicas", "bytes_left") == (1, 700)
    assert of(rows[2], "out", "replicas", "bytes_left") == (1, 100)
    assert (rows[9].replicas_removed, rows[9].replicas_in, rows[9].replicas_out) == (1, 0, 0)
    assert rows[1].observed_at == at(4).replace(tzinfo=None)


def test_unknown_bytes_stand_beside_the_sum(spark: SparkSession) -> None:
    """The sum is a lower bound: it is over known values, and null where no value is known."""
    rows = brokers(spark, copy(4, 1, 700), copy(4, 1, None, partition=1), copy(5, 1, None, partition=2))
    assert of(rows[4], "in", "bytes_left", "unknown") == (700, 1)
    assert of(rows[5], "in", "bytes_left", "unknown") == (None, 1)
    assert of(rows[1], "out", "replicas", "bytes_left", "unknown") == (3, 700, 2)


def test_copy_without_a_leader_is_out_of_nobody(spark: SparkSession) -> None:
    """It counts into its target only."""
    rows = brokers(spark, copy(4, None, None))
    assert {broker: of(row, "in", "replicas", "unknown") for broker, row in rows.items()} == {4: (1, 1)}


def test_first_sight_has_no_rate_and_no_zero_of_stalled(spark: SparkSession) -> None:
    """Nothing was compared: no copy is known to be stalled, or not to be."""
    row = brokers(spark, copy(4, 1, 700))[4]
    assert of(row, "in", "bytes_per_second", "eta_seconds", "stalled") == (None, None, None)
    assert row.eta_in_reason == "1 of 1 have no ETA: no rate yet, or bytes left unknown or not falling"
    assert (row.previous_census_id, row.eta_out_reason, row.stalled_out) == (None, None, 0)


def test_end_is_that_of_the_slowest(spark: SparkSession) -> None:
    """Rates add up, the last copy to end decides; a copy that is already in sync ends now."""
    rows = brokers(
        spark,
        copy(4, 1, 700, **going(10.0, 70)),
        copy(4, 1, 900, partition=1, **going(3.0, 300)),
        copy(4, 1, 0, partition=2, **going(0.0, 0)),
    )
    for row, way in ((rows[4], "in"), (rows[1], "out")):
        assert of(row, way, "bytes_per_second", "eta_seconds", "stalled") == (13.0, 300, 0)
        assert row[f"eta_{way}_reason"] is None
    assert rows[4].previous_census_id == BEFORE


def test_one_stalled_copy_leaves_no_end(spark: SparkSession) -> None:
    """The slowest copy has no ETA, so the ETAs of the others would be misleading."""
    stuck = copy(4, 1, 900, partition=1, **going(0.0, None, stalled=True))
    row = brokers(spark, copy(4, 1, 700, **going(10.0, 70)), stuck)[4]
    assert of(row, "in", "bytes_per_second", "eta_seconds", "stalled") == (10.0, None, 1)
    assert row.eta_in_reason == "1 of 2 have no ETA: no rate yet, or bytes left unknown or not falling"


def test_each_throttle_is_reported_at_its_broker(spark: SparkSession) -> None:
    """The leader's rate at the source, the follower's and the log dirs' at the target; likewise the reasons."""
    limits = {"source_throttle_bytes_per_second": 100, "target_throttle_bytes_per_second": 60}
    rows = brokers(
        spark,
        copy(4, 1, 700, **limits),
        copy(4, 4, 700, "log_dir_move", target_throttle_bytes_per_second=7),
        copy(5, 2, 700, partition=1, source_throttle_reason="broker 2 did not answer"),
    )
    names = [f"{kind}_throttle_bytes_per_second" for kind in ("leader", "follower", "log_dir")]
    reported = {broker: (*(row[name] for name in names), row.throttle_reason) for broker, row in rows.items()}
    assert reported == {
        1: (100, None, None, None),
        2: (None, None, None, "broker 2 did not answer"),
        4: (None, 60, 7, None),
        5: (None, None, None, None),
    }
