"""DescribeGroups of the emulator: what is no classic group, denials, members' bytes."""

from typing import Any

import pytest

from emulator.asking import ask
from emulator.handlers.grouping import at, elsewhere, grouped, ids_of, narrow
from kafka_messages.kip_1062 import DescribeGroupsRequest

HUGE = {"id": "huge", "members": 25, "topics": ["open"]}


def _request(ids: Any, **more: Any) -> Any:
    return DescribeGroupsRequest(groups=list(ids), **more)


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
