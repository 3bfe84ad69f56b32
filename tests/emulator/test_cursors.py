"""RPCs that page by cursor, walked by our own client: when it asks so, and what is empty, cut, refused or changed."""

from collections.abc import Iterator
from typing import Any

import pytest

from emulator.asking import ask, cluster
from kafka_census.kafka.paging.cursor import Cursor
from kafka_census.kafka.paging.rpc import Ask
from kafka_census.kafka.rpc import rpc as rpc_named
from kafka_emulator.handlers import HANDLERS
from property.staged import Staged, staged
from property.walks import PAGED_WALKS, PagedWalk, linked
from property.worlds import Moment

pytestmark = pytest.mark.timeout(60)

KIP_1062 = [walk for walk in PAGED_WALKS if walk.rpc != "DescribeTopicPartitions"]
CUT = {
    "OffsetFetch": ("a", "a", 1),
    "DescribeProducers": ("a", 0, 7),
    "DescribeGroups": ("a", "m"),
    "ConsumerGroupDescribe": ("a", "m"),
}
"""Those whose pages can end inside a group or a partition, and a cursor there."""

CUT_WALKS = [walk for walk in PAGED_WALKS if walk.rpc in CUT]
GROUPS = ("a", "b", "c", "d", "e")
KEYS = {
    None: (),
    "group": GROUPS,
    "transaction": GROUPS,
    "topic": ("a", "b"),
    "partition": tuple(f"a/{index}" for index in range(5)),
}
_KINDS = ("CLUSTER", "TOPIC", "GROUP")


def moment(walk: PagedWalk, *, partitions: int = 5, held: int = 3, denied: bool = False) -> Moment:
    """A topic a, and groups of the type that the RPC describes; the group a, and each partition, holds so much."""
    kind = "classic" if walk.rpc == "DescribeGroups" else "consumer"
    offsets = [{"topic": "a", "partition": index, "offset": 1} for index in range(held)]
    groups = [{"id": name, "type": kind, "offsets": []} for name in GROUPS]
    groups[0] |= {"members": held, "offsets": offsets}
    acls = [{"resource_type": kind, "resource_name": "*", "operation": "ALL"} for kind in _KINDS]
    acls += [{**one, "resource_name": "a", "permission": "DENY"} for one in acls if denied]
    topic = {"name": "a", "assignment": [[1]] * partitions, "producers": held}
    sections: dict[str, Any] = {
        "brokers": {"count": 2},
        "topics": {"partitions": 0, "declared": [topic, {"name": "b"}]},
        "groups": {"count": 0, "declared": groups},
        "transactions": {"count": 0},
        "security": {"super_users": [], "acls": acls},
    }
    return Moment(sections)


@pytest.fixture(scope="module")
def brokers() -> Iterator[Staged]:
    with staged() as server:
        yield server


def test_every_rpc_that_pages_is_walked() -> None:
    """Another one would need a walk of its own, here and in the laws of paging."""
    paging = {handler.name for handler in HANDLERS if handler.paged is not None}
    assert {walk.rpc for walk in KIP_1062} == paging


@pytest.mark.parametrize("walk", PAGED_WALKS, ids=str)
def test_an_empty_answer_is_one_empty_page_that_ends(brokers: Staged, walk: PagedWalk) -> None:
    """An empty page is not an absent page; a broker without replicas still has a log dir."""
    nothing = {"count": 0}
    brokers.stage(
        Moment({"brokers": {"count": 2}, "topics": {"partitions": 0}, "groups": nothing, "transactions": nothing})
    )
    (page,) = brokers.walk(walk, 100)
    assert (page.error_code, page.next_cursor, page.paging) == (0, None, "cursor")
    assert len(page.rows) == (walk.rpc == "DescribeLogDirs")


@pytest.mark.parametrize("walk", CUT_WALKS, ids=str)
def test_nothing_but_what_has_nothing_in_it_is_paged_too(brokers: Staged, walk: PagedWalk) -> None:
    """Groups without members or offsets and partitions without producers cost one each, and each has a row."""
    brokers.stage(moment(walk, held=0))
    pages = brokers.walk(walk, 2, KEYS[walk.keys])
    linked(pages)
    assert [len(page.rows) for page in pages] == [2, 2, 1]
    assert sorted(walk.codes(pages)) == sorted(KEYS[walk.keys])


@pytest.mark.parametrize("walk", CUT_WALKS, ids=str)
def test_a_group_of_which_nothing_is_left_has_no_row_that_says_it_is_empty(walk: PagedWalk) -> None:
    """Some brokers name the group of the cursor, although no member of it is left to tell of."""
    api, keys = walk.by_cursor, KEYS[walk.keys]
    server = cluster()
    server.world = moment(walk, held=0).world()
    from_the_start = Ask(keys, None, 100)
    response = ask(server, api.build(api.max_version, from_the_start), api.max_version)
    named = [walk.key(row) for row in api.rows(response, from_the_start)]
    assert named == list(keys)
    assert [walk.key(row) for row in api.rows(response, Ask(keys, CUT[walk.rpc], 100))] == named[1:]


@pytest.mark.parametrize("walk", CUT_WALKS, ids=str)
def test_what_fails_in_its_midst_is_reported_to_be_incomplete(brokers: Staged, walk: PagedWalk) -> None:
    """A group that has been cut and is refused by now has rows, and a row with the error."""
    # Page, its proof, page.
    brokers.stage(moment(walk), moment(walk, denied=True), api=walk.rpc, turns=[3])
    pages = brokers.walk(walk, 1, KEYS[walk.keys])
    linked(pages)
    denied = 29 if walk.keys == "partition" else 30
    assert walk.codes(pages)[KEYS[walk.keys][0]] == [0, 0, denied]


@pytest.mark.parametrize("turn", [1, 2, 3, 4])
def test_a_topic_that_is_made_anew_with_fewer_partitions_is_reported_once(brokers: Staged, turn: int) -> None:
    """Metadata: the cursor is a partition that the topic has not by now. Were the topic gone, all were well."""
    (walk,) = [one for one in PAGED_WALKS if one.rpc == "Metadata"]
    brokers.stage(moment(walk), moment(walk, partitions=1), api=walk.rpc, turns=[turn])
    pages = brokers.walk(walk, 1)
    linked(pages)
    reported = walk.names(pages)
    assert (brokers.begun, reported["a",], reported["b",], set(reported.values())) == (2, 1, 1, {1})


@pytest.mark.parametrize(
    ("rpc", "scope", "keys", "cursor"),
    [
        ("Metadata", "names", (), ("open", -1)),
        ("DescribeLogDirs", "log_dirs", (), ("open", -1, "")),
        ("ListPartitionReassignments", "cluster", ("open/0",), ("open", -1)),
        ("ListOffsets", "latest", ("open/0", "open/9"), ("open", -1)),
        ("DescribeProducers", "partitions", ("open/0", "missing/3"), ("open", -1, 7)),
        ("OffsetFetch", "groups", ("wide",), ("wide", "open", -1)),
        ("DescribeConfigs", "topics", ("open", "gone"), ("open", 3)),
        *(("DescribeAcls", "acls", (), ("foo", *bad)) for bad in ((99, 3), (0, 3), (1, 3), (2, 1), (2, 99))),
    ],
)
def test_a_cursor_that_names_no_position_is_refused(
    rpc: str, scope: str, keys: tuple[str, ...], cursor: Cursor
) -> None:
    """It is an invalid request (42): an empty page would look like the end."""
    topics = {"declared": [{"name": "open", "partitions": 4}]}
    server = cluster(topics=topics, groups={"declared": [{"id": "wide", "topics": ["open"]}]})
    declared, asked = rpc_named(rpc, scope), Ask(keys, cursor, 5)
    api, names = declared.apis[0], [field.name for field in declared.item]
    response = ask(server, api.build(api.max_version, asked), api.max_version, server.world.group_coordinator("wide"))
    refused = api.error(response)[0]
    codes = {row[names.index("error_code")] for row in api.rows(response, asked) if not refused}
    assert codes | {refused} - {0} == {42}
    assert api.next_cursor(response) is None
