"""Of all 14 RPCs: whatever a page may hold, a walk brings what one big page does, each item once and in order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_emulator.fault_actions import FaultSection
from kafka_emulator.faults import Faults
from property.staged import Staged
from property.walks import NAMED_REASSIGNMENTS, PAGED_WALKS, PagedWalk, in_order, linked, rows_of
from property.worlds import FEW, LIMITS, Moment, keys_of, moments

pytestmark = pytest.mark.timeout(120)


@FEW
@given(data=st.data(), moment=moments(), limit=LIMITS)
@pytest.mark.parametrize("walk", [*PAGED_WALKS, NAMED_REASSIGNMENTS], ids=str)
def test_any_limit_gives_the_items_of_one_big_page(
    brokers: Staged, walk: PagedWalk, data: st.DataObject, moment: Moment, limit: int
) -> None:
    """None is missing, none comes twice, the order is KIP-1062's, and a page is as large as the limit allows."""
    keys = data.draw(keys_of(walk))
    whole = brokers.whole(walk, moment, keys)
    brokers.stage(moment)
    pages = brokers.walk(walk, limit, keys)
    linked(pages)
    assert pages[0].request_cursor is None
    assert {(page.paging, page.api_version, page.page_limit) for page in pages} == {("cursor", walk.versions[1], limit)}
    assert rows_of(map(walk.without_drafts, pages)) == rows_of(map(walk.without_drafts, whole))
    assert set(walk.names(pages).values()) <= {1}
    assert in_order(walk, pages)
    assert walk.cost(pages[-1].rows) <= limit
    # Metadata tells a topic with its last partition, and a page may have none of these.
    assert walk.rpc == "Metadata" or {walk.cost(page.rows) for page in pages[:-1]} <= {limit}


@FEW
@given(data=st.data(), moment=moments(), limit=LIMITS, lower=LIMITS)
@pytest.mark.parametrize("walk", PAGED_WALKS, ids=str)
def test_a_broker_that_gives_less_than_was_asked_for_is_walked_to_the_end(
    brokers: Staged, walk: PagedWalk, data: st.DataObject, moment: Moment, limit: int, lower: int
) -> None:
    keys = data.draw(keys_of(walk))
    brokers.stage(moment)
    whole = brokers.walk(walk, 2000, keys)
    less = FaultSection.model_validate({"api": walk.rpc, "always": True, "do": {"limit": lower}})
    brokers.faults = Faults((less,))
    pages = brokers.walk(walk, limit, keys)
    brokers.faults = Faults()
    linked(pages)
    assert rows_of(pages) == rows_of(whole)
    assert max(walk.cost(page.rows) for page in pages) <= min(limit, lower)
    assert {page.page_limit for page in pages} == {limit}


@FEW
@given(data=st.data(), limit=LIMITS, own=LIMITS)
@pytest.mark.parametrize("walk", PAGED_WALKS, ids=str)
def test_a_broker_that_tells_its_limit_is_never_asked_for_more(
    brokers: Staged, walk: PagedWalk, data: st.DataObject, limit: int, own: int
) -> None:
    """It is asked for its config, once per walk; that of KIP-966 is another one."""
    moment, keys = data.draw(moments(own)), data.draw(keys_of(walk))
    own += walk.rpc == "DescribeTopicPartitions"
    brokers.stage(moment)
    pages = brokers.walk(walk, limit, keys)
    linked(pages)
    assert {page.page_limit for page in pages} == {min(limit, own)}
    requests = sum(page.attempts for page in pages)
    assert brokers.asked[1, "DescribeConfigs"] == 1 + requests * (walk.rpc == "DescribeConfigs")
