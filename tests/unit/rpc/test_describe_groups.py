"""What DescribeGroups asks, and what it makes of an answer."""

import random
from typing import Any

import pytest
from kafka.protocol.consumer import ConsumerProtocolAssignment, ConsumerProtocolSubscription

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages.kip_1062 import DescribeGroupsRequest, DescribeGroupsResponse
from unit.rpc.answers import items, over_the_wire

PAGED, WINDOW = 0, 1
GROUP = DescribeGroupsResponse.DescribedGroup


def _subscription(*topics: str, version: int = 3) -> bytes:
    message = ConsumerProtocolSubscription(topics=list(topics), user_data=None, owned_partitions=[])
    return bytes(message.encode(version=version))


def _assignment(**topics: list[int]) -> bytes:
    part = ConsumerProtocolAssignment.TopicPartition
    parts = [part(topic=topic, partitions=partitions) for topic, partitions in topics.items()]
    return bytes(ConsumerProtocolAssignment(assigned_partitions=parts, user_data=b"x").encode(version=1))


def _member(metadata: bytes = b"", assignment: bytes = b"") -> Any:
    return GROUP.DescribedGroupMember(
        member_id="m-1",
        group_instance_id="i",
        client_id="c",
        client_host="/10.0.0.1",
        member_metadata=metadata,
        member_assignment=assignment,
    )


def _group(*members: Any, group_id: str = "g", code: int = 0, state: str = "Stable", kind: str = "consumer") -> Any:
    return GROUP(
        error_code=code,
        error_message="no" if code else None,
        group_id=group_id,
        group_state=state,
        protocol_type=kind,
        protocol_data="range",
        members=list(members),
    )


def _groups(*groups: Any) -> Any:
    return DescribeGroupsResponse(throttle_time_ms=0, groups=list(groups), next_cursor=None)


def _read(metadata: bytes, assignment: bytes, kind: str = "consumer", state: str = "Stable") -> tuple[Any, Any]:
    response = _groups(_group(_member(metadata, assignment), kind=kind, state=state))
    (item,) = items("DescribeGroups", "groups", response, 6, way=WINDOW)
    assert item["member_id"] == "m-1"
    return item["subscribed_topics"], item["assignment"]


@pytest.mark.parametrize(("version", "way", "instance"), [(0, WINDOW, None), (6, WINDOW, "i"), (7, PAGED, "i")])
def test_describe_groups_is_a_row_a_member(version: int, way: int, instance: str | None) -> None:
    """Instance ids come with v4."""
    member = _member(_subscription("t", "u"), _assignment(t=[0, 2], u=[1]))
    (item,) = items("DescribeGroups", "groups", _groups(_group(member)), version, way=way)
    assert item == {
        "group_id": "g",
        "error_code": 0,
        "error_message": None,
        "group_state": "Stable",
        "protocol_type": "consumer",
        "protocol": "range",
        "member_id": "m-1",
        "group_instance_id": instance,
        "client_id": "c",
        "client_host": "/10.0.0.1",
        "subscribed_topics": ["t", "u"],
        "assignment": [("t", [0, 2]), ("u", [1])],
    }


def test_describe_groups_keeps_a_group_without_members() -> None:
    """One row; below v6 that is what a group looks like that does not exist."""
    response = _groups(_group(state="Dead", kind=""))
    for version, way in ((0, WINDOW), (7, PAGED)):
        (item,) = items("DescribeGroups", "groups", response, version, way=way)
        assert (item["group_id"], item["error_code"], item["group_state"]) == ("g", 0, "Dead")
        assert (item["member_id"], item["subscribed_topics"], item["assignment"]) == (None, None, None)


@pytest.mark.parametrize(("version", "way", "message"), [(5, WINDOW, None), (6, WINDOW, "no"), (7, PAGED, "no")])
def test_describe_groups_keeps_an_error_as_a_row(version: int, way: int, message: str | None) -> None:
    """What the group would be is null then; messages come with v6."""
    response = _groups(_group(code=16, state="", kind=""), _group(_member(), group_id="h"))
    failed, other = items("DescribeGroups", "groups", response, version, way=way)
    assert (failed["group_id"], failed["error_code"], failed["error_message"]) == ("g", 16, message)
    assert set(list(failed.values())[3:]) == {None}
    assert (other["group_id"], other["member_id"]) == ("h", "m-1")


def test_describe_groups_reads_every_version_of_the_consumer_protocol() -> None:
    """A later one begins like the last that is known."""
    for version in range(4):
        assert _read(_subscription("t", version=version), b"")[0] == ["t"]
    later = b"\x00\x09" + _subscription("t")[2:] + b"later"
    assert _read(later, b"\x00\x09" + _assignment(t=[1])[2:]) == (["t"], [("t", [1])])


def test_describe_groups_does_not_know_what_it_cannot_read() -> None:
    """No bytes (not Stable), another protocol's, or garbage; nothing assigned is known to be nothing."""
    assert _read(b"", b"", state="PreparingRebalance") == (None, None)
    assert _read(_subscription("t"), _assignment(t=[1]), kind="connect") == (None, None)
    assert _read(_subscription("t")[:5], _assignment(t=[1])[:-6]) == (None, None)
    null_lists = b"\x00\x00" + b"\xff" * 4 + b"\xff" * 4
    assert _read(null_lists, null_lists) == (None, None)
    null_topic = b"\x00\x00" + b"\x00\x00\x00\x01" + b"\xff\xff" + b"\xff" * 4
    assert _read(null_topic, null_topic)[0] is None
    assert _read(_subscription(), _assignment()) == ([], [])


@pytest.mark.parametrize(
    ("kind", "state", "assignment"),
    [("consumer", "Stable", []), ("consumer", "CompletingRebalance", None), ("connect", "Stable", None)],
)
def test_describe_groups_reads_no_bytes_as_kafkas_admin_client_does(kind: str, state: str, assignment: Any) -> None:
    """A leader that leaves a member out of SyncGroup gives it nothing; before that the coordinator withholds bytes."""
    assert _read(_subscription("t"), b"", kind, state)[1] == assignment


def test_describe_groups_survives_any_bytes() -> None:
    """A member may write what it likes."""
    chance = random.Random(7)
    for _ in range(2000):
        kind = chance.choice((b"\x00\x00", b"\x00\x03", b"\xff\xff", b""))
        data = kind + bytes(chance.choice((0, 0, 0, 1, 2, 65, 255)) for _ in range(chance.randrange(24)))
        topics, assignment = _read(data, data)
        assert topics is None or all(isinstance(topic, str) for topic in topics)
        assert assignment is None or isinstance(assignment, list)


def test_describe_groups_does_not_repeat_a_group_that_goes_on_with_nobody() -> None:
    """The group of the cursor had rows on the page before; one that begins here has not."""
    response = _groups(_group(state="Empty"), _group(group_id="h", state="Empty"))
    goes_on, begins = Ask(("g", "h"), ("g", "m-2"), 9), Ask(("g", "h"), ("g", ""), 9)
    assert [item["group_id"] for item in items("DescribeGroups", "groups", response, 7, goes_on)] == ["h"]
    assert [item["group_id"] for item in items("DescribeGroups", "groups", response, 7, begins)] == ["g", "h"]
    (moved,) = items("DescribeGroups", "groups", _groups(_group(code=16)), 7, goes_on)
    assert moved["error_code"] == 16


def test_describe_groups_asks_for_all_groups() -> None:
    """The limit and the cursor go into the draft's version only."""
    apis = rpc("DescribeGroups", "groups").apis
    asked = Ask(("a", "b"), ("a", "m"), 50)
    paged = DescribeGroupsRequest.decode(apis[PAGED].build(7, asked).encode(), version=7)
    assert (paged.groups, paged.include_authorized_operations) == (["a", "b"], False)
    assert (paged.response_pagination_limit, tuple(paged.cursor)) == (50, ("a", "m"))
    window = apis[WINDOW].build(6, Ask(("a", "b"), ("a",), 50)).encode()
    assert DescribeGroupsRequest.decode(window, version=6).groups == ["a", "b"]


def test_describe_groups_hands_on_the_cursor_of_the_draft() -> None:
    """In the order of its fields."""
    response = _groups()
    response.next_cursor = DescribeGroupsResponse.Cursor(group_id="g", member_id="m-2")
    paged = rpc("DescribeGroups", "groups").apis[PAGED]
    assert paged.next_cursor(over_the_wire(response, 7)) == ("g", "m-2")
