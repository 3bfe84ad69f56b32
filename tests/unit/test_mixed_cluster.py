"""Rolling upgrades: brokers that page and brokers that do not, in one cluster; every key is returned once."""

from functools import cache
from itertools import pairwise

import pytest

from kafka_census.paging.cursor import from_json, to_json
from kafka_census.paging.page import Page
from kafka_emulator.fault_actions import FaultAction, FaultSection
from kafka_emulator.faults import Faults
from kafka_emulator.handlers import describe_transactions
from property.walks import PagedWalk, linked, rows_of
from unit.scattered import LOCATED, scattered

NODES = (1, 2, 1, 3, 2)
"""Where keys are, by turns, so that the first ones that a broker comes to are elsewhere."""

THE_LAST = (2, 1, 1)
"""The same for the last ones."""

WALKS = [(walk, False) for walk in LOCATED] + [(walk, True) for walk in LOCATED if walk.rpc == "DescribeTransactions"]
"""Whether ids of other coordinators, which have no producer id, are on a broker's first page, not on its last."""

OVERSIZE = FaultAction.model_validate({"oversize": 2**30})

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(params=WALKS, ids=lambda param: f"{param[0]}, stated first" if param[1] else str(param[0]))
def walk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> PagedWalk:
    walk, reported_first = request.param
    if reported_first:
        monkeypatch.setattr(describe_transactions, "NO_PRODUCER_ID", 2**62)
    assert isinstance(walk, PagedWalk)
    return walk


@cache
def everything(walk: PagedWalk) -> list[str]:
    """All rows, from one broker that has all keys and does not page."""
    with scattered(walk, 1) as cluster:
        return rows_of(cluster.walk(limit=100))


def since_it_began(pages: list[Page]) -> list[Page]:
    """What counts: the pages from the last one on that begins its chain."""
    begins = [number for number, page in enumerate(pages) if page.request_cursor is None]
    return pages[begins[-1] :] if begins else pages


@pytest.mark.parametrize("limit", [1, 2])
@pytest.mark.parametrize("paging", [(1,), (2,), (1, 3), (2, 3)], ids=str)
@pytest.mark.parametrize(("nodes", "home"), [(NODES, 1), (THE_LAST, 1), ((1,), 3)], ids=str)
def test_keys_that_are_elsewhere_are_reported_once_whoever_pages(
    walk: PagedWalk, nodes: tuple[int, ...], home: int, paging: tuple[int, ...], limit: int
) -> None:
    """Nothing is missing, nothing comes twice, and no walk begins again although brokers page in two ways."""
    with scattered(walk, *nodes, paging=paging) as cluster:
        pages = cluster.walk(home, limit)
    linked(pages)
    assert rows_of(pages) == everything(walk)
    assert set(walk.names(pages).values()) == {1}
    assert {(page.chain.node_id in paging, page.paging) for page in pages} <= {(True, "cursor"), (False, "window")}
    assert {page.chain.node_id for page in pages} == {home, *nodes}


@pytest.mark.parametrize(
    ("nodes", "begins_at", "paging", "homes"),
    [
        (NODES, 1, (1, 2, 3), (1, 2, 3)),
        (NODES, 1, (1, 3), (1, 2, 3)),
        (NODES, 1, (2,), (1, 3)),
        ((1,), 3, (1, 3), (3,)),
    ],
    ids=str,
)
def test_any_landed_cursor_gives_the_rest(
    walk: PagedWalk, nodes: tuple[int, ...], begins_at: int, paging: tuple[int, ...], homes: tuple[int, ...]
) -> None:
    """At the same or another broker, with any limit; only where brokers page in two ways may it begin again."""
    with scattered(walk, *nodes, paging=paging) as cluster:
        pages = cluster.walk(begins_at, limit=1)
        assert len(pages) > 2
        for page, following in pairwise(pages):
            for home in homes:
                at = {"cursor": from_json(to_json(page.next_cursor)), "page_no": following.page_no}
                rest = cluster.walk(home, 1 + page.page_no % 3, **at)
                assert [one.error_code for one in rest] == [0] * len(rest)
                every = pages[: following.page_no] + rest
                if (paging, begins_at) != ((1, 3), 1) or home == begins_at:
                    linked(rest)
                else:
                    every = since_it_began(every)
                assert rows_of(every) == rows_of(pages)


@pytest.mark.parametrize("answers", [1, 2, 3])
@pytest.mark.parametrize("paging", [(1, 2, 3), (1, 3), (2,), ()], ids=str)
def test_keys_that_move_during_a_walk_are_reported_once(walk: PagedWalk, paging: tuple[int, ...], answers: int) -> None:
    """All of them, to one broker, after so many pages; only a key cut in its midst needs a broker that pages alike.

    Where nobody pages, they are elsewhere from the beginning, where their window is halved: what remains of it moves.
    """
    with scattered(walk, 1, paging=paging, move_after=answers) as cluster:
        cluster.brokers.faults = Faults(() if paging else (FaultSection(api=walk.rpc, broker=1, do=OVERSIZE),))
        pages = cluster.walk(1 if paging else 3, limit=1)
    assert [page.error_code for page in pages] == [0] * len(pages), pages[-1].error_message
    if paging != (1, 3):
        linked(pages)
    assert rows_of(since_it_began(pages)) == everything(walk)
