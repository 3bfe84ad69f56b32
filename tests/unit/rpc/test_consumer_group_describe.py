"""What ConsumerGroupDescribe asks, and what it makes of an answer."""

from typing import Any
from uuid import UUID

import pytest

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages.kip_1062 import ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse
from unit.rpc.answers import items, over_the_wire

PAGED, WINDOW = 0, 1
GROUP = ConsumerGroupDescribeResponse.DescribedGroup
MEMBER = GROUP.Member


def _assignment(**topics: list[int]) -> Any:
    part = MEMBER.Assignment.TopicPartitions
    parts = [part(topic_id=UUID(int=7), topic_name=name, partitions=of) for name, of in topics.items()]
    return MEMBER.Assignment(topic_partitions=parts)


def _member(kind: int = 1) -> Any:
    return MEMBER(
        member_id="m-1",
        instance_id=None,
        rack_id="r",
        member_epoch=3,
        client_id="c",
        client_host="/10.0.0.1",
        subscribed_topic_names=["t", "u"],
        subscribed_topic_regex=None,
        assignment=_assignment(t=[0, 2]),
        target_assignment=_assignment(),
        member_type=kind,
    )


def _group(*members: Any, group_id: str = "g", code: int = 0) -> Any:
    return GROUP(
        error_code=code,
        error_message="no" if code else None,
        group_id=group_id,
        group_state="" if code else "Stable",
        group_epoch=4,
        assignment_epoch=3,
        assignor_name="uniform",
        members=list(members),
    )


def _groups(*groups: Any) -> Any:
    return ConsumerGroupDescribeResponse(throttle_time_ms=0, groups=list(groups), next_cursor=None)


@pytest.mark.parametrize(("version", "way", "kind"), [(0, WINDOW, None), (1, WINDOW, 1), (2, PAGED, 1)])
def test_consumer_group_describe_is_a_row_a_member(version: int, way: int, kind: int | None) -> None:
    """Member types come with v1."""
    (item,) = items("ConsumerGroupDescribe", "groups", _groups(_group(_member())), version, way=way)
    assert item == {
        "group_id": "g",
        "error_code": 0,
        "error_message": None,
        "group_state": "Stable",
        "group_epoch": 4,
        "assignment_epoch": 3,
        "assignor_name": "uniform",
        "member_id": "m-1",
        "instance_id": None,
        "rack_id": "r",
        "member_epoch": 3,
        "client_id": "c",
        "client_host": "/10.0.0.1",
        "subscribed_topics": ["t", "u"],
        "subscribed_topic_regex": None,
        "assignment": [("t", [0, 2])],
        "target_assignment": [],
        "member_type": kind,
    }


def test_consumer_group_describe_does_not_know_every_member_type() -> None:
    """-1 is null, 0 is a classic member."""
    unknown, classic = items("ConsumerGroupDescribe", "groups", _groups(_group(_member(-1), _member(0))), 1, way=WINDOW)
    assert (unknown["member_type"], classic["member_type"]) == (None, 0)


def test_consumer_group_describe_keeps_groups_without_members_and_errors() -> None:
    """One row each; of a group with an error nothing else is known."""
    response = _groups(_group(), _group(group_id="h", code=69))
    for version, way in ((0, WINDOW), (2, PAGED)):
        empty, failed = items("ConsumerGroupDescribe", "groups", response, version, way=way)
        assert (empty["group_id"], empty["group_epoch"], empty["member_id"]) == ("g", 4, None)
        assert (empty["subscribed_topics"], empty["assignment"]) == (None, None)
        assert (failed["group_id"], failed["error_code"], failed["error_message"]) == ("h", 69, "no")
        assert set(list(failed.values())[3:]) == {None}


def test_consumer_group_describe_does_not_repeat_a_group_that_goes_on_with_nobody() -> None:
    """The group of the cursor had rows on the page before; one that begins here has not."""
    response = _groups(_group(), _group(group_id="h"))
    goes_on, begins = Ask(("g", "h"), ("g", "m-2"), 9), Ask(("g", "h"), ("g", ""), 9)
    assert [item["group_id"] for item in items("ConsumerGroupDescribe", "groups", response, 2, goes_on)] == ["h"]
    assert [item["group_id"] for item in items("ConsumerGroupDescribe", "groups", response, 2, begins)] == ["g", "h"]
    (moved,) = items("ConsumerGroupDescribe", "groups", _groups(_group(code=16)), 2, goes_on)
    assert moved["error_code"] == 16


def test_consumer_group_describe_asks_for_all_groups() -> None:
    """The limit and the cursor go into the draft's version only."""
    request = ConsumerGroupDescribeRequest
    apis = rpc("ConsumerGroupDescribe", "groups").apis
    paged = request.decode(apis[PAGED].build(2, Ask(("a", "b"), ("a", "m"), 50)).encode(), version=2)
    assert (paged.group_ids, paged.include_authorized_operations) == (["a", "b"], False)
    assert (paged.response_pagination_limit, tuple(paged.cursor)) == (50, ("a", "m"))
    window = request.decode(apis[WINDOW].build(1, Ask(("a", "b"), ("a",), 50)).encode(), version=1)
    assert (window.group_ids, window.include_authorized_operations) == (["a", "b"], False)


def test_consumer_group_describe_hands_on_the_cursor_of_the_draft() -> None:
    """In the order of its fields."""
    response = _groups()
    response.next_cursor = ConsumerGroupDescribeResponse.Cursor(group_id="g", member_id="m-2")
    paged = rpc("ConsumerGroupDescribe", "groups").apis[PAGED]
    assert paged.next_cursor(over_the_wire(response, 2)) == ("g", "m-2")
