"""StreamsGroupDescribe of the emulator: topology, tasks, hidden topics, what is no streams group, our client."""

from typing import Any

from emulator.asking import ask
from emulator.handlers.grouping import at, elsewhere, grouped, narrow
from kafka_messages import StreamsGroupDescribeRequest

STREAMS = {"id": "flow", "type": "streams", "members": 3, "topics": ["open", "hidden"]}


def _request(ids: Any, **more: Any) -> Any:
    return StreamsGroupDescribeRequest(group_ids=list(ids), **more)


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
