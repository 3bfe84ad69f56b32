"""ConsumerGroupDescribe of the emulator: members, hidden topics, what is no consumer group, pages, our client."""

from typing import Any

import pytest

from emulator.asking import ask
from emulator.handlers.by_cursor import one_page
from emulator.handlers.grouping import at, elsewhere, grouped, narrow
from kafka_messages.kip_1062 import ConsumerGroupDescribeRequest

HUGE = {"id": "huge", "type": "consumer", "members": 25, "topics": ["open", "hidden", "gone"]}


def _request(ids: Any, **more: Any) -> Any:
    return ConsumerGroupDescribeRequest(group_ids=list(ids), **more)


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


def test_a_group_that_is_gone_is_reported_where_it_would_go_on() -> None:
    """Or else the rest of it would be lost in silence."""
    server = grouped({**HUGE, "state": "Empty"})
    broker = at(server, "huge")
    server.world.delete_groups(["huge"])
    page = one_page(server, _request(["huge"]), 2, 5, ("huge", "huge-member-0000007"), broker)
    assert [(one.group_id, one.error_code) for one in page.groups] == [("huge", 69)]
    assert page.next_cursor is None
