"""The page chain finds every kind of gap in a census, and none in a whole census."""

from typing import Any

import pytest

from harness.few_tables import FEW_TABLES
from kafka_census.pages.missing_read import MissingRead
from kafka_census.pages.page_chain import NOT_ASKED, Keys, missing_reads
from kafka_census.tables.levels import walks_for
from kafka_census.tables.walk import Walk
from spark.fake_lake import Page, Pages, headers, healthy, page, refusal, routes

LOG_DIRS, PARTITIONS = ("DescribeLogDirs", "log_dirs"), ("DescribeTopicPartitions", "topics")
FEW_WALKS = walks_for(FEW_TABLES)
COORDINATORS, GROUPS = ("FindCoordinator", "groups"), ("ListGroups", "groups")


def counted(**lost: tuple[str, ...]) -> dict[tuple[str, str], Keys]:
    """Three keys per keyed walk (none for keys that a listing lacks); `lost` are keys without an answer, by RPC."""
    return {
        (walk.rpc, walk.scope): Keys(3, len(lost.get(walk.rpc, ())), lost.get(walk.rpc, ()))
        for walk in FEW_WALKS
        if walk.keys and not walk.keys.unless
    }


def find(
    pages: Pages,
    *,
    routed: list[tuple[Any, ...]] | None = None,
    keys: dict[tuple[str, str], Keys] | None = None,
    walks: tuple[Walk, ...] = FEW_WALKS,
) -> list[MissingRead]:
    owing = [row[:3] for row in (routes() if routed is None else routed)]
    return missing_reads(headers(pages), owing, counted() if keys is None else keys, walks)


def one(found: list[MissingRead]) -> MissingRead:
    assert len(found) == 1, found
    return found[0]


def test_whole_census_has_no_defect() -> None:
    assert find(healthy()) == []


def test_refusal_is_an_error_page() -> None:
    pages = healthy()
    pages[LOG_DIRS][2] = refusal(3, -100, "BROKER_NOT_ALIVE", "broker 3 is not alive")
    found = one(find(pages))
    words = "broker 3 is not alive"
    assert found == MissingRead(
        "DescribeLogDirs", 3, "BROKER_NOT_ALIVE", words, "log_dirs", "error_page", -100, "node-3"
    )


def test_what_no_error_explains_has_its_kind_for_an_error() -> None:
    silent = healthy()
    del silent[LOG_DIRS][2]
    assert one(find(silent)).line == "DescribeLogDirs was not read from broker 3 (MISSING_CHAIN)"


BUSY = refusal(1, 14, "COORDINATOR_LOAD_IN_PROGRESS", "first")
FIRST, SECOND = page(1, next_cursor="1"), page(1, page_no=1, request_cursor="1")
LATE = refusal(1, 15, "COORDINATOR_NOT_AVAILABLE", "wait", page_no=1, request_cursor="1")
# A page without a request cursor begins again: its node pages in another way than the earlier pages show.
OVER, THIRD = page(1, page_no=1), page(1, page_no=2, request_cursor="1")


@pytest.mark.parametrize(
    "chain",
    [
        pytest.param(
            [
                FIRST,
                LATE,
                page(2, page_no=1, request_cursor="1", try_no=1, next_cursor="2", chain_id="node-1"),
                page(2, page_no=2, request_cursor="2", try_no=1, chain_id="node-1"),
            ],
            id="a higher try heals, and good earlier pages stay",
        ),
        pytest.param([page(1, parts=3, part_no=part) for part in (0, 1, 2)], id="parts of one page"),
        pytest.param([FIRST, OVER], id="started over"),
        pytest.param([FIRST, page(1, page_no=1, next_cursor="1"), THIRD], id="started over with cursors"),
    ],
)
def test_a_whole_chain_has_no_defect(chain: list[Page]) -> None:
    assert find(healthy() | {COORDINATORS: chain}) == []


def test_broker_of_the_route_without_a_page_is_missing() -> None:
    pages = healthy()
    del pages[LOG_DIRS][1]
    found = one(find(pages))
    assert (found.kind, found.broker_id, found.rpc) == ("missing_chain", 2, "DescribeLogDirs")
    assert "broker 2" in found.reason


def test_walk_without_any_page_is_missing() -> None:
    found = find(healthy() | {("Metadata", "names"): [], PARTITIONS: []})
    assert {(row.rpc, row.broker_id, row.kind) for row in found} == {
        ("Metadata", None, "missing_chain"),
        ("DescribeTopicPartitions", None, "missing_chain"),
    }


def test_walk_of_every_broker_without_a_route_is_missing() -> None:
    found = one(find(healthy() | {LOG_DIRS: []}, routed=[row for row in routes() if row[0] != "DescribeLogDirs"]))
    assert (found.rpc, found.broker_id, found.kind) == ("DescribeLogDirs", None, "missing_chain")


def test_keyed_walk_of_nothing_owes_nothing() -> None:
    nothing = counted() | {COORDINATORS: Keys(0, 0, ())}
    no_page = healthy() | {COORDINATORS: [], GROUPS: [page(node) for node in (1, 2, 3)]}
    assert find(no_page, keys=nothing) == []
    said = no_page | {COORDINATORS: [refusal(1, NOT_ASKED, "NOT_ASKED", "no __consumer_offsets")]}
    assert find(said, keys=nothing) == []


def test_not_asked_although_groups_were_listed_is_an_error() -> None:
    """Groups without a visible __consumer_offsets: the page is a defect, and its keys are not reported again."""
    pages = healthy() | {COORDINATORS: [refusal(1, NOT_ASKED, "NOT_ASKED", "not seen")]}
    assert one(find(pages, keys=counted(FindCoordinator=("g-1", "g-2", "g-3")))).error == "NOT_ASKED"


@pytest.mark.parametrize(
    ("chain", "defect", "words"),
    [
        ([FIRST, THIRD], "broken_chain", "page 2 follows page 0"),
        ([SECOND], "broken_chain", "does not start the walk"),
        ([page(1, request_cursor="1")], "broken_chain", "does not start the walk"),
        ([FIRST, page(1, page_no=1, request_cursor="2")], "broken_chain", "another cursor"),
        ([FIRST], "not_ended", "page 0, names a next one"),
        ([page(1), page(1, page_no=1)], "duplicate_end", "page 1 follows the page that ended"),
        ([FIRST, OVER, THIRD], "duplicate_end", "page 2 follows the page that ended"),
        ([page(1, parts=2)], "missing_part", "page 0 has 1 rows for 2 parts"),
        ([page(1, parts=2, part_no=1), page(1, parts=2, part_no=1)], "missing_part", "page 0 has 2 rows"),
        ([page(1, parts=2, part_no=1), page(1, parts=2, part_no=2)], "missing_part", "page 0 has 2 rows"),
        ([page(1), page(1)], "missing_part", "page 0 has 2 rows for 1 parts"),
        ([BUSY, refusal(1, -101, "CONNECTION_FAILED", "second", try_no=1)], "error_page", "second"),
    ],
)
def test_planted_defect_is_found(chain: list[Page], defect: str, words: str) -> None:
    found = one(find(healthy() | {PARTITIONS: chain}))
    code = -101 if defect == "error_page" else None
    assert (found.rpc, found.broker_id, found.kind, found.error_code) == ("DescribeTopicPartitions", 1, defect, code)
    assert words in found.reason


def test_repeated_cursor_is_found() -> None:
    looped = [FIRST, SECOND | {"next_cursor": "1"}, THIRD]
    assert {row.kind for row in find(healthy() | {PARTITIONS: looped})} == {"cursor_repeated"}


def test_keys_without_an_answer_are_reported() -> None:
    found = one(find(healthy(), keys=counted(FindCoordinator=("g-1", "g-3"))))
    assert (found.rpc, found.kind, found.broker_id) == ("FindCoordinator", "unanswered_keys", None)
    assert found.reason == "2 listed keys were not answered, such as g-1, g-3"


def test_keys_of_a_walk_that_is_missing_are_not_reported_again() -> None:
    found = one(find(healthy() | {COORDINATORS: []}, keys=counted(FindCoordinator=("g-1", "g-2", "g-3"))))
    assert found.kind == "missing_chain"


def test_only_the_walks_of_the_census_are_judged() -> None:
    walks = tuple(walk for walk in FEW_WALKS if walk.rpc != "DescribeLogDirs")
    pages = {walk: some for walk, some in healthy().items() if walk != LOG_DIRS}
    assert find(pages, walks=walks) == []
