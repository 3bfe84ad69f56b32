"""What DescribeShareGroupOffsets asks, and what it makes of an answer."""

from typing import Any
from uuid import UUID

import pytest

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages import DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsResponse
from unit.rpc.answers import items

GROUP = DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseGroup
TOPIC = GROUP.DescribeShareGroupOffsetsResponseTopic


def _topic(name: str, start: int, lag: int, code: int = 0) -> Any:
    partition = TOPIC.DescribeShareGroupOffsetsResponsePartition(
        partition_index=2,
        start_offset=start,
        leader_epoch=1,
        lag=lag,
        error_code=code,
        error_message="no" if code else None,
    )
    return TOPIC(topic_name=name, topic_id=UUID(int=7), partitions=[partition])


def _group(*topics: Any, group_id: str = "g", code: int = 0) -> Any:
    return GROUP(group_id=group_id, topics=list(topics), error_code=code, error_message="gone" if code else None)


def _groups(*groups: Any) -> Any:
    return DescribeShareGroupOffsetsResponse(throttle_time_ms=0, groups=list(groups))


@pytest.mark.parametrize(("version", "lag"), [(0, None), (1, 3)])
def test_describe_share_group_offsets_is_a_row_per_partition(version: int, lag: int | None) -> None:
    """The lag comes with v1."""
    response = _groups(_group(_topic("t", 5, 3)))
    (item,) = items("DescribeShareGroupOffsets", "groups", response, version)
    assert item == {
        "group_id": "g",
        "error_code": 0,
        "error_message": None,
        "topic": "t",
        "partition": 2,
        "start_offset": 5,
        "leader_epoch": 1,
        "lag": lag,
    }


def test_describe_share_group_offsets_does_not_take_unknown_for_a_number() -> None:
    """-1 is null, 0 is an offset or no lag."""
    response = _groups(_group(_topic("t", -1, -1), _topic("u", 0, 0)))
    unknown, start = items("DescribeShareGroupOffsets", "groups", response, 1)
    assert (unknown["topic"], unknown["start_offset"], unknown["lag"]) == ("t", None, None)
    assert (start["topic"], start["start_offset"], start["lag"]) == ("u", 0, 0)


@pytest.mark.parametrize("version", [0, 1])
def test_describe_share_group_offsets_keeps_errors_and_groups_without_offsets(version: int) -> None:
    """A row per group, with its error or none; a partition's error is in its own row, and 0 beside it is no offset."""
    response = _groups(_group(), _group(group_id="h", code=69), _group(_topic("t", 0, -1, code=5), group_id="i"))
    empty, failed, refused = items("DescribeShareGroupOffsets", "groups", response, version)
    assert (empty["group_id"], empty["error_code"], empty["topic"], empty["start_offset"]) == ("g", 0, None, None)
    assert (failed["group_id"], failed["error_code"], failed["error_message"], failed["topic"]) == (
        "h",
        69,
        "gone",
        None,
    )
    assert (refused["topic"], refused["error_code"], refused["error_message"]) == ("t", 5, "no")
    assert (refused["start_offset"], refused["leader_epoch"], refused["lag"]) == (None, None, None)


def test_describe_share_group_offsets_asks_for_all_topics_of_all_groups() -> None:
    """Null is all topics; none would be none."""
    (api,) = rpc("DescribeShareGroupOffsets", "groups").apis
    sent = api.build(1, Ask(("a", "b"), None, 50)).encode()
    groups = DescribeShareGroupOffsetsRequest.decode(sent, version=1).groups
    assert [(one.group_id, one.topics) for one in groups] == [("a", None), ("b", None)]
