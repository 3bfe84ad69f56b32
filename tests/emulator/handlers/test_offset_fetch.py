"""OffsetFetch of the emulator: errors and hidden topics where each version has them, and members."""

from typing import Any
from uuid import UUID

import pytest

from emulator.asking import ask
from emulator.handlers.grouping import at, elsewhere, group, grouped, narrow
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import OffsetFetchRequest

WIDE = {"id": "wide", "topics": ["open", "hidden"]}
NEW = {"id": "new", "type": "consumer", "members": 2, "topics": ["open"]}


def _request(version: int, ids: list[Any], topics: Any = None, **more: Any) -> Any:
    """`topics`: (name or id, partitions) pairs, or null for all."""
    if version < 8:
        one = OffsetFetchRequest.OffsetFetchRequestTopic
        named = None if topics is None else [one(name=name, partition_indexes=of) for name, of in topics]
        return OffsetFetchRequest(group_id=ids[0], topics=named)
    kind = OffsetFetchRequest.OffsetFetchRequestGroup
    named = None if topics is None else [_topic(kind, name, of) for name, of in topics]
    return OffsetFetchRequest(groups=[kind(group_id=one, topics=named, **more) for one in ids], require_stable=False)


def _topic(kind: Any, name: str | UUID, partitions: list[int]) -> Any:
    if isinstance(name, UUID):
        return kind.OffsetFetchRequestTopics(topic_name="", name="", topic_id=name, partition_indexes=partitions)
    return kind.OffsetFetchRequestTopics(topic_name=name, name=name, topic_id=UUID(int=0), partition_indexes=partitions)


def _rows(server: Server, topics: Any, version: int) -> list[tuple[Any, ...]]:
    """(topic, partition, offset, metadata, code) of an answer; ids become names."""
    found = []
    for topic in topics:
        if version == 10:
            known = server.world.topics.of_id(topic.topic_id)
            name = known.name if known else topic.topic_id
        else:
            name = topic.topic_name if version >= 11 else topic.name
        found += [
            (name, one.partition_index, one.committed_offset, one.metadata, one.error_code) for one in topic.partitions
        ]
    return found


def _reported(
    server: Server, version: int, group_id: str, topics: Any = None, broker: int = 0
) -> tuple[int, list[Any]]:
    response = ask(server, _request(version, [group_id], topics), version, broker or at(server, group_id))
    one = response if version < 8 else response.groups[0]
    return one.error_code if version > 1 else 0, _rows(server, one.topics, version)


def _named(server: Server, version: int, *names: str) -> list[Any]:
    """All partitions of these topics and one more, by name or id as the version wants it."""
    found = []
    for name in names:
        topic = server.world.topics.get(name)
        assert topic is not None
        found.append((topic.topic_id if version == 10 else name, [*range(topic.partitions), 99]))
    return found


@pytest.mark.parametrize("version", [*range(1, 12)])
def test_an_error_of_a_group_is_reported_where_the_version_has_it(version: int) -> None:
    """30 and 16; v1 says it of each partition."""
    server = grouped(WIDE, {**WIDE, "id": "secret"}, security=narrow(("GROUP", "secret")))
    topics = _named(server, version, "open")
    for group_id, broker, code in (("secret", at(server, "secret"), 30), ("wide", elsewhere(server, "wide"), 16)):
        reported = _reported(server, version, group_id, topics, broker)
        if version == 1:
            assert {one[2:] for one in reported[1]} == {(-1, "", code)}
            assert len(reported[1]) == 5
        else:
            assert reported == (code, [])


@pytest.mark.parametrize("version", [*range(1, 12)])
def test_hidden_topics(version: int) -> None:
    """All: left out in silence. Named: 29 on each partition, behind the others, and where it pages in order."""
    server = grouped(WIDE, security=narrow(("TOPIC", "hidden")))
    if version >= 2:
        assert {one[0] for one in _reported(server, version, "wide")[1]} == {"open"}
    _, rows = _reported(server, version, "wide", _named(server, version, "hidden", "open"))
    assert [one[0] for one in rows] == (
        ["hidden"] * 4 + ["open"] * 5 if version == 11 else ["open"] * 5 + ["hidden"] * 4
    )
    assert {one[2:] for one in rows if one[0] == "hidden"} == {(-1, "", 29)}


@pytest.mark.parametrize("version", [9, 10, 11])
def test_a_member_id_must_be_a_members(version: int) -> None:
    """25 unknown, 113 with another epoch; classic groups do not look."""
    server = grouped(NEW, WIDE)
    member = server.world.members(group(server, "new"))[0]

    def code(group_id: str, member_id: str, epoch: int) -> int:
        request = _request(version, [group_id], member_id=member_id, member_epoch=epoch)
        found: int = ask(server, request, version, at(server, group_id)).groups[0].error_code
        return found

    assert code("new", member.member_id, member.epoch) == 0
    assert code("new", member.member_id, member.epoch + 1) == 113
    assert code("new", "nobody", 1) == 25
    assert code("wide", "nobody", 1) == 0
