"""What ShareGroupDescribe makes of a member."""

from uuid import UUID

from kafka_census.rpc import rpc
from unit.rpc.answers import answer, items


def test_share_group_describe_is_a_row_a_member() -> None:
    same = {"member_id": "m-1", "rack_id": None, "member_epoch": 3, "client_id": "c", "client_host": "/10.0.0.1"}
    epochs = {"group_state": "Stable", "group_epoch": 4, "assignment_epoch": 3, "assignor_name": "simple"}
    assigned = {"topic_partitions": [{"topic_id": UUID(int=7), "topic_name": "t", "partitions": [0, 2]}]}
    member = same | {"subscribed_topic_names": ["t"], "assignment": assigned}
    group = epochs | {"group_id": "g", "members": [member]}
    (item,) = items("ShareGroupDescribe", "groups", answer("ShareGroupDescribe", groups=[group]), 1)
    read = {"subscribed_topics": ["t"], "assignment": [("t", [0, 2])]}
    assert item == epochs | same | read | {"group_id": "g", "error_code": 0, "error_message": None}


def test_share_group_describe_is_asked_at_v1_only() -> None:
    """v0 was an early access version and means something else."""
    (api,) = rpc("ShareGroupDescribe", "groups").apis
    assert (api.min_version, api.max_version) == (1, 1)
