"""The audit table `calls`: what was sent to whom, summed from landed pages, every try included."""

from datetime import UTC, datetime, timedelta
from typing import Any

from harness.headers import header
from kafka_census.census.gate.calls import BY, summed
from kafka_census.declarations.audit import CALLS
from kafka_census.pages.header import Header

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def page(node: int = 1, second: int = 0, **columns: Any) -> Header:
    asked = {"api": "ListGroups", "api_version": 5, "paging": "whole", "node_id": node, "item_count": 2, "attempts": 1}
    times = {"requested_at": NOON + timedelta(seconds=second), "received_at": NOON + timedelta(seconds=second + 1)}
    sizes = {"throttle_time_ms": 10, "response_bytes": 100}
    return header(**{"rpc": "ListGroups", "scope": "groups"} | asked | times | sizes | columns)


def calls(*headers: Header) -> list[dict[str, Any]]:
    names = [name for name in CALLS.columns if name not in ("census_id", "cluster_id")]
    assert tuple(names[: len(BY)]) == (*BY[:-1], "broker_id")
    return [dict(zip(names, row, strict=True)) for row in summed(headers)]


def test_every_try_counts_and_the_last_error_is_named() -> None:
    failed = {"item_count": 0, "error_code": 14, "error": "COORDINATOR_LOAD_IN_PROGRESS", "error_message": "busy"}
    gone = {"item_count": 0, "error_code": -101, "error": "CONNECTION_FAILED", "error_message": "gone"}
    [one] = calls(page(second=9, try_no=2), page(second=5, try_no=1, **gone), page(**failed))
    assert (one["pages"], one["errors"], one["error"], one["note"]) == (3, 2, "CONNECTION_FAILED", "gone")


def test_a_broker_that_was_never_reached_has_a_row() -> None:
    nothing = {"api_version": None, "requested_at": None, "received_at": None, "response_bytes": None, "attempts": 0}
    [one] = calls(page(3, error_code=-100, error="BROKER_NOT_ALIVE", error_message="not alive", **nothing))
    assert (one["requests"], one["errors"], one["seconds"], one["response_bytes"]) == (0, 1, None, 0)
    assert one["note"] == "not alive"


def test_a_fallback_is_reported() -> None:
    [one] = calls(page(rpc="DescribeTopicPartitions", scope="topics", api="Metadata"))
    assert one["note"] == "DescribeTopicPartitions is not offered by broker 1; Metadata was asked instead"
