"""What StreamsGroupDescribe asks, and what it makes of an answer."""

from typing import Any

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages import StreamsGroupDescribeRequest, StreamsGroupDescribeResponse
from unit.rpc.answers import items

GROUP = StreamsGroupDescribeResponse.DescribedGroup
MEMBER = GROUP.Member
TOPOLOGY = GROUP.Topology
SUBTOPOLOGY = TOPOLOGY.Subtopology


def _assignment(**tasks: list[tuple[str, list[int]]]) -> Any:
    one = MEMBER.Assignment.TaskIds
    kinds = ("active_tasks", "standby_tasks", "warmup_tasks")
    return MEMBER.Assignment(
        **{kind: [one(subtopology_id=of, partitions=parts) for of, parts in tasks.get(kind, [])] for kind in kinds}
    )


def _member() -> Any:
    return MEMBER(
        member_id="m-1",
        member_epoch=3,
        instance_id=None,
        rack_id="r",
        client_id="c",
        client_host="/10.0.0.1",
        topology_epoch=1,
        process_id="p",
        user_endpoint=MEMBER.Endpoint(host="h", port=9),
        client_tags=[],
        task_offsets=[],
        task_end_offsets=[],
        assignment=_assignment(active_tasks=[("0", [0, 2]), ("1", [1])], standby_tasks=[("0", [1])]),
        target_assignment=_assignment(warmup_tasks=[("1", [7])]),
        is_classic=False,
    )


def _subtopology(name: str, sources: list[str], repartitioned: list[str]) -> Any:
    topic = SUBTOPOLOGY.TopicInfo
    return SUBTOPOLOGY(
        subtopology_id=name,
        source_topics=sources,
        repartition_sink_topics=["sink"],
        state_changelog_topics=[topic(name="changelog", partitions=0, replication_factor=0, topic_configs=[])],
        repartition_source_topics=[
            topic(name=one, partitions=3, replication_factor=1, topic_configs=[]) for one in repartitioned
        ],
    )


def _group(*members: Any, group_id: str = "g", code: int = 0, topology: Any = None) -> Any:
    return GROUP(
        error_code=code,
        error_message="no" if code else None,
        group_id=group_id,
        group_state="" if code else "Stable",
        group_epoch=4,
        assignment_epoch=3,
        topology=topology,
        members=list(members),
    )


def _groups(*groups: Any) -> Any:
    return StreamsGroupDescribeResponse(throttle_time_ms=0, groups=list(groups))


def test_streams_group_describe_is_a_row_a_member() -> None:
    """Tasks are the current ones; the topics are those that any subtopology reads, each once."""
    topology = TOPOLOGY(epoch=2, subtopologies=[_subtopology("1", ["u", "t"], ["r"]), _subtopology("0", ["t"], [])])
    (item,) = items("StreamsGroupDescribe", "groups", _groups(_group(_member(), topology=topology)), 0)
    assert item == {
        "group_id": "g",
        "error_code": 0,
        "error_message": None,
        "group_state": "Stable",
        "group_epoch": 4,
        "assignment_epoch": 3,
        "topology_epoch": 2,
        "source_topics": ["r", "t", "u"],
        "subtopologies": [("1", ["r", "t", "u"]), ("0", ["t"])],
        "member_id": "m-1",
        "member_epoch": 3,
        "instance_id": None,
        "rack_id": "r",
        "client_id": "c",
        "client_host": "/10.0.0.1",
        "process_id": "p",
        "active_tasks": [("0", [0, 2]), ("1", [1])],
        "standby_tasks": [("0", [1])],
        "warmup_tasks": [],
    }


def test_streams_group_describe_does_not_know_topics_before_the_group_is_initialized() -> None:
    """Without a topology, or with one whose topics are not there; one that reads nothing is known."""
    uninitialized, reads_nothing = TOPOLOGY(epoch=2, subtopologies=None), TOPOLOGY(epoch=2, subtopologies=[])
    groups = [_group(_member(), topology=one) for one in (None, uninitialized, reads_nothing)]
    answer = items("StreamsGroupDescribe", "groups", _groups(*groups), 0)
    assert [(item["topology_epoch"], item["source_topics"]) for item in answer] == [(None, None), (2, None), (2, [])]
    assert [item["subtopologies"] for item in answer] == [None, None, []]


def test_streams_group_describe_keeps_groups_without_members_and_errors() -> None:
    """One row each; of a group with an error nothing else is known."""
    topology = TOPOLOGY(epoch=2, subtopologies=[_subtopology("0", ["t"], [])])
    response = _groups(_group(topology=topology), _group(group_id="h", code=29))
    empty, failed = items("StreamsGroupDescribe", "groups", response, 0)
    assert (empty["group_id"], empty["source_topics"], empty["member_id"]) == ("g", ["t"], None)
    assert (empty["active_tasks"], empty["standby_tasks"], empty["warmup_tasks"]) == (None, None, None)
    assert (failed["group_id"], failed["error_code"], failed["error_message"]) == ("h", 29, "no")
    assert set(list(failed.values())[3:]) == {None}


def test_streams_group_describe_asks_for_all_groups() -> None:
    """Without the operations that the principal may do."""
    (api,) = rpc("StreamsGroupDescribe", "groups").apis
    request = StreamsGroupDescribeRequest.decode(api.build(0, Ask(("a", "b"), None, 50)).encode(), version=0)
    assert (request.group_ids, request.include_authorized_operations) == (["a", "b"], False)
