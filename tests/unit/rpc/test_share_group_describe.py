"""What ShareGroupDescribe asks, and what it makes of an answer."""

from typing import Any
from uuid import UUID

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages import ShareGroupDescribeRequest, ShareGroupDescribeResponse
from unit.rpc.answers import items

GROUP = ShareGroupDescribeResponse.DescribedGroup
MEMBER = GROUP.Member


def _member() -> Any:
    part = MEMBER.Assignment.TopicPartitions
    return MEMBER(
        member_id="m-1",
        rack_id=None,
        member_epoch=3,
        client_id="c",
        client_host="/10.0.0.1",
        subscribed_topic_names=["t"],
        assignment=MEMBER.Assignment(topic_partitions=[part(topic_id=UUID(int=7), topic_name="t", partitions=[0, 2])]),
    )


def _group(*members: Any, group_id: str = "g", code: int = 0) -> Any:
    return GROUP(
        error_code=code,
        error_message="no" if code else None,
        group_id=group_id,
        group_state="" if code else "Stable",
        group_epoch=4,
        assignment_epoch=3,
        assignor_name="simple",
        members=list(members),
    )


def _groups(*groups: Any) -> Any:
    return ShareGroupDescribeResponse(throttle_time_ms=0, groups=list(groups))


def test_share_group_describe_is_a_row_a_member() -> None:
    """At the only version there is."""
    (item,) = items("ShareGroupDescribe", "groups", _groups(_group(_member())), 1)
    assert item == {
        "group_id": "g",
        "error_code": 0,
        "error_message": None,
        "group_state": "Stable",
        "group_epoch": 4,
        "assignment_epoch": 3,
        "assignor_name": "simple",
        "member_id": "m-1",
        "rack_id": None,
        "member_epoch": 3,
        "client_id": "c",
        "client_host": "/10.0.0.1",
        "subscribed_topics": ["t"],
        "assignment": [("t", [0, 2])],
    }


def test_share_group_describe_keeps_groups_without_members_and_errors() -> None:
    """One row each; of a group with an error nothing else is known."""
    empty, failed = items("ShareGroupDescribe", "groups", _groups(_group(), _group(group_id="h", code=29)), 1)
    assert (empty["group_id"], empty["group_epoch"], empty["member_id"], empty["assignment"]) == ("g", 4, None, None)
    assert (failed["group_id"], failed["error_code"], failed["error_message"]) == ("h", 29, "no")
    assert set(list(failed.values())[3:]) == {None}


def test_share_group_describe_asks_for_all_groups_at_v1_only() -> None:
    """v0 was an early access version and means something else."""
    (api,) = rpc("ShareGroupDescribe", "groups").apis
    assert (api.min_version, api.max_version) == (1, 1)
    request = ShareGroupDescribeRequest.decode(api.build(1, Ask(("a", "b"), None, 50)).encode(), version=1)
    assert (request.group_ids, request.include_authorized_operations) == (["a", "b"], False)
