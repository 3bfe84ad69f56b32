"""Walks of all 14 RPCs while the cluster changes: what was there throughout comes, and nothing comes twice."""

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_census.paging.page import Page
from property.staged import Staged
from property.walks import PAGED_WALKS, PagedWalk, linked
from property.worlds import FEW, LIMITS, Moment, keys_of, runs

pytestmark = pytest.mark.timeout(120)

TURNS = st.lists(st.integers(1, 10), min_size=2, max_size=2).map(sorted)
"""Before which requests the cluster changes, twice."""


@FEW
@given(data=st.data(), run=runs(3), turns=TURNS, limit=LIMITS)
@pytest.mark.parametrize("walk", PAGED_WALKS, ids=str)
def test_what_is_there_throughout_comes_exactly_once(
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
    if walk.keys:
        answered(walk, pages, keys)


def answered(walk: PagedWalk, pages: list[Page], keys: list[str]) -> None:
    """Each key has rows; for a key that fails midway, the error follows its rows, once."""
    codes = walk.codes(pages)
    assert sorted(codes) == sorted(keys)
    for some in codes.values():
        assert not any(some[:-1])
        # A page never ends inside a transactional id, which is either returned or refused.
        assert walk.rpc != "DescribeTransactions" or not some[-1] or len(some) == 1
