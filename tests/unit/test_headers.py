"""What landed headers tell: what was sent to whom, and which partitions of internal topics have no leader."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from harness.headers import header
from kafka_census.census.gate.calls import BY, summed
from kafka_census.declarations.audit import CALLS
from kafka_census.declarations.walks import OFFSETS_TOPIC, SHARE_STATE_TOPIC, TRANSACTIONS_TOPIC, WALKS
from kafka_census.pages.header import Header, WalkName
from kafka_census.pages.leaderless import leaderless
from kafka_census.pages.page_chain import Keys

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


LISTED_BY = {OFFSETS_TOPIC: "ListGroups", TRANSACTIONS_TOPIC: "ListTransactions"}
SHARE_OFFSETS: WalkName = ("DescribeShareGroupOffsets", "groups")


def item(topic: str, **columns: Any) -> dict[str, Any]:
    names = ("topic", "error_code", "partition_count", "partition", "leader_id")
    return dict.fromkeys(names) | {"topic": topic, "error_code": 0} | columns


def reported(
    topic: str, size: int, leaders: dict[int, int], keys: dict[WalkName, Keys] | None = None, code: int = 0
) -> list[tuple[str, int | None, str, str]]:
    described = [item(topic, partition=number, leader_id=leader) for number, leader in leaders.items()]
    refused = [item(topic, error_code=code)] if code else []
    headers = [
        header("Metadata", "names", internal=[item(topic, partition_count=size)]),
        header("DescribeTopicPartitions", "topics", internal=described + refused),
    ]
    found = list(leaderless(headers, WALKS, keys or {}))
    assert {one.kind for one in found} <= {"leaderless"}
    return [(one.rpc, one.error_code, str(one.error), one.reason) for one in found]


@pytest.mark.parametrize("topic", LISTED_BY)
def test_a_partition_without_a_leader_is_named(topic: str) -> None:
    (rpc, code, error, message), *more = reported(topic, 3, {0: 1, 1: -1, 2: 3})
    assert (rpc, code, error, more) == (LISTED_BY[topic], 5, "LEADER_NOT_AVAILABLE", [])
    assert message.startswith(f"partition 1 of {topic} has no leader: its ")
    assert reported(topic, 3, {0: 1, 1: 2, 2: 3}) == []


@pytest.mark.parametrize("code", [0, 29])
def test_a_topic_that_only_log_dirs_have_is_for_visibility_to_tell(code: int) -> None:
    """A hidden or new topic is answered by name, and still no broker was asked to describe it."""
    by_name = header("Metadata", "unlisted", internal=[item(OFFSETS_TOPIC, error_code=code, partition_count=3)])
    assert list(leaderless([header("Metadata", "names", internal=[]), by_name], WALKS, {})) == []


def test_a_partition_that_was_not_described_may_have_none() -> None:
    """A topic that was refused as a whole says why; one that Metadata does not name has no partitions."""
    [(_, code, error, message)] = reported(OFFSETS_TOPIC, 3, {0: 1})
    assert (code, error) == (None, "NOT_DESCRIBED")
    assert message.startswith(f"partitions 1, 2 of {OFFSETS_TOPIC} were not described")
    [(_, code, _, message)] = reported(OFFSETS_TOPIC, 2, {}, code=29)
    assert (code, message.split(":")[0]) == (29, f"partitions 0, 1 of {OFFSETS_TOPIC} were not described")
    assert list(leaderless([header("Metadata", "names", internal=[])], WALKS, {})) == []


def test_start_offsets_are_missed_only_where_share_groups_are() -> None:
    assert reported(SHARE_STATE_TOPIC, 1, {0: -1}) == []
    [(rpc, *_)] = reported(SHARE_STATE_TOPIC, 1, {0: -1}, keys={SHARE_OFFSETS: Keys(1, 0, ())})
    assert rpc == "DescribeShareGroupOffsets"
