"""ConsumerGroupDescribe of the emulator: members, hidden topics, what is no consumer group, pages, our client."""

from typing import Any

import pytest

from emulator.asking import ask
from emulator.handlers.by_cursor import LIMITS, one_page, pages
from emulator.handlers.grouping import at, elsewhere, group, grouped, ids_of, joined, narrow, of_type, walked
from kafka_messages.kip_1062 import ConsumerGroupDescribeRequest

HUGE = {"id": "huge", "type": "consumer", "members": 25, "topics": ["open", "hidden", "gone"]}


def _request(ids: Any, **more: Any) -> Any:
    return ConsumerGroupDescribeRequest(group_ids=list(ids), **more)


@pytest.mark.parametrize("version", [0, 1, 2])
def test_consumer_groups_are_the_worlds_at_every_version(version: int) -> None:
    """Epochs, members with both assignments, and their type from v1 on."""
    server = grouped(HUGE)
    for broker in (1, 2, 3):
        ids = of_type(server, "consumer", broker)
        response = ask(server, _request(ids), version, broker)
        assert sorted(one.group_id for one in response.groups) == ids
        for reported in response.groups:
            known = group(server, reported.group_id)
            assert (reported.error_code, reported.group_state, reported.assignor_name) == (
                0,
                known.shape.state,
                "uniform",
            )
            for one, member in zip(reported.members, server.world.members(known), strict=True):
                assert (one.member_id, one.instance_id, one.rack_id) == (member.member_id, member.instance_id, None)
                assert one.member_epoch == member.epoch == reported.group_epoch == reported.assignment_epoch
                assert one.subscribed_topic_names == list(known.topics)
                for assignment in (one.assignment, one.target_assignment):
                    rows = [(part.topic_name, tuple(part.partitions)) for part in assignment.topic_partitions]
                    assert rows == list(member.assignment)
                    for part in assignment.topic_partitions:
                        topic = server.world.topics.get(part.topic_name)
                        assert topic is not None
                        assert part.topic_id == topic.topic_id
                if version >= 1:
                    assert one.member_type == 1


def test_what_kafkas_offer() -> None:
    """2.8 has no such RPC; 3.9 has it, and the protocol is off; v2 comes with the feature."""
    assert ask(grouped(as_version="2.8", kip_1062=False), _request(["a"]), 0) is None
    off = grouped(HUGE, as_version="3.9", kip_1062=False)
    assert [one.error_code for one in ask(off, _request(["huge", "a"]), 0).groups] == [35, 35]
    assert ask(off, _request(["a"]), 1) is None
    assert ask(grouped(kip_1062=False), _request(["a"]), 2) is None


@pytest.mark.parametrize("version", [0, 1, 2])
def test_errors(version: int) -> None:
    """69 with a message, 24 for the empty id, 16 elsewhere, 30 denied."""
    server = grouped({"id": "old", "members": 1}, {"id": "secret"}, security=narrow(("GROUP", "secret")))

    def reported(group_id: str, broker: int) -> tuple[int, str | None, str]:
        one = ask(server, _request([group_id]), version, broker).groups[0]
        assert one.members == []
        return one.error_code, one.error_message, one.group_state

    assert reported("old", at(server, "old")) == (69, "Group old is not a consumer group.", "")
    assert reported("nobody", at(server, "nobody")) == (69, "Group nobody not found.", "")
    assert reported("", 1) == reported("", 2) == (24, None, "")
    assert reported("old", elsewhere(server, "old")) == (16, None, "")
    assert reported("secret", 1) == reported("secret", 3) == (30, None, "")


def test_one_hidden_topic_refuses_the_whole_group() -> None:
    """Only where it is assigned: not of an empty group, and not one that is gone."""
    empty = {**HUGE, "id": "empty", "members": 0}
    server = grouped(HUGE, empty, security=narrow(("TOPIC", "hidden"), ("TOPIC", "gone")))
    huge = ask(server, _request(["huge"]), 1, at(server, "huge")).groups[0]
    assert (huge.error_code, huge.members, huge.group_state, huge.group_epoch) == (29, [], "", 0)
    assert "not authorized to describe" in huge.error_message
    assert ask(server, _request(["empty"]), 1, at(server, "empty")).groups[0].error_code == 0
    gone = grouped(HUGE, security=narrow(("TOPIC", "gone")))
    assert len(ask(gone, _request(["huge"]), 1, at(gone, "huge")).groups[0].members) == 25


def test_authorized_operations_are_a_bit_field() -> None:
    """As Kafka writes them; nothing unless asked for."""
    server = grouped(HUGE, security=narrow())
    reported = ask(server, _request(["huge"], include_authorized_operations=True), 1, at(server, "huge")).groups[0]
    assert reported.authorized_operations == sum(1 << one for one in (3, 6, 8, 10, 11))
    assert ask(server, _request(["huge"]), 1, at(server, "huge")).groups[0].authorized_operations == -(2**31)


@pytest.mark.parametrize("limit", LIMITS)
def test_any_limit_gives_the_whole_answer(limit: int) -> None:
    """Whatever else is asked for; a group without members is a page of its own at limit 1."""
    server = grouped(HUGE)
    broker = at(server, "huge")
    ids = ["", *ids_of(server, broker), *ids_of(server, broker % 3 + 1)]
    whole = ask(server, _request(ids), 1, broker)
    found = pages(server, lambda: _request(ids), 2, limit, broker)
    expected = {one.group_id: [member.member_id for member in one.members] for one in whole.groups}
    assert {key: [one.member_id for one in of] for key, of in joined(found, "members").items()} == expected
    assert all(sum(max(1, len(one.members)) for one in page.groups if not one.error_code) <= limit for page in found)
    assert {one.group_id: one.error_code for page in found for one in page.groups} == {
        one.group_id: one.error_code for one in whole.groups
    }


def test_a_group_that_is_gone_is_reported_where_it_would_go_on() -> None:
    """Or else the rest of it would be lost in silence."""
    server = grouped({**HUGE, "state": "Empty"})
    broker = at(server, "huge")
    server.world.delete_groups(["huge"])
    page = one_page(server, _request(["huge"]), 2, 5, ("huge", "huge-member-0000007"), broker)
    assert [(one.group_id, one.error_code) for one in page.groups] == [("huge", 69)]
    assert page.next_cursor is None


def test_our_client_reads_the_same_by_cursor_and_by_window() -> None:
    """Every group of a broker."""
    found = []
    for kip_1062 in (True, False):
        server = grouped(*({**HUGE, "id": f"huge-{one}"} for one in range(6)), kip_1062=kip_1062)
        keys = of_type(server, "consumer")
        found.append(walked(server, "ConsumerGroupDescribe", keys, "cursor" if kip_1062 else "window"))
    assert sorted(map(str, found[0])) == sorted(map(str, found[1]))
    assert len(found[0]) > 25
