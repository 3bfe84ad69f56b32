"""Faults: which request meets them, what they do to its answer, and how faults that no request met are reported."""

import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from emulator.asking import ask, cluster
from kafka_emulator.fault_actions import FaultSection
from kafka_emulator.faults import Faults
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import ListGroupsRequest


def faulty(*faults: dict[str, Any], **sections: Any) -> Server:
    """A cluster of one broker with 23 groups, and these faults."""
    made = {"brokers": {"count": 1}, "groups": {"count": 23}} | sections
    return replace(cluster(**made), faults=Faults(tuple(map(FaultSection.model_validate, faults))))


ALL = list(faulty().world.groups_of(1))


def raw(server: Server) -> Iterator[tuple[list[str], Any]]:
    """Names and next cursor of each page, as a reader that believes everything takes them."""
    cursor = None
    while True:
        request = ListGroupsRequest(response_pagination_limit=5, cursor=cursor)
        response = ask(server, request, 6)
        yield [group.group_id for group in response.groups], response.next_cursor
        if response.next_cursor is None:
            return
        cursor = ListGroupsRequest.Cursor(group_id=response.next_cursor.group_id)


def test_a_lost_page_is_not_there() -> None:
    server = faulty({"api": "ListGroups", "page": 1, "do": "lose_page"})
    pages = [found for found, _ in raw(server)]
    assert [name for found in pages for name in found] == ALL[:5] + ALL[10:]
    assert server.faults.never_hit == ()


def test_a_doubled_page_comes_again_with_the_next_one() -> None:
    server = faulty({"api": "ListGroups", "do": "double_page"})
    pages = [found for found, _ in raw(server)]
    assert pages[0] == ALL[:5]
    assert pages[1] == ALL[:10]
    assert [name for found in pages[2:] for name in found] == ALL[10:]


def test_faults_are_matched_by_api_broker_and_page() -> None:
    """Once means one of the requests, always every one from that page on."""
    faults = Faults(
        tuple(
            map(
                FaultSection.model_validate,
                (
                    {"api": "ListGroups", "broker": 2, "page": 1, "do": "drop"},
                    {"api": "ListGroups", "page": 2, "always": True, "do": {"delay_ms": 1}},
                    {"do": "repeat_cursor"},
                ),
            )
        )
    )

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


def test_an_error_is_reported_where_the_rpc_has_codes() -> None:
    """At the top of ListGroups, on each topic of DescribeTopicPartitions, on each key of FindCoordinator."""
    from kafka.protocol.admin import DescribeTopicPartitionsRequest
    from kafka.protocol.metadata import FindCoordinatorRequest

    server = faulty({"always": True, "do": {"error": 14}})
    response = ask(server, ListGroupsRequest(), 6)
    assert (response.error_code, response.groups) == (14, [])
    topics = [DescribeTopicPartitionsRequest.TopicRequest(name=name) for name in ("topic-00001", "gone")]
    described = ask(server, DescribeTopicPartitionsRequest(topics=topics), 0)
    assert [(one.name, one.error_code, one.partitions) for one in described.topics] == [
        ("gone", 14, []),
        ("topic-00001", 14, []),
    ]
    for version in (0, 3, 4, 6):
        found = ask(server, FindCoordinatorRequest(key="g", coordinator_keys=["g", "h"]), version)
        codes = [found.error_code] if version < 4 else [one.error_code for one in found.coordinators]
        assert set(codes) == {14}


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
