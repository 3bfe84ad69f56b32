"""What StreamsGroupDescribe makes of a member and of a topology."""

from typing import Any

from unit.rpc.answers import answer, items

SAME = {"member_id": "m-1", "member_epoch": 3, "rack_id": "r", "client_id": "c", "client_host": "/10.0.0.1"}
SAME |= {"process_id": "p"}
EPOCHS = {"group_state": "Stable", "group_epoch": 4, "assignment_epoch": 3}
MEMBER = SAME | {
    "assignment": {
        "active_tasks": [{"subtopology_id": "0", "partitions": [0, 2]}, {"subtopology_id": "1", "partitions": [1]}],
        "standby_tasks": [{"subtopology_id": "0", "partitions": [1]}],
    },
    "target_assignment": {"warmup_tasks": [{"subtopology_id": "1", "partitions": [7]}]},
}


def _items(*topologies: Any) -> list[dict[str, Any]]:
    groups = [EPOCHS | {"group_id": "g", "topology": one, "members": [MEMBER]} for one in topologies]
    return items("StreamsGroupDescribe", "groups", answer("StreamsGroupDescribe", groups=groups), 0)


def _subtopology(name: str, sources: list[str], repartitioned: list[str]) -> dict[str, Any]:
    return {
        "subtopology_id": name,
        "source_topics": sources,
        "repartition_sink_topics": ["sink"],
        "state_changelog_topics": [{"name": "changelog"}],
        "repartition_source_topics": [{"name": one, "partitions": 3} for one in repartitioned],
    }


def test_streams_group_describe_is_a_row_a_member() -> None:
    """Tasks are the current ones; the topics are those that any subtopology reads, each once."""
    subtopologies = [_subtopology("1", ["u", "t"], ["r"]), _subtopology("0", ["t"], [])]
    (item,) = _items({"epoch": 2, "subtopologies": subtopologies})
    read = {
        "topology_epoch": 2,
        "source_topics": ["r", "t", "u"],
        "subtopologies": [("1", ["r", "t", "u"]), ("0", ["t"])],
    }
    tasks = {"active_tasks": [("0", [0, 2]), ("1", [1])], "standby_tasks": [("0", [1])], "warmup_tasks": []}
    absent = {"error_message": None, "instance_id": None}
    assert item == EPOCHS | SAME | read | tasks | absent | {"group_id": "g", "error_code": 0}


def test_streams_group_describe_does_not_know_topics_before_the_group_is_initialized() -> None:
    """Without a topology, or with one whose topics are not there; one that reads nothing is known."""
    rows = _items(None, {"epoch": 2, "subtopologies": None}, {"epoch": 2, "subtopologies": []})
    found = [(item["topology_epoch"], item["source_topics"], item["subtopologies"]) for item in rows]
    assert found == [(None, None, None), (2, None, None), (2, [], [])]
