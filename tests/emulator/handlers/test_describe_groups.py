"""DescribeGroups of the emulator: classic groups and what is none, members' bytes, denials, pages, our client."""

from typing import Any

import pytest
from kafka.protocol.consumer import ConsumerProtocolAssignment, ConsumerProtocolSubscription

from emulator.asking import ask
from emulator.handlers.by_cursor import LIMITS, one_page, pages
from emulator.handlers.grouping import at, elsewhere, group, grouped, ids_of, joined, narrow, of_type, walked
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import DescribeGroupsRequest

HUGE = {"id": "huge", "members": 25, "topics": ["open"]}
VERSIONS = [("2.8", 5), ("3.9", 5), ("4.3", 6)]


def _request(ids: Any, **more: Any) -> Any:
    return DescribeGroupsRequest(groups=list(ids), **more)


def _check(server: Server, reported: Any, version: int) -> None:
    """A described group is the world's."""
    known = group(server, reported.group_id)
    members = server.world.members(known)
    assert (reported.error_code, reported.group_state) == (0, known.shape.state)
    assert (reported.protocol_type, reported.protocol_data) == ("consumer", "range" if known.members else "")
    assert [one.member_id for one in reported.members] == list(members.ids)
    for one, member in zip(reported.members, members, strict=True):
        assert (one.client_id, one.client_host) == (member.client_id, member.client_host)
        if version >= 4:
            assert one.group_instance_id == member.instance_id
        assert ConsumerProtocolSubscription.decode(one.member_metadata).topics == list(member.topics)
        assigned = ConsumerProtocolAssignment.decode(one.member_assignment).assigned_partitions
        assert [(part.topic, tuple(part.partitions)) for part in assigned] == list(member.assignment)


@pytest.mark.parametrize(("as_version", "highest"), VERSIONS)
def test_classic_groups_are_the_worlds_at_every_version(as_version: str, highest: int) -> None:
    """Members, and the bytes of the consumer protocol, which decode."""
    server = grouped(as_version=as_version, kip_1062=False)
    for version in range(highest + 1):
        for broker in (1, 2, 3):
            ids = of_type(server, "classic", broker)
            response = ask(server, _request(ids), version, broker)
            assert sorted(one.group_id for one in response.groups) == ids
            for one in response.groups:
                _check(server, one, version)
    assert ask(server, _request([]), highest + 1) is None


@pytest.mark.parametrize("version", [*range(7), 7])
def test_what_is_no_classic_group_is_dead_and_from_v6_an_error(version: int) -> None:
    """Unknown, of another type, with the empty id: Dead with code 0, then 69 with a message."""
    server = grouped({"id": "shared", "type": "share"}, {"id": "new", "type": "consumer", "members": 1})
    for group_id in ("shared", "new", "nobody", ""):
        reported = ask(server, _request([group_id]), version, at(server, group_id)).groups[0]
        code = 69 if version >= 6 else 0
        assert (reported.group_id, reported.error_code, reported.group_state, reported.members) == (
            group_id,
            code,
            "Dead",
            [],
        )
        if version >= 6:
            known = group_id in ("shared", "new")
            assert reported.error_message == f"Group {group_id} {'is not a classic group.' if known else 'not found.'}"


def test_elsewhere_denied_and_null() -> None:
    """16 and 30 do not depend on the existence of the group; 30 has precedence. A null id is not read at all."""
    server = grouped(HUGE, {"id": "secret"}, security=narrow(("GROUP", "secret"), ("GROUP", "nobody")))
    for group_id in ("secret", "nobody"):
        for broker in (1, 2, 3):
            reported = ask(server, _request([group_id]), 6, broker).groups[0]
            assert (reported.error_code, reported.error_message, reported.group_state) == (30, None, "")
    reported = ask(server, _request(["huge"]), 6, elsewhere(server, "huge")).groups[0]
    assert (reported.error_code, reported.members) == (16, [])
    ids = [*ids_of(server), "secret"]
    assert next(one.group_id for one in ask(server, _request(ids), 5).groups) == "secret"
    assert ask(server, _request([None]), 6) is None


def test_only_stable_groups_tell_their_protocol() -> None:
    """A group that rebalances has members without bytes; other protocols have bytes of their own."""
    server = grouped(
        {**HUGE, "id": "moving", "state": "PreparingRebalance"}, {**HUGE, "id": "connect", "protocol_type": "connect"}
    )
    moving = ask(server, _request(["moving"]), 6, at(server, "moving")).groups[0]
    assert (moving.group_state, moving.protocol_data, len(moving.members)) == ("PreparingRebalance", "", 25)
    assert {(one.member_metadata, one.member_assignment) for one in moving.members} == {(b"", b"")}
    connect = ask(server, _request(["connect"]), 6, at(server, "connect")).groups[0]
    assert connect.protocol_type == "connect"
    assert all(one.member_metadata and one.member_assignment for one in connect.members)


def test_authorized_operations_are_reported_when_asked_for() -> None:
    """From v3 on, and never beside an error."""
    server = grouped(HUGE, security=narrow())
    broker = at(server, "huge")
    for version in (3, 7):
        reported = ask(server, _request(["huge"], include_authorized_operations=True), version, broker).groups[0]
        assert reported.authorized_operations == {3, 6, 8, 10, 11}
    assert ask(server, _request(["huge"]), 6, broker).groups[0].authorized_operations != {3, 6, 8, 10, 11}


@pytest.mark.parametrize("limit", LIMITS)
def test_any_limit_gives_the_whole_answer(limit: int) -> None:
    """Each group once but where it is cut, sorted; what has an error once."""
    server = grouped(HUGE, {"id": "secret"}, security=narrow(("GROUP", "secret")))
    broker = at(server, "huge")
    ids = ["secret", "huge", *ids_of(server, broker), *ids_of(server, broker % 3 + 1)]
    whole = ask(server, _request(ids), 6, broker)
    found = pages(server, lambda: _request(ids), 7, limit, broker)
    expected = {one.group_id: [member.member_id for member in one.members] for one in whole.groups}
    assert {key: [one.member_id for one in of] for key, of in joined(found, "members").items()} == expected
    assert all(sum(max(1, len(one.members)) for one in page.groups) <= limit for page in found)
    reported = [(one.group_id, one.error_code) for page in found for one in page.groups]
    codes = {one.group_id: one.error_code for one in whole.groups}
    assert dict(reported) == codes
    assert all(reported.count(one) == 1 for one in reported if one[1])
    assert [one for one, _ in reported] == sorted(one for one, _ in reported)


def test_a_cursor_is_a_position() -> None:
    """Past a group that is not asked for, inside one, at a member that is gone, and in a group that has moved."""
    server = grouped(HUGE, {"id": "hugh"})
    broker = at(server, "huge")

    def first(cursor: tuple[str, str], ids: tuple[str, ...] = ("huge", "a")) -> list[Any]:
        page = one_page(server, _request(ids), 7, 2, cursor, broker)
        return [(one.group_id, one.error_code, [m.member_id[-2:] for m in one.members]) for one in page.groups]

    assert first(("b", ""))[0] == ("huge", 0, ["00", "01"])
    assert first(("huge", "huge-member-0000007")) == [("huge", 0, ["07", "08"])]
    assert first(("huge", "huge-member-0000007x")) == [("huge", 0, ["08", "09"])]
    assert first(("huge", "z")) == []
    other = one_page(server, _request(["huge"]), 7, 2, ("huge", "huge-member-0000007"), broker % 3 + 1)
    assert [(one.group_id, one.error_code) for one in other.groups] == [("huge", 16)]


def test_our_client_reads_the_same_by_cursor_and_by_window() -> None:
    """Also a group whose id needs more than 16 bits."""
    found = []
    for kip_1062 in (True, False):
        server = grouped(HUGE, {"id": "\U0001f600", "members": 2, "topics": ["open"]}, kip_1062=kip_1062)
        keys = of_type(server, "classic")
        found.append(walked(server, "DescribeGroups", keys, "cursor" if kip_1062 else "window"))
    assert sorted(map(str, found[0])) == sorted(map(str, found[1]))
    assert len(found[0]) >= 10
