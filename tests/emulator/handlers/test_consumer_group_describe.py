"""ConsumerGroupDescribe of the emulator: releases without the protocol, hidden topics, a group that is gone."""

from typing import Any

from emulator.asking import ask
from emulator.handlers.by_cursor import one_page
from emulator.handlers.grouping import at, grouped, narrow
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
