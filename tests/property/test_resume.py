"""Walks of all 14 RPCs that another process goes on with: it has nothing but the cursor and the number of a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_census.paging.cursor import from_json, to_json
from property.staged import Staged
from property.walks import NAMED_REASSIGNMENTS, PAGED_WALKS, PagedWalk, linked, rows_of
from property.worlds import FEW, LIMITS, Moment, keys_of, moments

pytestmark = pytest.mark.timeout(120)


@FEW
@given(data=st.data(), moment=moments(), limit=LIMITS)
@pytest.mark.parametrize("walk", [*PAGED_WALKS, NAMED_REASSIGNMENTS], ids=str)
def test_a_walk_goes_on_from_any_landed_cursor(
    brokers: Staged, walk: PagedWalk, data: st.DataObject, moment: Moment, limit: int
) -> None:
    """With the same limit it brings the same pages; with another one the same items."""
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
