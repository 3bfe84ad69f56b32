"""The laws of the pager, of all 14 RPCs: whatever a page holds, wherever a walk goes on, each item comes, once."""

from collections.abc import Iterator
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_census.paging.cursor import from_json, to_json
from kafka_emulator.fault_actions import FaultSection
from kafka_emulator.faults import Faults
from property.staged import Staged, staged
from property.walks import NAMED_REASSIGNMENTS, PAGED_WALKS, PagedWalk, in_order, linked, rows_of
from property.worlds import FEW, LIMITS, Moment, keys_of, moments, runs

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
    brokers.faults = Faults((FaultSection.model_validate({"api": walk.rpc, "always": True, "do": {"limit": lower}}),))
    less = brokers.walk(walk, limit, keys)
    brokers.faults = Faults()
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
