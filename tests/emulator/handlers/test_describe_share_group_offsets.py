"""DescribeShareGroupOffsets of the emulator: named topics, and partitions without a leader."""

from typing import Any

import pytest

from emulator.asking import ask
from emulator.handlers.grouping import at, group, grouped, narrow
from kafka_messages import DescribeShareGroupOffsetsRequest

SHARED = {"id": "shared", "type": "share", "topics": ["open", "hidden"]}


def _request(ids: list[str], topics: dict[str, list[int]] | None = None) -> Any:
    kind = DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup
    one = kind.DescribeShareGroupOffsetsRequestTopic
    named = None if topics is None else [one(topic_name=name, partitions=of) for name, of in topics.items()]
    return DescribeShareGroupOffsetsRequest(groups=[kind(group_id=group_id, topics=named) for group_id in ids])


def _rows(one: Any) -> list[tuple[Any, ...]]:
    return [
        (topic.topic_name, row.partition_index, row.start_offset, row.leader_epoch, row.error_code)
        for topic in one.topics
        for row in topic.partitions
    ]


@pytest.mark.parametrize("version", [0, 1])
def test_named_topics(version: int) -> None:
    server = grouped(SHARED, security=narrow(("TOPIC", "hidden")))
    topics = {"hidden": [0], "gone": [0, 1], "open": [0, 77]}
    for broker in (1, 2, 3):
        reported = ask(server, _request(["shared"], topics), version, broker).groups[0]
        first = server.world.offsets(group(server, "shared")).of("open", 0)
        assert first is not None
        assert _rows(reported) == [
            ("open", 0, first.offset, first.leader_epoch, 0),
            ("open", 77, -1, 0, 0),
            ("gone", 0, -1, 0, 0),
            ("gone", 1, -1, 0, 0),
            ("hidden", 0, 0, 0, 29),
        ]


def test_a_partition_without_leader_has_no_lag() -> None:
    """The partition has error code 5."""
    alone = {"name": "open", "partitions": 2, "states": [{"partition": 1, "leader": -1}]}
    server = grouped(SHARED, topics={"declared": [alone]})
    reported = ask(server, _request(["shared"]), 1, at(server, "shared")).groups[0]
    assert [row[4] for row in _rows(reported)] == [0, 5]
