"""OffsetFetch of the emulator: every shape of the request, errors where each version has them, pages, our client."""

from typing import Any
from uuid import UUID

import pytest

from emulator.asking import ask
from emulator.handlers.by_cursor import LIMITS, one_page, pages
from emulator.handlers.grouping import at, elsewhere, group, grouped, ids_of, narrow, of_type, walked
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import OffsetFetchRequest

WIDE = {"id": "wide", "topics": ["open", "hidden"]}
NOTED = {"id": "noted", "offsets": [{"topic": "open", "partition": 2, "offset": 7, "metadata": "é"}]}
NEW = {"id": "new", "type": "consumer", "members": 2, "topics": ["open"]}
SHARED = {"id": "shared", "type": "share", "topics": ["open"]}
UNKNOWN_ID = UUID(int=7 << 64)
VERSIONS = [("2.8", 1, 7), ("3.9", 1, 9), ("4.3", 1, 10)]


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
    """Code and rows of one group."""
    response = ask(server, _request(version, [group_id], topics), version, broker or at(server, group_id))
    one = response if version < 8 else response.groups[0]
    return one.error_code if version > 1 else 0, _rows(server, one.topics, version)


def _of_world(server: Server, group_id: str) -> list[tuple[Any, ...]]:
    every = server.world.offsets(group(server, group_id))
    return [(one.topic.name, one.partition, one.offset, one.metadata, 0) for one in every]


def _named(server: Server, version: int, *names: str) -> list[Any]:
    """All partitions of these topics and one more, by name or id as the version wants it."""
    found = []
    for name in names:
        topic = server.world.topics.get(name)
        assert topic is not None
        found.append((topic.topic_id if version == 10 else name, [*range(topic.partitions), 99]))
    return found


@pytest.mark.parametrize(("as_version", "lowest", "highest"), VERSIONS)
def test_all_and_named_offsets_are_the_worlds_at_every_version(as_version: str, lowest: int, highest: int) -> None:
    """All of a group's, and the same by name: -1 where nothing is committed."""
    server = grouped(WIDE, NOTED, NEW, as_version=as_version, kip_1062=False)
    for version in range(lowest, highest + 1):
        for group_id in ("wide", "noted", "new", *ids_of(server)[:3]):
            if group(server, group_id).shape.type == "share":
                continue
            of_world = _of_world(server, group_id)
            if version >= 2:
                assert _reported(server, version, group_id) == (0, of_world)
            code, rows = _reported(server, version, group_id, _named(server, version, "hidden", "open"))
            assert code == 0
            assert len(rows) == 4 + 1 + 3 + 1
            assert [one for one in rows if one[2] >= 0] == [one for one in of_world if one[0] in ("hidden", "open")]
            assert {one[2:] for one in rows if one[2] < 0} == {(-1, "", 0)}
    assert ask(server, _request(highest + 1, ["wide"]), highest + 1) is None


@pytest.mark.parametrize("version", [*range(1, 12)])
def test_unknown_and_share_groups_have_no_offsets(version: int) -> None:
    """Which is no error."""
    server = grouped(SHARED)
    for group_id in ("nobody", "shared", ""):
        if version >= 2:
            assert _reported(server, version, group_id) == (0, [])
        code, rows = _reported(server, version, group_id, _named(server, version, "open"))
        assert (code, {one[2:] for one in rows}, len(rows)) == (0, {(-1, "", 0)}, 5)


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


@pytest.mark.parametrize("version", [10, 11])
def test_an_id_that_stands_for_nothing_is_100(version: int) -> None:
    """Also that of a topic that was deleted and is there again."""
    server = grouped(WIDE)
    rows = _reported(server, version, "wide", [(UNKNOWN_ID, [0, 1]), *_named(server, 10, "open")])[1]
    assert len(rows) == 7
    assert [one[2:] for one in rows if one[4]] == [(-1, "", 100)] * 2
    old = _named(server, 10, "open")
    server.world.delete_topics(["open"])
    assert {one[4] for one in _reported(server, version, "wide", old)[1]} == {100}
    assert {one[0] for one in _reported(server, version, "wide")[1]} == {"hidden"}


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


def test_groups_are_in_the_order_of_the_request() -> None:
    """Errors too, below the version that pages."""
    server = grouped(WIDE, {"id": "secret"}, security=narrow(("GROUP", "secret")))
    ids = ["nobody", "secret", *reversed(ids_of(server))]
    assert [one.group_id for one in ask(server, _request(9, ids), 9).groups] == ids


@pytest.mark.parametrize("limit", LIMITS)
def test_any_limit_gives_the_whole_answer(limit: int) -> None:
    """Of all topics; a limit counts partitions, and a group without any costs one."""
    server = grouped(WIDE, NOTED, SHARED, {"id": "secret"}, security=narrow(("GROUP", "secret"), ("TOPIC", "hidden")))
    broker = at(server, "wide")
    ids = ["secret", "nobody", "noted", *ids_of(server, broker), *ids_of(server, broker % 3 + 1)]
    whole = ask(server, _request(9, ids), 9, broker)
    found = pages(server, lambda: _request(11, ids), 11, limit, broker)
    reported: dict[str, list[Any]] = {}
    codes: dict[str, int] = {}
    for page in found:
        assert sum(max(1, sum(len(t.partitions) for t in g.topics)) for g in page.groups if not g.error_code) <= limit
        for one in page.groups:
            reported.setdefault(one.group_id, []).extend(_rows(server, one.topics, 11))
            codes[one.group_id] = one.error_code
    assert reported == {one.group_id: _rows(server, one.topics, 9) for one in whole.groups}
    assert codes == {one.group_id: one.error_code for one in whole.groups}
    assert list(reported) == sorted(reported)


@pytest.mark.parametrize("limit", LIMITS)
def test_named_partitions_page_too(limit: int) -> None:
    """Sorted, each once; ids that stand for nothing have a position each, so that a walk goes on."""
    server = grouped(WIDE, security=narrow(("TOPIC", "hidden")))
    ids = [(UUID(int=one << 64), [0, 0]) for one in (9, 8)]
    topics = [("open", [3, 1, 1, 50]), ("hidden", [0]), *ids, *_named(server, 10, "open")]
    found = pages(server, lambda: _request(11, ["wide"], topics), 11, limit, at(server, "wide"))
    rows = [row for page in found for one in page.groups for row in _rows(server, one.topics, 11)]
    assert len(rows) == 2 + 1 + 6
    assert [one[:2] for one in rows if one[0] == "open"] == [("open", index) for index in (0, 1, 2, 3, 50, 99)]


def test_cursors() -> None:
    """Inclusive; past what is gone; a negative partition is 42 for every group."""
    server = grouped(WIDE)
    broker = at(server, "wide")

    def first(cursor: tuple[str, str, int]) -> Any:
        page = one_page(server, _request(11, ["wide", "a"]), 11, 2, cursor, broker)
        return [row[:2] for one in page.groups for row in _rows(server, one.topics, 11)]

    assert first(("wide", "hidden", 1)) == [("hidden", 1), ("hidden", 2)]
    assert first(("wide", "hidden", 9)) == first(("wide", "more", 9)) == [("open", 0), ("open", 1)]
    assert first(("b", "z", 9)) == [("hidden", 0), ("hidden", 1)]
    assert first(("wide", "z", 0)) == []
    bad = one_page(server, _request(11, ["wide", "a"]), 11, 2, ("wide", "open", -1), broker)
    assert sorted((one.group_id, one.error_code, len(one.topics)) for one in bad.groups) == [
        ("a", 42, 0),
        ("wide", 42, 0),
    ]
    assert bad.next_cursor is None


def test_our_client_reads_the_same_by_cursor_and_by_window() -> None:
    """And one group per request, as before v8; groups that 2.8 has too."""
    found = []
    classic = [{**WIDE, "id": f"wide-{one}", "type": "classic"} for one in range(6)]
    ids = of_type(grouped(*classic), "classic")
    for as_version, kip_1062 in (("4.3", True), ("4.3", False), ("2.8", False)):
        server = grouped(*classic, as_version=as_version, kip_1062=kip_1062)
        rows = walked(server, "OffsetFetch", ids, "cursor" if kip_1062 else "window")
        found.append(sorted(map(str, rows)))
    assert found[0] == found[1] == found[2]
    assert len(found[0]) > 20
