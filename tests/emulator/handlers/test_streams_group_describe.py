"""StreamsGroupDescribe of the emulator: topology, tasks, hidden topics, what is no streams group, our client."""

from typing import Any

from emulator.asking import ask
from emulator.handlers.grouping import at, elsewhere, group, grouped, narrow, of_type, walked
from kafka_messages import StreamsGroupDescribeRequest

STREAMS = {"id": "flow", "type": "streams", "members": 3, "topics": ["open", "hidden"]}


def _request(ids: Any, **more: Any) -> Any:
    return StreamsGroupDescribeRequest(group_ids=list(ids), **more)


def test_streams_groups_are_the_worlds() -> None:
    """Each topic is a subtopology; tasks are the partitions that a member is assigned."""
    server = grouped(STREAMS)
    for broker in (1, 2, 3):
        ids = of_type(server, "streams", broker)
        response = ask(server, _request(ids, include_authorized_operations=True), 0, broker)
        assert sorted(one.group_id for one in response.groups) == ids
        for reported in response.groups:
            known = group(server, reported.group_id)
            assert (reported.error_code, reported.group_state, reported.topology.epoch) == (0, known.shape.state, 0)
            assert reported.authorized_operations == sum(1 << one for one in (3, 6, 8, 10, 11))
            topics = {one.subtopology_id: one.source_topics[0] for one in reported.topology.subtopologies}
            assert list(topics.values()) == sorted(known.topics)
            for one, member in zip(reported.members, server.world.members(known), strict=True):
                assert (one.member_id, one.instance_id, one.user_endpoint) == (
                    member.member_id,
                    member.instance_id,
                    None,
                )
                assert one.member_epoch == reported.group_epoch == reported.assignment_epoch
                for assignment in (one.assignment, one.target_assignment):
                    active = [(topics[task.subtopology_id], tuple(task.partitions)) for task in assignment.active_tasks]
                    assert active == list(member.assignment)
                    assert assignment.standby_tasks == assignment.warmup_tasks == []
    for as_version in ("2.8", "3.9"):
        assert ask(grouped(as_version=as_version), _request(["a"]), 0) is None


def test_errors() -> None:
    """69 with a message, 24, 16, 30; 29 for a hidden topic of the topology, also of a group without members."""
    denied = narrow(("GROUP", "secret"), ("TOPIC", "hidden"))
    empty = {**STREAMS, "id": "empty", "members": 0}
    server = grouped(STREAMS, empty, {"id": "old", "members": 1}, {"id": "secret"}, security=denied)

    def reported(group_id: str, broker: int) -> tuple[int, str | None]:
        one = ask(server, _request([group_id]), 0, broker).groups[0]
        assert (one.members, one.group_state, one.topology) == ([], "", None)
        return one.error_code, one.error_message

    assert reported("old", at(server, "old")) == (69, "Group old is not a streams group.")
    assert reported("nobody", at(server, "nobody")) == (69, "Group nobody not found.")
    assert reported("", 1) == (24, None)
    assert reported("flow", elsewhere(server, "flow")) == (16, None)
    assert reported("secret", 1) == (30, None)
    assert reported("flow", at(server, "flow"))[0] == reported("empty", at(server, "empty"))[0] == 29


def test_our_client_reads_them() -> None:
    """In windows: the KIP has no cursor for them."""
    server = grouped(*({**STREAMS, "id": f"flow-{one}"} for one in range(6)))
    keys = of_type(server, "streams")
    rows = walked(server, "StreamsGroupDescribe", keys, "window")
    assert len(rows) == sum(max(1, group(server, one).members) for one in keys)
    assert {row[0] for row in rows} == set(keys)
