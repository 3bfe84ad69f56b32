"""From headers alone: which chains go on, at whom, who owes answers, what was sent, which partitions have no leader."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from harness.headers import header
from kafka_census.census.gate.calls import BY, summed
from kafka_census.declarations.audit import CALLS
from kafka_census.declarations.walk import Walk
from kafka_census.declarations.walks import OFFSETS_TOPIC, SHARE_STATE_TOPIC, WALKS, walk_named
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.landing.chains import Chains, Continuation, continuations, first_requests
from kafka_census.landing.request import Brokers
from kafka_census.landing.route import Node, found
from kafka_census.pages.header import Header, WalkName
from kafka_census.pages.leaderless import leaderless
from kafka_census.pages.page_chain import Keys

GROUPS = walk_named("ListGroups", "groups")
TOPICS = walk_named("DescribeTopicPartitions", "topics")
TOPICS_LISTED = walk_named("Metadata", "names")
MOVES = walk_named("ListPartitionReassignments", "cluster")
ALIVE = {node: Node(node, Endpoint(node, "h", 9092), "named") for node in (1, 2)}
BROKERS = Brokers((*ALIVE.values(), Node(3, None, "replicas")), controller_id=2)


def page(
    walk: Walk, page_no: int = 0, request: str | None = None, then: str | None = None, **columns: object
) -> Header:
    """A landed page of broker 1 by the broker's cursor, with one item."""
    known = {"node_id": 1, "chain_id": "c", "paging": "cursor", "wave": page_no, "open_key_count": 0}
    cursors = {"page_no": page_no, "request_cursor": request, "next_cursor": then}
    return header(*walk.name, **{**known, **cursors, **columns})


def on(walk: Walk, *pages: Header, retry: bool = True) -> Sequence[Continuation]:
    return list(continuations(Chains(pages, {walk.name: walk}), BROKERS, {walk.name} if retry else ()))


def test_an_open_chain_goes_on_at_its_next_page() -> None:
    """And is refused where it goes round."""
    pages = page(GROUPS, then="[1]"), page(GROUPS, 1, "[1]", "[2]")
    [one] = on(GROUPS, *pages, retry=False)
    assert (one.request.node_id, one.request.host, one.request.cursor) == (1, "h", "[2]")
    assert (one.request.page_no, one.request.try_no, one.request.waves, one.request.refusal) == (2, 0, 2, None)
    assert on(GROUPS, page(GROUPS, then="[1]"), page(GROUPS, 1, "[1]")) == []
    [one] = on(GROUPS, *pages, page(GROUPS, 2, "[2]", "[1]"))
    assert one.request.refusal_code == ErrorCode.CURSOR_REPEATED
    assert one.request.refusal == "a cursor was given twice in this walk"
    [one] = on(GROUPS, page(GROUPS, then="[1]", parts=2), page(GROUPS, then="[1]", part_no=1, parts=2))
    assert one.request.refusal is None


def test_a_chain_that_failed_is_asked_again_from_the_page_that_failed() -> None:
    broken = page(GROUPS, 1, "[1]", item_count=0, error_code=ErrorCode.CONNECTION_FAILED)
    [one] = on(GROUPS, page(GROUPS, then="[1]"), broken)
    assert (one.request.page_no, one.request.try_no, one.request.cursor) == (1, 1, "[1]")
    assert one.request.empty_pages == 0
    assert on(GROUPS, page(GROUPS, then="[1]"), broken, retry=False) == []
    for walk in (GROUPS, MOVES):
        assert on(walk, page(walk, error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)) == []


def test_where_brokers_are_gone_what_only_they_can_tell_waits_and_each_walk_owes_a_page_that_says_so() -> None:
    """All may be fenced at a time. What any broker tells is asked of another one after each failure."""
    nobody = Brokers((Node(3, None, "fenced"), Node(4, None, "fenced")))
    owing = list(first_requests((GROUPS, TOPICS_LISTED), nobody, ()))
    assert [(one.rpc, one.node_id) for one in owing] == [("ListGroups", 3), ("ListGroups", 4), ("Metadata", 3)]
    assert {one.refusal_code for one in owing} == {ErrorCode.BROKER_NOT_ALIVE}
    failed = page(TOPICS, error_code=ErrorCode.CONNECTION_FAILED)
    assert list(continuations(Chains([failed], {TOPICS.name: TOPICS}), nobody, {TOPICS.name})) == []
    assert on(GROUPS, page(GROUPS, then="[1]", node_id=3)) == []
    failed = [page(TOPICS, try_no=try_no, error_code=ErrorCode.CONNECTION_FAILED) for try_no in range(2)]
    assert {one.request.node_id for each in failed for one in on(TOPICS, each)} == {1, 2}


@pytest.mark.parametrize(
    ("node", "code", "open_keys", "then", "in_windows"),
    [
        (1, ErrorCode.CONNECTION_FAILED, 0, 2, False),
        (2, ErrorCode.CONNECTION_FAILED, 0, 1, False),
        (2, ErrorCode.FRAME_TOO_LARGE, 0, 2, True),
        # It was asked for in windows already.
        (2, ErrorCode.FRAME_TOO_LARGE, 2, 2, False),
    ],
)
def test_the_controller_is_asked_unless_it_has_just_failed(
    node: int, code: ErrorCode, open_keys: int, then: int, in_windows: bool
) -> None:
    """In KRaft mode that is any broker: another one takes its turn, but where the answer is only too large."""
    [one] = on(MOVES, page(MOVES, node_id=node, paging="whole", error_code=code, open_key_count=open_keys))
    assert (one.request.node_id, one.in_windows) == (then, in_windows)


def test_empty_pages_are_counted_since_the_last_item() -> None:
    """Over all waves; windows of keys end with their keys, whatever they bring."""
    empty = page(GROUPS, 1, "[1]", "[2]", item_count=0), page(GROUPS, 2, "[2]", "[3]", item_count=0)
    window = page(GROUPS, 3, "[3]", "[4]", paging="window", item_count=0)
    for more, expected in (((), 2), ((page(GROUPS, 3, "[3]", "[4]"),), 0), ((window,), 0)):
        [one] = on(GROUPS, page(GROUPS, then="[1]"), *empty, *more)
        assert one.request.empty_pages == expected


LIVING, THIRD = ({"node_id": node, "host": "b", "port": 9092, "is_fenced": False} for node in (2, 3))
FENCED = {"node_id": 1, "host": "a", "port": 9092, "is_fenced": True}
KNOWN = (Node(1, Endpoint(1, "a", 9092), "alive"),)


def lists(*replica_ids: int, **columns: object) -> Header:
    """A page that names these brokers in replica lists."""
    return header("DescribeTopicPartitions", "topics", replica_ids=[*replica_ids], **columns)


def described(*brokers: dict[str, object]) -> Header:
    return header("DescribeCluster", "cluster", brokers=[*brokers])


def test_brokers_are_those_that_are_described_and_those_of_replica_lists() -> None:
    """Of pages that count; without an answer who is there, those of bootstrap: else a census would owe nothing."""
    headers = [described(LIVING, FENCED), header("Metadata", "names"), lists(2, 7, chain_id="one")]
    owing = found([*headers, lists(1, 3, 2, chain_id="two")], KNOWN)
    assert owing[:2] == (Node(1, None, "fenced"), Node(2, Endpoint(2, "b", 9092), "alive"))
    assert owing[2:] == tuple(Node(node, None, "in a replica list") for node in (3, 7))
    third = Node(3, None, "in a replica list")
    assert found([lists(7, next_cursor="{}"), lists(3, try_no=1)], ()) == (third,)
    assert found([header("DescribeCluster", "cluster", error_code=-108)], KNOWN) == KNOWN
    assert found([lists(1, 3)], KNOWN) == (*KNOWN, third)


@pytest.mark.parametrize(
    ("read", "owe"),
    [
        # It coordinates nothing: a broker that was stopped and never unregistered. One that is alive is asked.
        ([lists(2)], [2, 3]),
        # Not all replica lists were read.
        ([], [1, 2, 3]),
        ([lists(2, next_cursor="{}")], [1, 2, 3]),
        ([lists(2, chain_id="one"), lists(chain_id="two", error_code=-101)], [1, 2, 3]),
    ],
)
def test_a_fenced_broker_owes_answers_unless_no_replica_list_names_it(read: list[Header], owe: list[int]) -> None:
    assert [node.node_id for node in found([described(LIVING, FENCED, THIRD), *read], ())] == owe


NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def landed(node: int = 1, second: int = 0, **columns: Any) -> Header:
    asked = {"api": "ListGroups", "api_version": 5, "paging": "whole", "node_id": node, "item_count": 2, "attempts": 1}
    times = {"requested_at": NOON + timedelta(seconds=second), "received_at": NOON + timedelta(seconds=second + 1)}
    sizes = {"throttle_time_ms": 10, "response_bytes": 100}
    return header(**{"rpc": "ListGroups", "scope": "groups"} | asked | times | sizes | columns)


def calls(*headers: Header) -> list[dict[str, Any]]:
    names = [name for name in CALLS.columns if name not in ("census_id", "cluster_id")]
    assert tuple(names[: len(BY)]) == (*BY[:-1], "broker_id")
    return [dict(zip(names, row, strict=True)) for row in summed(headers)]


def test_pages_are_summed_by_broker_and_version_every_try_counts_and_the_last_error_is_named() -> None:
    """A broker that was never reached has a row, too, and a fallback is reported."""
    one, *others = calls(landed(), landed(second=4, page_no=1, attempts=3), landed(2), landed(api_version=6))
    assert (one["pages"], one["items"], one["requests"], one["errors"]) == (2, 4, 4, 0)
    assert (one["response_bytes"], one["throttle_time_ms"], one["seconds"]) == (200, 20, 5.0)
    assert (one["error"], one["note"]) == (None, None)
    assert [(row["broker_id"], row["api_version"]) for row in others] == [(2, 5), (1, 6)]
    nothing = {"api_version": None, "requested_at": None, "received_at": None, "response_bytes": None, "attempts": 0}
    [one] = calls(landed(3, error_code=-100, error="BROKER_NOT_ALIVE", error_message="not alive", **nothing))
    assert (one["requests"], one["errors"], one["seconds"], one["response_bytes"]) == (0, 1, None, 0)
    assert one["note"] == "not alive"
    [one] = calls(landed(rpc="DescribeTopicPartitions", scope="topics", api="Metadata"))
    assert one["note"] == "DescribeTopicPartitions is not offered by broker 1; Metadata was asked instead"
    failed = {"item_count": 0, "error_code": 14, "error": "COORDINATOR_LOAD_IN_PROGRESS", "error_message": "busy"}
    gone = {"item_count": 0, "error_code": -101, "error": "CONNECTION_FAILED", "error_message": "gone"}
    [one] = calls(landed(second=9, try_no=2), landed(second=5, try_no=1, **gone), landed(**failed))
    assert (one["pages"], one["errors"], one["error"], one["note"]) == (3, 2, "CONNECTION_FAILED", "gone")


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


def test_a_partition_without_a_leader_is_named_up_to_twenty_of_them() -> None:
    """By what reads its contents: start offsets are missed only where share groups are."""
    [(rpc, code, error, message)] = reported(OFFSETS_TOPIC, 3, {0: 1, 1: -1, 2: 3})
    assert (rpc, code, error) == ("ListGroups", 5, "LEADER_NOT_AVAILABLE")
    assert message.startswith(f"partition 1 of {OFFSETS_TOPIC} has no leader: its ")
    assert reported(OFFSETS_TOPIC, 3, {0: 1, 1: 2, 2: 3}) == []
    [(*_, message)] = reported(OFFSETS_TOPIC, 50, dict.fromkeys(range(50), -1))
    assert "18, 19 and 30 more of" in message
    assert reported(SHARE_STATE_TOPIC, 1, {0: -1}) == []
    [(rpc, *_)] = reported(SHARE_STATE_TOPIC, 1, {0: -1}, keys={SHARE_OFFSETS: Keys(1, 0, ())})
    assert rpc == "DescribeShareGroupOffsets"


def test_a_partition_that_was_not_described_may_have_none() -> None:
    """A topic that was refused as a whole says why; of one that Metadata does not list, visibility tells."""
    [(_, code, error, message)] = reported(OFFSETS_TOPIC, 3, {0: 1})
    assert (code, error) == (None, "NOT_DESCRIBED")
    assert message.startswith(f"partitions 1, 2 of {OFFSETS_TOPIC} were not described")
    [(_, code, _, message)] = reported(OFFSETS_TOPIC, 2, {}, code=29)
    assert (code, message.split(":")[0]) == (29, f"partitions 0, 1 of {OFFSETS_TOPIC} were not described")
    by_name = header("Metadata", "unlisted", internal=[item(OFFSETS_TOPIC, partition_count=3)])
    assert list(leaderless([header("Metadata", "names", internal=[]), by_name], WALKS, {})) == []
