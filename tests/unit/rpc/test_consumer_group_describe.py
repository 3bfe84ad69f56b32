"""What ConsumerGroupDescribe makes of a member."""

from typing import Any
from uuid import UUID

import pytest

from unit.rpc.answers import answer, items

SAME = {"member_id": "m-1", "rack_id": "r", "member_epoch": 3, "client_id": "c", "client_host": "/10.0.0.1"}
EPOCHS = {"group_state": "Stable", "group_epoch": 4, "assignment_epoch": 3, "assignor_name": "uniform"}


def _groups(*kinds: int) -> Any:
    assigned = {"topic_partitions": [{"topic_id": UUID(int=7), "topic_name": "t", "partitions": [0, 2]}]}
    member = SAME | {"subscribed_topic_names": ["t", "u"], "assignment": assigned, "target_assignment": {}}
    members = [member | {"member_type": kind} for kind in kinds]
    return answer("ConsumerGroupDescribe", groups=[EPOCHS | {"group_id": "g", "members": members}])


@pytest.mark.parametrize(("version", "kind"), [(0, None), (1, 1), (2, 1)])
def test_consumer_group_describe_is_a_row_a_member(version: int, kind: int | None) -> None:
    """Member types come with v1."""
    (item,) = items("ConsumerGroupDescribe", "groups", _groups(1), version)
    read = {"subscribed_topics": ["t", "u"], "assignment": [("t", [0, 2])], "target_assignment": []}
    absent = {"error_message": None, "instance_id": None, "subscribed_topic_regex": None}
    assert item == EPOCHS | SAME | read | absent | {"group_id": "g", "error_code": 0, "member_type": kind}


def test_consumer_group_describe_does_not_know_every_member_type() -> None:
    """-1 is null, 0 is a classic member."""
    unknown, classic = items("ConsumerGroupDescribe", "groups", _groups(-1, 0), 1)
    assert (unknown["member_type"], classic["member_type"]) == (None, 0)
