"""What ConsumerGroupDescribe makes of a member."""

from typing import Any

import pytest

from unit.rpc.answers import answer, items


@pytest.mark.parametrize(("version", "kinds"), [(0, [None] * 3), (1, [1, 0, None]), (2, [1, 0, None])])
def test_consumer_group_describe_is_a_row_a_member_whose_type_may_not_be_known(version: int, kinds: list[Any]) -> None:
    """Member types come with v1; -1 is null, 0 is a classic member."""
    nothing = {"assignment": {}, "target_assignment": {}}
    members = [nothing | {"member_id": str(kind), "member_type": kind} for kind in (1, 0, -1)]
    response = answer("ConsumerGroupDescribe", groups=[{"group_id": "g", "members": members}])
    found = items("ConsumerGroupDescribe", "groups", response, version)
    assert [(one["member_id"], one["member_type"]) for one in found] == list(zip(("1", "0", "-1"), kinds, strict=True))
