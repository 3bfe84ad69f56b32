"""Copies count into their target and out of their source, and sums do not hide unknown values."""

from typing import Any

from kafka_census.tables.reassignment_backlog_by_broker.columns import REASSIGNMENT_BACKLOG_BY_BROKER as TABLE
from spark.cases import Case, each_case
from spark.landed_items import BEFORE, Item, published


def copy(target: int, source: int | None, left: int | None, kind: str = "move", **columns: Any) -> Item:
    plain = {"partition": 0, "kind": kind, "replica_id": target, "source_id": source, "bytes_left": left}
    return published(target, topic="t", **plain | columns)


def going(rate: float, eta: int | None, **columns: Any) -> dict[str, Any]:
    """A copy's columns from the comparison with the previous census."""
    return {"bytes_per_second": rate, "eta_seconds": eta, "stalled": False, "previous_census_id": BEFORE} | columns


WAYS = ("replicas", "bytes_left", "unknown", "bytes_per_second", "eta_seconds", "stalled")


def told(way: str, *values: Any) -> dict[str, Any]:
    return {f"{name}_{way}": value for name, value in zip(WAYS, values, strict=False)}


NO_ETA = "{} have no ETA: no rate yet, or bytes left unknown or not falling"
THROTTLES = [f"{kind}_throttle_bytes_per_second" for kind in ("leader", "follower", "log_dir")]


def limited(leader: int | None, follower: int | None, log_dir: int | None, reason: str | None) -> dict[str, Any]:
    return dict(zip(THROTTLES, (leader, follower, log_dir), strict=True)) | {"throttle_reason": reason}


def case(*backlog: Item) -> Case:
    """Rows of reassignment_backlog, most of which are copies to broker 4."""
    return Case({"backlog": backlog}, 4)


STUCK = copy(4, 1, 900, partition=1, **going(0.0, None, stalled=True))
LIMITS = {"source_throttle_bytes_per_second": 100, "target_throttle_bytes_per_second": 60}
UNREAD = {"source_throttle_reason": "broker 2 did not answer"}
CASES = {
    "a copy without a leader is out of nobody": case(copy(4, None, None)).gives(**told("in", 1, None, 1)),
    "at first sight there is no rate, and no zero of stalled": case(copy(4, 1, 700))
    .gives(
        **told("in", 1, 700, 0, None, None, None),
        eta_in_reason=NO_ETA.format("1 of 1"),
        previous_census_id=None,
        eta_out_reason=None,
        stalled_out=0,
    )
    .also(1),
    "rates add up, and the end is that of the slowest": case(
        copy(4, 1, 700, **going(10.0, 70)),
        copy(4, 1, 900, partition=1, **going(3.0, 300)),
        copy(4, 1, 0, partition=2, **going(0.0, 0)),
    )
    .gives(**told("in", 3, 1600, 0, 13.0, 300, 0), eta_in_reason=None, previous_census_id=BEFORE)
    .also(1, **told("out", 3, 1600, 0, 13.0, 300, 0), eta_out_reason=None),
    "one stalled copy leaves no end": case(copy(4, 1, 700, **going(10.0, 70)), STUCK)
    .gives(**told("in", 2, 1600, 0, 10.0, None, 1), eta_in_reason=NO_ETA.format("1 of 2"))
    .also(1),
    "each throttle is reported at its broker, with its reason": case(
        copy(4, 1, 700, **LIMITS),
        copy(4, 4, 700, "log_dir_move", target_throttle_bytes_per_second=7),
        copy(5, 2, 700, partition=1, **UNREAD),
    )
    .gives(**limited(None, 60, 7, None))
    .also(1, **limited(100, None, None, None))
    .also(2, **limited(None, None, None, "broker 2 did not answer"))
    .also(5, **limited(None, None, None, None)),
}


test_every_case = each_case(TABLE, CASES, lambda row: row.broker_id)
