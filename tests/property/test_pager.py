"""The laws of the pager: whatever a page holds, wherever a walk goes on and its keys are, each item comes, once.

First of all 14 RPCs, at one broker; then of those whose keys are located, in clusters of which some brokers page and
some do not, as in a rolling upgrade.
"""

from collections.abc import Iterator
from functools import cache, reduce
from itertools import cycle, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.asking import faults
from kafka_census.kafka.paging.cursor import from_json, to_json
from kafka_census.kafka.paging.page import Page
from kafka_emulator.handlers import describe_transactions
from property.staged import Staged, staged
from property.walks import NAMED_REASSIGNMENTS, PAGED_WALKS, PagedWalk, in_order, linked, rows_of
from property.worlds import FEW, LIMITS, Moment, keys_of, moments, runs
from unit.scattered import LOCATED, scattered

pytestmark = pytest.mark.timeout(120)

each_walk = pytest.mark.parametrize("walk", [*PAGED_WALKS, NAMED_REASSIGNMENTS], ids=str)
TURNS = st.lists(st.integers(1, 10), min_size=2, max_size=2).map(sorted)
"""Before which requests the cluster changes, twice."""


@pytest.fixture(scope="module")
def brokers() -> Iterator[Staged]:
    """Two brokers that page: one long-lived server, whose cluster each example replaces."""
    with staged() as server:
        yield server


@FEW
@given(data=st.data(), own=LIMITS, limit=LIMITS, lower=LIMITS)
@each_walk
def test_any_limit_gives_the_items_of_one_big_page(
    brokers: Staged, walk: PagedWalk, data: st.DataObject, own: int, limit: int, lower: int
) -> None:
    """None is missing, none comes twice, the order is KIP-1062's, and a page is as large as both limits allow.

    A broker is asked for its own limit, once per walk; that of KIP-966 is another one. It may give less all the same:
    a page below the limit is not the end.
    """
    moment, keys = data.draw(moments(own)), data.draw(keys_of(walk))
    most = min(limit, own + (walk.rpc == "DescribeTopicPartitions"))
    whole = brokers.whole(walk, moment, keys)
    brokers.stage(moment)
    pages = brokers.walk(walk, limit, keys)
    requests = sum(page.attempts for page in pages)
    assert brokers.asked[1, "DescribeConfigs"] == 1 + requests * (walk.rpc == "DescribeConfigs")
    linked(pages)
    assert pages[0].request_cursor is None
    assert {(page.paging, page.api_version, page.page_limit) for page in pages} == {("cursor", walk.versions[1], most)}
    assert rows_of(map(walk.without_drafts, pages)) == rows_of(map(walk.without_drafts, whole))
    assert set(walk.names(pages).values()) <= {1}
    assert in_order(walk, pages)
    assert walk.cost(pages[-1].rows) <= most
    # Metadata tells a topic with its last partition, and a page may have none of these.
    assert walk.rpc == "Metadata" or {walk.cost(page.rows) for page in pages[:-1]} <= {most}
    brokers.faults = faults({"api": walk.rpc, "always": True, "do": {"limit": lower}})
    less = brokers.walk(walk, limit, keys)
    brokers.faults = faults()
    linked(less)
    assert rows_of(less) == rows_of(pages)
    assert max(walk.cost(page.rows) for page in less) <= min(most, lower)
    assert {page.page_limit for page in less} == {most}


@FEW
@given(data=st.data(), moment=moments(), limit=LIMITS)
@each_walk
def test_another_process_goes_on_from_any_landed_cursor(
    brokers: Staged, walk: PagedWalk, data: st.DataObject, moment: Moment, limit: int
) -> None:
    """With the same limit the walk brings the same pages; with another one the same items."""
    keys = data.draw(keys_of(walk))
    brokers.stage(moment)
    pages = brokers.walk(walk, limit, keys)
    at = data.draw(st.integers(0, len(pages) - 1))
    cursor = from_json(to_json(pages[at].request_cursor))
    rest = brokers.walk(walk, limit, keys, cursor=cursor, page_no=at, try_no=1)
    linked(rest)
    assert [(page.page_no, page.rows) for page in rest] == [(page.page_no, page.rows) for page in pages[at:]]
    others = brokers.walk(walk, data.draw(LIMITS), keys, cursor=cursor, page_no=at, try_no=1)
    linked(others)
    assert rows_of(others) == rows_of(pages[at:])


@FEW
@given(data=st.data(), run=runs(3), turns=TURNS, limit=LIMITS)
@pytest.mark.parametrize("walk", PAGED_WALKS, ids=str)
def test_what_is_there_throughout_comes_exactly_once_while_the_cluster_changes(
    brokers: Staged, walk: PagedWalk, data: st.DataObject, run: tuple[Moment, ...], turns: list[int], limit: int
) -> None:
    """And nothing that never was. A cursor whose item is gone is the position of the next one."""
    keys = data.draw(keys_of(walk))
    brokers.stage(*run, api=walk.rpc, turns=turns)
    pages = brokers.walk(walk, limit, keys)
    moments = [set(walk.names(brokers.whole(walk, moment, keys))) for moment in run[: brokers.begun]]
    linked(pages)
    reported = walk.names(pages)
    assert reduce(set.intersection, moments) <= set(reported) <= reduce(set.union, moments)
    assert set(reported.values()) <= {1}
    codes = walk.codes(pages) if walk.keys else {}
    assert sorted(codes) == sorted(keys)
    for some in codes.values():
        # For a key that fails midway, the error follows its rows, once.
        assert not any(some[:-1])
        # A page never ends inside a transactional id, which is either returned or refused.
        assert walk.rpc != "DescribeTransactions" or not some[-1] or len(some) == 1


NODES = (1, 2, 1, 3, 2)
"""Where keys are, by turns, so that the first ones that a broker comes to are elsewhere."""

THE_LAST = (2, 1, 1)
"""The same for the last ones."""

WALKS = [(walk, False) for walk in LOCATED] + [(walk, True) for walk in LOCATED if walk.rpc == "DescribeTransactions"]
"""Whether ids of other coordinators, which have no producer id, are on a broker's first page, not on its last."""


@pytest.fixture(params=WALKS, ids=lambda param: f"{param[0]}, stated first" if param[1] else str(param[0]))
def located(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> PagedWalk:
    walk, reported_first = request.param
    if reported_first:
        monkeypatch.setattr(describe_transactions, "NO_PRODUCER_ID", 2**62)
    assert isinstance(walk, PagedWalk)
    return walk


@cache
def everything(walk: PagedWalk) -> list[str]:
    with scattered(walk, 1) as cluster:
        return rows_of(cluster.walk(limit=100))


def since_it_began(pages: list[Page]) -> list[Page]:
    """What counts: the pages from the last one on that begins its chain."""
    begins = [number for number, page in enumerate(pages) if page.request_cursor is None]
    return pages[begins[-1] :] if begins else pages


@pytest.mark.parametrize("paging", [(1,), (2,), (1, 3), (2, 3)], ids=str)
@pytest.mark.parametrize(("nodes", "home"), [(NODES, 1), (THE_LAST, 1), ((1,), 3)], ids=str)
def test_keys_that_are_elsewhere_are_reported_once_whoever_pages(
    located: PagedWalk, nodes: tuple[int, ...], home: int, paging: tuple[int, ...]
) -> None:
    """Nothing is missing, nothing comes twice, and no walk begins again although brokers page in two ways."""
    with scattered(located, *nodes, paging=paging) as cluster:
        pages = cluster.walk(home, limit=1)
    linked(pages)
    assert rows_of(pages) == everything(located)
    assert set(located.names(pages).values()) == {1}
    assert {(page.chain.node_id in paging, page.paging) for page in pages} <= {(True, "cursor"), (False, "window")}
    assert {page.attempts for page in pages if page.paging == "window"} <= {1}
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
    located: PagedWalk, nodes: tuple[int, ...], begins_at: int, paging: tuple[int, ...], homes: tuple[int, ...]
) -> None:
    """At the same and other brokers by turns, with any limit; where brokers page in two ways it may begin again."""
    with scattered(located, *nodes, paging=paging) as cluster:
        pages = cluster.walk(begins_at, limit=1)
        assert len(pages) > 2
        for (page, following), home in zip(pairwise(pages), cycle(homes), strict=False):
            at = {"cursor": from_json(to_json(page.next_cursor)), "page_no": following.page_no}
            rest = cluster.walk(home, 1 + page.page_no // 2 % 3, **at)
            assert [one.error_code for one in rest] == [0] * len(rest)
            every = pages[: following.page_no] + rest
            if (paging, begins_at) != ((1, 3), 1) or home == begins_at:
                linked(rest)
            else:
                every = since_it_began(every)
            assert rows_of(every) == rows_of(pages)


def reported_once(walk: PagedWalk, paging: tuple[int, ...], pages: list[Page]) -> None:
    """All keys, with nothing else; where brokers page in two ways, since it began again."""
    assert [page.error_code for page in pages] == [0] * len(pages), pages[-1].error_message
    if paging != (1, 3):
        linked(pages)
    assert rows_of(since_it_began(pages)) == everything(walk)


@pytest.mark.parametrize("answers", [1, 2, 3])
@pytest.mark.parametrize("paging", [(1, 2, 3), (1, 3), (2,), ()], ids=str)
def test_keys_that_move_during_a_walk_are_reported_once(
    located: PagedWalk, paging: tuple[int, ...], answers: int
) -> None:
    """All of them, to one broker, after so many pages; only a key cut in its midst needs a broker that pages alike.

    Where nobody pages, they are elsewhere from the beginning, where their window is halved: what remains of it moves.
    """
    with scattered(located, 1, paging=paging, move_after=answers) as cluster:
        if not paging:
            cluster.brokers.faults = faults({"api": located.rpc, "broker": 1, "do": {"oversize": 2**30}})
        reported_once(located, paging, cluster.walk(1 if paging else 3, limit=1))


@pytest.mark.parametrize("looks", [1, 2, 3])
@pytest.mark.parametrize("paging", [(1, 2, 3), (1, 3), (2,), ()], ids=str)
def test_keys_that_move_as_they_are_looked_for_are_reported_once(
    located: PagedWalk, paging: tuple[int, ...], looks: int
) -> None:
    """Each is elsewhere from the beginning; what was found at a broker is not there when that is asked for it."""
    looked_by = "Metadata" if located.keys == "partition" else "FindCoordinator"
    with scattered(located, 1, 3, paging=paging, move_after=looks, asked_by=looked_by) as cluster:
        reported_once(located, paging, cluster.walk(2, limit=1))
