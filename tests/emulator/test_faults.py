"""Faults: which request meets them, what they do to its answer, and how faults that no request met are reported."""

import struct
from dataclasses import replace
from typing import Any

from emulator.asking import cluster
from kafka_emulator.fault_actions import FaultSection
from kafka_emulator.faults import Faults
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import ListGroupsRequest


def faulty(*faults: dict[str, Any]) -> Server:
    return replace(cluster(), faults=Faults(tuple(map(FaultSection.model_validate, faults))))


def test_faults_are_matched_by_api_broker_and_page() -> None:
    """Once means one of the requests, always every one from that page on."""
    faults = faulty(
        {"api": "ListGroups", "broker": 2, "page": 1, "do": "drop"},
        {"api": "ListGroups", "page": 2, "always": True, "do": {"delay_ms": 1}},
        {"do": "repeat_cursor"},
    ).faults

    def met(api: str, broker: int, number: int, *, has_cursor: bool = False) -> list[str]:
        due = faults.due(api, broker, number, has_cursor=has_cursor)
        faults.hit(due)
        return [fault.do.name for fault in due]

    assert met("Metadata", 2, 5) == []
    assert met("ListGroups", 1, 1) == []
    assert met("ListGroups", 2, 0) == []
    assert met("ListGroups", 2, 1) == ["drop"]
    assert met("ListGroups", 2, 1) == []
    assert met("ListGroups", 1, 2) == met("ListGroups", 2, 3) == ["delay_ms"]
    assert [str(fault) for fault in faults.never_hit] == ["repeat_cursor on any API"]
    assert met("Metadata", 1, 0, has_cursor=True) == ["repeat_cursor"]
    assert faults.never_hit == ()


def test_a_throttled_connection_is_muted() -> None:
    server = faulty({"do": {"throttle_ms": 40}})
    request = ListGroupsRequest()
    request.API_VERSION = 6
    request.with_header(correlation_id=1)
    reply = server.answer(1, "PLAINTEXT", bytes(request.encode(header=True)))
    assert (reply.delay, reply.muted, reply.hang_up) == (0.0, 0.04, False)


def test_frames_that_are_none_close_the_connection() -> None:
    """Short ones, APIs and versions that are not offered, bodies that cannot be read."""
    server = faulty()
    for frame in (
        b"",
        b"abc",
        struct.pack(">hhi", 999, 0, 1),
        struct.pack(">hhi", 16, 7, 1),
        struct.pack(">hhi", 16, 6, 1),
    ):
        assert server.answer(1, "PLAINTEXT", frame).hang_up
