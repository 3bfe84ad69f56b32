"""What the pages of a disturbed walk say: attempts, limits, where it stopped and how it goes on from there."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from emulator.asking import QUICK, cluster, faults, serving, walk
from emulator.census import Census, census, items, texts
from emulator.fault_matrix import (
    COLLECT,
    FAULTS,
    LATER_PAGE,
    OF_EACH_KIND,
    Cell,
    Fault,
    calm,
    disturbed,
    judged,
    keys,
    paged_cells,
    undisturbed,
)
from kafka_census.declarations.walks import WALKS, walk_named
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_emulator.server import Server

PROVEN = {"ConsumerGroupDescribe", "DescribeAcls", "DescribeProducers", "ListGroups", "Metadata"}
"""RPCs whose first page has a proof: a smaller one must begin alike."""

SEVERAL = PROVEN | {"DescribeTopicPartitions", "DescribeTransactions", "ListOffsets"}
FIRST = [Cell(walk) for walk in WALKS if walk.name in OF_EACH_KIND and walk.rpc in SEVERAL]
LATER = [replace(cell, page=LATER_PAGE) for cell in FIRST]
"""The first and a later page of a walk of each kind that has several pages; named, since to find out takes seconds."""

each_page = pytest.mark.parametrize("cell", [*FIRST, *LATER], ids=str)
each_proof = pytest.mark.parametrize("cell", [cell for cell in FIRST if cell.walk.rpc in PROVEN], ids=str)
each_walk = pytest.mark.parametrize("cell", LATER, ids=str)
pytestmark = pytest.mark.timeout(60)


def named(name: str) -> Fault:
    (fault,) = [fault for fault in FAULTS if str(fault) == name]
    return fault


def test_each_kind_that_has_several_pages_is_here() -> None:
    assert {cell for cell in paged_cells() if cell.walk.name in OF_EACH_KIND} == {*FIRST, *LATER}
    assert {cell.walk.rpc for cell in FIRST if calm(cell)[0].attempts > 1} == PROVEN


@each_page
@pytest.mark.parametrize("name", ["drop", "truncate", "no last byte", "no body"])
def test_what_passes_costs_one_more_attempt(cell: Cell, name: str) -> None:
    pages = disturbed(cell, named(name))
    assert [page.rows for page in pages] == [page.rows for page in calm(cell)]
    more = [page.attempts - one.attempts for page, one in zip(pages, calm(cell), strict=True)]
    assert more == [int(page.page_no == cell.page) for page in pages]


@each_proof
@pytest.mark.parametrize("name", ["drop", "no body", "lose_page", "oversize", "throttle"])
def test_a_proof_that_meets_a_fault_is_healed(cell: Cell, name: str) -> None:
    """The page that it is to prove is asked for again where the two disagree."""
    assert calm(cell)[0].attempts == 2
    pages = disturbed(cell, named(name), later=1)
    assert judged(cell, pages, calm(cell), calm(cell)) == "healed"


@each_page
@pytest.mark.parametrize("name", ["drop *", "no body *", "oversize *"])
def test_a_walk_goes_on_from_its_error_page(cell: Cell, name: str) -> None:
    """What came before is whole and need not be asked again; the error page says where and what to ask."""
    pages = disturbed(cell, named(name))
    assert [page.rows for page in pages[:-1]] == [page.rows for page in calm(cell)[: cell.page]]
    last = pages[-1]
    assert (last.page_no, last.rows, last.next_cursor) == (cell.page, (), None)
    assert last.error_code in (ErrorCode.CONNECTION_FAILED, ErrorCode.MALFORMED_RESPONSE, ErrorCode.FRAME_TOO_LARGE)
    assert name != "drop *" or last.attempts == named(name).collect.max_attempts
    assert "broker 1 at 127.0.0.1" in str(last.error_message)
    assert (last.request_cursor, last.open_keys) == (calm(cell)[cell.page].request_cursor, keys(cell))
    rest = undisturbed(cell, cursor=last.request_cursor, page_no=last.page_no, try_no=1)
    assert judged(cell, [*pages, *rest], calm(cell), calm(cell)) == "healed"


@pytest.mark.parametrize("name", ["too late", "oversize"])
def test_a_page_that_was_too_much_is_asked_for_with_a_smaller_limit(name: str) -> None:
    """Which grows back; an answer that comes too late is not taken for that to what is asked then."""
    # Patient enough for a busy machine, where any answer may take some hundred milliseconds.
    collect = replace(named(name).collect, page_limit=4, page_limits={}, request_timeout_ms=1_500)
    with ThreadPoolExecutor(len(LATER)) as waiting:
        found = waiting.map(lambda cell: disturbed(cell, named(name), collect), LATER)
    for cell, pages in zip(LATER, found, strict=True):
        assert judged(cell, pages, calm(cell), calm(cell)) == "healed"
        assert [page.page_limit for page in pages[:3]] == [4, 2, 4][: len(pages)]
        undisturbed_pages = undisturbed(cell, collect=replace(COLLECT, page_limit=4, page_limits={}))
        proofs = {page.request_cursor: page.attempts - 1 for page in undisturbed_pages}
        more = [page.attempts - 1 - proofs.get(page.request_cursor, 0) for page in pages]
        assert more[:3] == [0, 1, 0][: len(pages)]


@each_walk
def test_a_page_tells_of_the_throttle_and_a_refusal_is_asked_once(cell: Cell) -> None:
    assert [page.throttle_time_ms for page in disturbed(cell, named("throttle"))[:3]] == [0, 3, 0]
    assert disturbed(cell, named("error 31 *"))[-1].attempts == 1


@each_walk
def test_the_cursor_that_a_walk_goes_on_from_does_not_come_again(cell: Cell) -> None:
    """It is known, although another process has landed the page that brought it."""
    second = calm(cell)[LATER_PAGE]
    begins = replace(cell, page=0)
    pages = disturbed(begins, named("repeat_cursor *"), cursor=second.request_cursor, page_no=LATER_PAGE, try_no=1)
    assert [(page.page_no, page.error_code) for page in pages] == [(LATER_PAGE, ErrorCode.CURSOR_REPEATED)]


def test_frames_larger_than_we_accept_are_asked_for_with_a_smaller_limit() -> None:
    """Until they fit: `receive_message_max_bytes` is a bound of ours, so that the broker does not know it."""
    sections: dict[str, Any] = {
        "brokers": {"count": 2},
        "groups": {"count": 30, "prefix": "g" * 200},
        "topics": {"partitions": 30, "partitions_per_topic": 1, "prefix": "t" * 200, "reassigning": 20},
        "transactions": {"count": 30, "prefix": "x" * 200},
        "security": {"generated_acls": 100},
    }

    def taken(bound: int) -> Census:
        with serving(cluster(**sections)) as server:
            return census(server, CollectSettings(receive_message_max_bytes=bound))

    some, everything = taken(3_000), taken(100_000_000)
    assert everything.missing_reads() == []
    # The large answers that can only be had as a whole: a list, and all keys of a broker.
    uncut = {("ListConfigResources", "config_resources"), ("DescribeConfigs", "brokers")}
    assert {defect.walk for defect in some.missing_reads()} == uncut
    for one in WALKS:
        assert one.name in uncut or texts(some.items(*one.name)) == texts(everything.items(*one.name))
    paged = [page for pages in some.pages.values() for page in pages if page.paging == "cursor"]
    assert max(page.response_bytes for page in paged if page.attempts == 1) <= 3_000
    shorter = {one.rpc for one in WALKS if len(some.pages[one.name]) > len(everything.pages[one.name])}
    assert {cell.walk.rpc for cell in paged_cells()} <= shorter


def test_a_topology_for_which_there_is_no_room_is_left_out() -> None:
    """Of the group whose answer is too large with it, and where a plugin takes too long; members are told."""
    topics = [f"topic-{number}" for number in range(100)]
    groups = [
        {"id": name, "type": "streams", "members": 1, "topics": read, "topology": "AVAILABLE"}
        for name, read in (("a", topics[:1]), ("large", topics), ("z", topics[:2]))
    ]
    declared = [{"name": name, "partitions": 1} for name in topics]
    sections = {"brokers": {"count": 1}, "topics": {"declared": declared}, "groups": {"count": 0, "declared": groups}}

    def told(server: Server, **limits: int) -> dict[str, tuple[Any, ...]]:
        pages = walk(
            server, "StreamsGroupDescribe", "groups", keys=("a", "large", "z"), collect=replace(QUICK, **limits)
        )
        return {
            one["group_id"]: (one["topology_status"], one["described_subtopologies"], len(one["active_tasks"]))
            for one in items(walk_named("StreamsGroupDescribe", "groups"), pages)
        }

    with serving(cluster(**sections)) as server:
        large = told(server, receive_message_max_bytes=8_000)
        server.faults = faults({"api": "StreamsGroupDescribe", "do": {"delay_ms": 900}})
        without = told(server, request_timeout_ms=500)
    assert large == {"a": ("AVAILABLE", 1, 1), "large": ("NOT_REQUESTED", None, 100), "z": ("AVAILABLE", 2, 2)}
    assert set(without.values()) == {("NOT_REQUESTED", None, parts) for parts in (1, 2, 100)}
