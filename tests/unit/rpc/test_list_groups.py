"""What ListGroups makes of an answer."""

from kafka.protocol.admin import ListGroupsResponse

from unit.rpc.answers import items


def test_list_groups_leaves_null_what_its_version_does_not_say() -> None:
    """States come with v4, types with v5."""
    group = ListGroupsResponse.ListedGroup
    response = ListGroupsResponse(
        throttle_time_ms=0,
        error_code=0,
        groups=[group(group_id="", protocol_type="consumer", group_state="Empty", group_type="classic")],
    )
    assert [
        (item["group_state"], item["group_type"])
        for version in (5, 4, 3)
        for item in items("ListGroups", "groups", response, version)
    ] == [("Empty", "classic"), ("Empty", None), (None, None)]
