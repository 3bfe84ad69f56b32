"""What ConsumerGroupDescribe makes of a member."""

from uuid import UUID

import pytest

from unit.rpc.answers import answer, items

SAME = {"member_id": "m-1", "rack_id": "r", "member_epoch": 3, "client_id": "c", "client_host": "/10.0.0.1"}
EPOCHS = {"group_state": "Stable", "group_epoch": 4, "assignment_epoch": 3, "assignor_name": "uniform"}


@pytest.mark.parametrize(("version", "kinds"), [(0, [None] * 3), (1, [1, 0, None]), (2, [1, 0, None])])
def test_consumer_group_describe_is_a_row_a_member(version: int, kinds: list[int | None]) -> None:
    """Member types come with v1; -1 is null, 0 is a classic member."""
    assigned = {"topic_partitions": [{"topic_id": UUID(int=7), "topic_name": "t", "partitions": [0, 2]}]}
    member = SAME | {"subscribed_topic_names": ["t", "u"], "assignment": assigned, "target_assignment": {}}
    group = EPOCHS | {"group_id": "g", "members": [member | {"member_type": kind} for kind in (1, 0, -1)]}
    found = items("ConsumerGroupDescribe", "groups", answer("ConsumerGroupDescribe", groups=[group]), version)
    read = {"subscribed_topics": ["t", "u"], "assignment": [("t", [0, 2])], "target_assignment": []}
    absent = {"error_message": None, "instance_id": None, "subscribed_topic_regex": None}
    expected = EPOCHS | SAME | read | absent | {"group_id": "g", "error_code": 0}
    assert found == [expected | {"member_type": kind} for kind in kinds]
