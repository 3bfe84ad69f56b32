"""The server: whatever frame comes, it is answered or the connection is closed, and the emulator goes on.

Which request meets a fault, and how faults that no request met are reported.
"""

import asyncio
import random
import socket
import struct
from dataclasses import replace

import pytest
from kafka.protocol.metadata import FindCoordinatorRequest

from emulator.asking import ask, cluster, faults, serving
from golden import kept
from kafka_emulator.changes import change
from kafka_emulator.fault_actions import FaultAction
from kafka_emulator.mutations import mutated
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import ListGroupsRequest

REQUESTS = [frame for frame in kept.load() if frame.kind == "request"]
MUTATED = 5000


def everything() -> Server:
    group = {"id": "g", "members": 2, "topics": ["t"]}
    return cluster(
        groups={"count": 50, "declared": [group]},
        topics={"partitions": 30, "declared": [{"name": "t", "partitions": 2}]},
    )


def answered(server: Server) -> set[tuple[str, int]]:
    """The APIs and versions that it answers of what Kafka's own classes write, each under its own correlation id."""
    found = set()
    for frame in REQUESTS:
        reply = server.answer(1, "PLAINTEXT", frame.bytes)
        if reply.frame is not None:
            assert reply.frame[4:8] == frame.bytes[4:8], frame
            found.add((frame.api, frame.version))
    return found


def test_frames_that_are_not_what_they_should_be_harm_nobody() -> None:
    """No handler fails, and what is asked well is answered as before, every API; what cannot be read is hung up on."""
    server, drawn = everything(), random.Random(7)
    before = answered(server)
    # We keep no frames of DeleteGroups.
    assert {api for api, _ in before} | {"DeleteGroups"} == {handler.name for handler in server.handlers}
    for number in range(MUTATED):
        frame = drawn.choice(REQUESTS).bytes
        # Behind the API's key, its version and the correlation id.
        server.answer(1, "PLAINTEXT", frame[:8] + mutated(frame[4:], f"{number}")[4:])
    assert answered(server) == before
    # Short ones, an API and a version that are not offered, and a body that cannot be read.
    for frame in (b"", b"abc", *(struct.pack(">hhi", *head, 1) for head in ((999, 0), (16, 7), (16, 6)))):
        assert server.answer(1, "PLAINTEXT", frame).hang_up
    # A null where the schema has none closes the connection; kafka-python would read it.
    assert ask(server, FindCoordinatorRequest(key_type=0, coordinator_keys=None), 4) is None


async def started(server: Server) -> None:
    """Every broker that was asked to start has started, in the server's loop."""
    await asyncio.gather(*server._starting)


def test_the_port_of_a_broker_that_is_down_is_nobody_elses() -> None:
    """Stopped from the beginning, later or while it starts: who connects is refused, and nobody gets the port."""
    with serving(cluster(brokers={"count": 2, "stopped": [2]})) as server:
        loop = server._loop
        assert loop is not None
        for action in (FaultAction(stop=1), FaultAction(start=1), FaultAction(stop=1)):
            loop.call_soon_threadsafe(change, server, action, 1)
        asyncio.run_coroutine_threadsafe(started(server), loop).result(10)
        for broker in (1, 2):
            at = server.world.brokers.endpoint(broker, "PLAINTEXT")
            assert at is not None
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((at.host, at.port), 1)
            with pytest.raises(OSError, match="Address already in use"), socket.socket() as other:
                other.bind((at.host, at.port))


def test_a_downgraded_broker_offers_less() -> None:
    server = everything()
    offered = {(broker, version): True for broker in (1, 2) for version in (4, 6)}
    for as_version in ("4.4", "2.8"):
        change(server, FaultAction.model_validate({"downgrade": {"brokers": [2], "as_version": as_version}}), 1)
        offered[2, 6] = False
        assert {at: ask(server, ListGroupsRequest(), at[1], at[0]) is not None for at in offered} == offered


def test_faults_are_matched_by_api_broker_and_page() -> None:
    """Once means one of the requests, always every one from that page on."""
    of = faults(
        {"api": "ListGroups", "broker": 2, "page": 1, "do": "drop"},
        {"api": "ListGroups", "page": 2, "always": True, "do": {"delay_ms": 1}},
        {"do": "repeat_cursor"},
    )

    def met(api: str, broker: int, number: int, *, has_cursor: bool = False) -> list[str]:
        due = of.due(api, broker, number, has_cursor=has_cursor)
        of.hit(due)
        return [fault.do.name for fault in due]

    assert met("Metadata", 2, 5) == []
    assert met("ListGroups", 1, 1) == []
    assert met("ListGroups", 2, 0) == []
    assert met("ListGroups", 2, 1) == ["drop"]
    assert met("ListGroups", 2, 1) == []
    assert met("ListGroups", 1, 2) == met("ListGroups", 2, 3) == ["delay_ms"]
    assert [str(fault) for fault in of.never_hit] == ["repeat_cursor on any API"]
    assert met("Metadata", 1, 0, has_cursor=True) == ["repeat_cursor"]
    assert of.never_hit == ()


def test_a_throttled_connection_is_muted() -> None:
    server = replace(cluster(), faults=faults({"do": {"throttle_ms": 40}}))
    request = ListGroupsRequest()
    request.API_VERSION = 6
    request.with_header(correlation_id=1)
    reply = server.answer(1, "PLAINTEXT", bytes(request.encode(header=True)))
    assert (reply.delay, reply.muted, reply.hang_up) == (0.0, 0.04, False)
