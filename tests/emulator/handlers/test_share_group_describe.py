"""ShareGroupDescribe of the emulator: members, hidden topics, what is no share group, our client."""

from typing import Any

from emulator.asking import ask
from emulator.handlers.grouping import at, elsewhere, grouped, narrow
from kafka_messages import ShareGroupDescribeRequest

SHARED = {"id": "shared", "type": "share", "members": 7, "topics": ["open", "hidden"]}


def _request(ids: Any, **more: Any) -> Any:
    return ShareGroupDescribeRequest(group_ids=list(ids), **more)


def test_errors() -> None:
    """69 with a message, 24 for the empty id, 16 elsewhere with one, 30 denied, 29 for a hidden topic."""
    denied = narrow(("GROUP", "secret"), ("TOPIC", "hidden"))
    server = grouped(SHARED, {"id": "old", "members": 1}, {"id": "secret"}, security=denied)

    def reported(group_id: str, broker: int) -> tuple[int, str | None]:
        one = ask(server, _request([group_id]), 1, broker).groups[0]
        assert (one.members, one.group_state) == ([], "")
        return one.error_code, one.error_message

    assert reported("old", at(server, "old")) == (69, "Group old is not a share group.")
    assert reported("nobody", at(server, "nobody")) == (69, "Group nobody not found.")
    assert reported("", 1) == (24, None)
    assert reported("shared", elsewhere(server, "shared")) == (16, "This is not the correct coordinator.")
    assert reported("secret", 1) == (30, None)
    assert reported("shared", at(server, "shared"))[0] == 29
