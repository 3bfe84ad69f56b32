"""The page chain finds every kind of gap in a census, and none in a whole census.

That no chain passes that lost, doubled or swapped a page is a law (tests/property/test_page_chain.py); here are the
words, and what other walks and keys have to do with it.
"""

from typing import Any

import pytest

from harness.few_tables import FEW_TABLES
from kafka_census.declarations.levels import walks_for
from kafka_census.declarations.walk import Walk
from kafka_census.pages.missing_read import MissingRead
from kafka_census.pages.page_chain import NOT_ASKED, Keys, missing_reads
from spark.fake_lake import Page, Pages, headers, healthy, page, refusal, routes

NAMES, PARTITIONS = ("Metadata", "names"), ("DescribeTopicPartitions", "topics")
LOG_DIRS, GROUPS = ("DescribeLogDirs", "log_dirs"), ("ListGroups", "groups")
COORDINATORS = ("FindCoordinator", "groups")
FEW_WALKS = walks_for(FEW_TABLES)


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
    """What a census lacks that has these pages instead of the healthy ones."""
    owing = [row[:3] for row in (routes() if routed is None else routed)]
    return missing_reads(headers(healthy() | pages), owing, counted() if keys is None else keys, walks)


def one(found: list[MissingRead]) -> MissingRead:
    assert len(found) == 1, found
    return found[0]


BUSY = refusal(1, 14, "COORDINATOR_LOAD_IN_PROGRESS", "first")
FIRST, SECOND = page(1, next_cursor="1"), page(1, page_no=1, request_cursor="1")
LATE = refusal(1, 15, "COORDINATOR_NOT_AVAILABLE", "wait", page_no=1, request_cursor="1")
HEALED = SECOND | {"try_no": 1, "next_cursor": "2", "node_id": 2}
THIRD = page(1, page_no=2, request_cursor="1")
NO_KEYS = counted() | {COORDINATORS: Keys(0, 0, ())}
NO_GROUPS = {GROUPS: [page(node) for node in (1, 2, 3)]}


@pytest.mark.parametrize(
    ("pages", "more"),
    [
        ({}, {}),
        ({COORDINATORS: [FIRST, LATE, HEALED, page(1, page_no=2, request_cursor="2", try_no=1)]}, {}),
        ({COORDINATORS: [], **NO_GROUPS}, {"keys": NO_KEYS}),
        ({COORDINATORS: [refusal(1, NOT_ASKED, "NOT_ASKED", "no __consumer_offsets")], **NO_GROUPS}, {"keys": NO_KEYS}),
        ({LOG_DIRS: []}, {"walks": tuple(walk for walk in FEW_WALKS if walk.name != LOG_DIRS)}),
    ],
    ids=[
        "healthy", "a higher try heals, and good earlier pages stay", "no keys, no page", "no keys, not asked",
        "only walks of the census count",
    ],
)  # fmt: skip
def test_a_whole_census_has_no_defect(pages: Pages, more: dict[str, Any]) -> None:
    assert find(pages, **more) == []


@pytest.mark.parametrize(
    ("chain", "defect", "words"),
    [
        ([FIRST, THIRD], "broken_chain", "page 2 follows page 0"),
        ([SECOND], "broken_chain", "does not start the walk"),
        ([page(1, request_cursor="1")], "broken_chain", "does not start the walk"),
        ([FIRST, page(1, page_no=1, request_cursor="2")], "broken_chain", "another cursor"),
        ([FIRST], "not_ended", "page 0, names a next one"),
        ([page(1), page(1, page_no=1)], "duplicate_end", "page 1 follows the page that ended"),
        ([page(1, parts=2)], "missing_part", "page 0 has 1 rows for 2 parts"),
        ([page(1, parts=2, part_no=1), page(1, parts=2, part_no=1)], "missing_part", "page 0 has 2 rows"),
        ([BUSY, refusal(1, -101, "CONNECTION_FAILED", "second", try_no=1)], "error_page", "second"),
        ([FIRST, SECOND | {"next_cursor": "1"}, THIRD], "cursor_repeated", "gives a cursor that was given before"),
    ],
)
def test_planted_defect_is_found(chain: list[Page], defect: str, words: str) -> None:
    found = find({PARTITIONS: chain})
    code = -101 if defect == "error_page" else None
    said = {(one.rpc, one.broker_id, one.kind, one.error_code) for one in found}
    assert said == {("DescribeTopicPartitions", 1, defect, code)}
    assert [one.reason for one in found if words not in one.reason] == []
    assert len(found) == (2 if defect == "cursor_repeated" else 1)


def test_a_walk_without_the_page_of_a_broker_or_any_page_is_missing() -> None:
    found = one(find({LOG_DIRS: healthy()[LOG_DIRS][:2]}))
    assert (found.kind, found.line) == (
        "missing_chain", "DescribeLogDirs was not read from broker 3 (MISSING_CHAIN)",
    )  # fmt: skip
    assert "broker 3" in found.reason
    without_routes = [row for row in routes() if row[0] != "DescribeLogDirs"]
    found = find({NAMES: [], PARTITIONS: [], LOG_DIRS: []}, routed=without_routes)
    assert {(each.rpc, each.broker_id, each.kind) for each in found} == {
        (rpc, None, "missing_chain") for rpc, _ in (NAMES, PARTITIONS, LOG_DIRS)
    }


@pytest.mark.parametrize(
    ("pages", "kind", "error", "reason"),
    [
        (healthy()[COORDINATORS], "unanswered_keys", None, "3 listed keys were not answered, such as g-1, g-2, g-3"),
        ([], "missing_chain", None, None),
        # Groups without a visible __consumer_offsets.
        ([refusal(1, NOT_ASKED, "NOT_ASKED", "not seen")], "error_page", "NOT_ASKED", None),
    ],
)
def test_keys_without_an_answer_are_reported_once(
    pages: list[Page], kind: str, error: str | None, reason: str | None
) -> None:
    """Not again where their walk is missing, or was not asked."""
    found = one(find({COORDINATORS: pages}, keys=counted(FindCoordinator=("g-1", "g-2", "g-3"))))
    assert (found.rpc, found.broker_id, found.kind) == ("FindCoordinator", 1 if error else None, kind)
    assert (error or found.error, reason or found.reason) == (found.error, found.reason)
