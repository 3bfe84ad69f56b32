"""What ListGroups makes of an answer."""

from typing import Any

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages.kip_1062 import ListGroupsResponse
from unit.rpc.answers import items, over_the_wire, page_of, sent


def _groups(**page: Any) -> Any:
    group = ListGroupsResponse.ListedGroup
    return ListGroupsResponse(
        throttle_time_ms=0,
        error_code=0,
        groups=[group(group_id="", protocol_type="consumer", group_state="Empty", group_type="classic")],
        **page,
    )


def test_list_groups_leaves_null_what_its_version_does_not_say() -> None:
    """States come with v4, types with v5."""
    assert [
        (item["group_state"], item["group_type"])
        for version, way in ((6, 0), (5, 1), (4, 1), (3, 1), (0, 1))
        for item in items("ListGroups", "groups", _groups(), version, way=way)
    ] == [("Empty", "classic"), ("Empty", "classic"), ("Empty", None), (None, None), (None, None)]


def test_list_groups_pages_by_the_broker_s_cursor_at_v6() -> None:
    """Limit and cursor are sent there, and not below; the empty name is a position like any other."""
    ask = Ask((), ("",), 7)
    assert page_of(sent("ListGroups", "groups", 6, ask)) == (7, ("",))
    assert page_of(sent("ListGroups", "groups", 5, ask, way=1)) == (2000, None)
    api = rpc("ListGroups", "groups").apis[0]
    follows = ListGroupsResponse.Cursor(group_id="g")
    assert api.next_cursor(over_the_wire(_groups(next_cursor=follows), 6)) == ("g",)
    assert api.next_cursor(over_the_wire(_groups(), 6)) is None
