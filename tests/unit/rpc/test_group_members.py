"""What DescribeGroups and StreamsGroupDescribe make of a member: bytes, tasks and a topology."""

import random
from typing import Any

import pytest
from kafka.protocol.consumer import ConsumerProtocolAssignment, ConsumerProtocolSubscription

from unit.rpc.answers import answer, items


def _subscription(*topics: str, version: int = 3) -> bytes:
    message = ConsumerProtocolSubscription(topics=list(topics), user_data=None, owned_partitions=[])
    return bytes(message.encode(version=version))


def _assignment(**topics: list[int]) -> bytes:
    part = ConsumerProtocolAssignment.TopicPartition
    parts = [part(topic=topic, partitions=partitions) for topic, partitions in topics.items()]
    return bytes(ConsumerProtocolAssignment(assigned_partitions=parts, user_data=b"x").encode(version=1))


def _read(metadata: bytes, assignment: bytes, kind: str = "consumer", state: str = "Stable") -> tuple[Any, Any]:
    member = {"member_id": "m-1", "member_metadata": metadata, "member_assignment": assignment}
    group = {"group_id": "g", "group_state": state, "protocol_type": kind, "members": [member]}
    (item,) = items("DescribeGroups", "groups", answer("DescribeGroups", groups=[group]), 6)
    assert item["member_id"] == "m-1"
    return item["subscribed_topics"], item["assignment"]


def test_describe_groups_reads_every_version_of_the_consumer_protocol() -> None:
    """A later one begins like the last that is known."""
    for version in range(4):
        assert _read(_subscription("t", version=version), b"")[0] == ["t"]
    later = b"\x00\x09" + _subscription("t")[2:] + b"later"
    assert _read(later, b"\x00\x09" + _assignment(t=[1])[2:]) == (["t"], [("t", [1])])


NULL_LISTS = b"\x00\x00" + b"\xff" * 8
NULL_TOPIC = b"\x00\x00" + b"\x00\x00\x00\x01" + b"\xff\xff" + b"\xff" * 4


@pytest.mark.parametrize(
    ("metadata", "assignment", "kind", "state", "read"),
    [
        # No bytes (not Stable), another protocol's, or garbage; nothing assigned is known to be nothing.
        (b"", b"", "consumer", "PreparingRebalance", (None, None)),
        (_subscription("t"), _assignment(t=[1]), "connect", "Stable", (None, None)),
        (_subscription("t")[:5], _assignment(t=[1])[:-6], "consumer", "Stable", (None, None)),
        (NULL_LISTS, NULL_LISTS, "consumer", "Stable", (None, None)),
        (NULL_TOPIC, NULL_TOPIC, "consumer", "Stable", (None, None)),
        (_subscription(), _assignment(), "consumer", "Stable", ([], [])),
        # As Kafka's AdminClient: a leader that leaves a member out of SyncGroup gives it nothing; before that the
        # coordinator withholds bytes.
        (_subscription("t"), b"", "consumer", "Stable", (["t"], [])),
        (_subscription("t"), b"", "consumer", "CompletingRebalance", (["t"], None)),
        (_subscription("t"), b"", "connect", "Stable", (None, None)),
    ],
)
def test_describe_groups_does_not_know_what_it_cannot_read(
    metadata: bytes, assignment: bytes, kind: str, state: str, read: tuple[Any, Any]
) -> None:
    assert _read(metadata, assignment, kind, state) == read


def test_describe_groups_survives_any_bytes() -> None:
    chance = random.Random(7)
    for _ in range(1000):
        kind = chance.choice((b"\x00\x00", b"\x00\x03", b"\xff\xff", b""))
        data = kind + bytes(chance.choice((0, 0, 0, 1, 2, 65, 255)) for _ in range(chance.randrange(24)))
        topics, assignment = _read(data, data)
        assert topics is None or all(isinstance(topic, str) for topic in topics)
        assert assignment is None or isinstance(assignment, list)


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


def _items(*topologies: Any, version: int = 0, **more: Any) -> list[dict[str, Any]]:
    groups = [EPOCHS | {"group_id": "g", "topology": one, "members": [MEMBER]} | more for one in topologies]
    return items("StreamsGroupDescribe", "groups", answer("StreamsGroupDescribe", groups=groups), version)


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
    absent = dict.fromkeys(("error_message", "instance_id", *DESCRIBED))
    assert item == EPOCHS | SAME | read | tasks | absent | {"group_id": "g", "error_code": 0}


DESCRIBED = ("assignor_name", "topology_status", "described_subtopologies", "described_topics", "stores")


def _node(**lists: list[str]) -> dict[str, Any]:
    return {"name": "n", "node_type": 1, "sink_topic": "out"} | lists


@pytest.mark.parametrize(
    ("status", "description", "told"),
    [
        (0, None, ("NOT_REQUESTED", None, None, None)),
        (1, None, ("NOT_STORED", None, None, None)),
        (2, None, ("ERROR", None, None, None)),
        (3, {"subtopologies": [], "global_stores": []}, ("AVAILABLE", 0, [], [])),
        (
            3,
            {
                "subtopologies": [
                    {"subtopology_id": "0", "nodes": [_node(source_topics=["b", "a"]), _node(stores=["s", "t"])]},
                    {"subtopology_id": "1", "nodes": [_node(source_topics=["a"]), _node(stores=["s"])]},
                ],
                "global_stores": [{"source": _node(source_topics=["g"]), "processor": _node(stores=["of-all"])}],
            },
            ("AVAILABLE", 2, ["a", "b", "g"], ["of-all", "s", "t"]),
        ),
        (9, None, ("unknown_9", None, None, None)),
    ],
)
def test_streams_group_describe_tells_what_a_plugin_has(status: int, description: Any, told: tuple[Any, ...]) -> None:
    """What is read and kept, each once; without a description, why there is none."""
    more = {"topology_description_status": status, "topology_description": description, "assignor_name": "sticky"}
    (item,) = _items(None, version=1, **more)
    assert tuple(item[name] for name in DESCRIBED) == ("sticky", *told)


def test_streams_group_describe_does_not_know_topics_before_the_group_is_initialized() -> None:
    """Without a topology, or with one whose topics are not there; one that reads nothing is known."""
    rows = _items(None, {"epoch": 2, "subtopologies": None}, {"epoch": 2, "subtopologies": []})
    found = [(item["topology_epoch"], item["source_topics"], item["subtopologies"]) for item in rows]
    assert found == [(None, None, None), (2, None, None), (2, [], [])]
