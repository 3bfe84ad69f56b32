"""Walks of KIP-1062's 13 RPCs while the broker's items change: what was there throughout comes, and once."""

from collections import Counter
from typing import Any

import pytest

from harness.paging_broker import Item, Pages, paging_broker
from harness.paging_groups import DESCRIBE_TRANSACTIONS
from harness.paging_rpcs import METADATA
from kafka_census.paging.page import Page
from unit.cursor_cases import CASES, Case, case_of, linked
from unit.cursor_changes import (
    Change,
    all_come,
    answered_once,
    from_the_cursor,
    half_goes,
    key_and_error,
    next_goes,
    rest_goes,
    told_goes,
    walk_while,
)

pytestmark = pytest.mark.timeout(30)

CUT = [case for case in CASES if case.paged.start]
"""Those whose pages can end inside a group or a partition."""


def named(case: Case, items: list[Item]) -> set[tuple[Any, ...]]:
    """What a broker without cursors would tell of."""
    with paging_broker(Pages({case.paged: items}), features={}) as broker:
        return set(case.names_of(case.walk(broker, limit=100)))


def holder_of_the_first(case: Case) -> tuple[Any, ...]:
    """The group or the partition with which a walk begins."""
    first = min(case.items, key=lambda item: case.paged.order(item.place)).place
    return first[: len(first) - len(case.paged.start)]


def _called(change: Change) -> str:
    return change.__name__


def told_once(case: Case, pages: list[Page], before: set[tuple[Any, ...]], after: set[tuple[Any, ...]]) -> None:
    """What is in both is told, nothing twice, and nothing that never was."""
    linked(pages)
    told: Counter[tuple[Any, ...]] = case.names_of(pages)
    assert before & after <= set(told)
    assert set(told) <= before | after
    assert set(told.values()) <= {1}


@pytest.mark.parametrize("page", [1, 2, 3])
@pytest.mark.parametrize("change", [next_goes, rest_goes, told_goes, half_goes], ids=_called)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_items_that_vanish_take_nothing_with_them(case: Case, change: Change, page: int) -> None:
    """A cursor whose item is gone is the place of the next one."""
    pages, state = walk_while(case, page, change)
    assert state.state[case.paged] != case.items
    told_once(case, pages, named(case, case.items), named(case, state.state[case.paged]))


@pytest.mark.parametrize("page", [1, 2, 3])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_items_that_appear_push_nothing_out(case: Case, page: int) -> None:
    """Those after the cursor come, those before it may not."""
    few = case.items[::2]
    pages, state = walk_while(case, page, all_come, few)
    assert state.state[case.paged] == case.items
    told_once(case, pages, named(case, few), named(case, case.items))


@pytest.mark.parametrize("change", [next_goes, rest_goes, told_goes, half_goes, all_come], ids=_called)
@pytest.mark.parametrize("case", [case for case in CASES if case.keys], ids=str)
def test_what_is_asked_for_by_name_has_one_answer_whatever_becomes_of_it(case: Case, change: Change) -> None:
    """Either what there is of it, or that there is nothing, or an error."""
    pages, _ = walk_while(case, 3, change, case.items[::2] if change is all_come else None)
    answered_once(case, pages)


@pytest.mark.parametrize("case", CUT, ids=str)
def test_a_group_of_which_nothing_is_left_has_no_row_that_says_it_is_empty(case: Case) -> None:
    """Some brokers name the group of the cursor, although no member of it is left to tell of."""
    holder = holder_of_the_first(case)

    def named_only(_case: Case, items: list[Item], request: Any) -> list[Item]:
        left = from_the_cursor(case.paged, items, request)
        gone = [item for item in left if item.place[: len(holder)] == holder]
        return [*(item for item in items if item not in gone), Item(tuple(request.cursor), bare=True)]

    pages, _ = walk_while(case, 1, named_only)
    linked(pages)
    assert [row for page in pages for row in page.rows if row[: len(holder)] == holder] == list(pages[0].rows)


@pytest.mark.parametrize("case", CUT, ids=str)
def test_what_fails_in_its_midst_is_told_to_be_incomplete(case: Case) -> None:
    """A group that has been cut and is refused by now has rows, and a row with the error."""
    holder = holder_of_the_first(case)

    def refuse(_case: Case, items: list[Item], _request: Any) -> list[Item]:
        kept = [item for item in items if item.place[: len(holder)] != holder]
        return [*kept, Item(holder + case.paged.start, code=30)]

    pages, _ = walk_while(case, 2, refuse)
    linked(pages)
    _, column = key_and_error(case)
    assert [row[column] for page in pages for row in page.rows if row[: len(holder)] == holder] == [0, 0, 30]


@pytest.mark.parametrize(("change", "begin"), [(told_goes, 1), (all_come, 2)], ids=["vanishes", "appears"])
def test_a_transactional_id_that_vanishes_or_appears_during_the_walk_has_one_answer(change: Change, begin: int) -> None:
    """At the end of the order, one that was told of comes again with 105; one that moves up from there never comes."""
    case = case_of(DESCRIBE_TRANSACTIONS)
    pages, _ = walk_while(case, 3, change, case.items[::begin])
    answered_once(case, pages)


def test_a_topic_that_is_made_anew_with_fewer_partitions_is_told_once() -> None:
    """Metadata: the cursor is partition 3 of c, which has one partition by now. Were c gone, all were well."""
    case = case_of(METADATA)
    pages = case.pages

    def made_anew(_number: int, request: Any, answer: Any) -> Any:
        if request.cursor and tuple(request.cursor) == ("c", 3):
            pages.state[METADATA] = [item for item in case.items if item.place[0] != "c" or item.place[1] == 0]
        return answer()

    pages.on_page = made_anew
    with paging_broker(pages) as broker:
        walked = case.walk(broker, limit=1)
    assert len(pages.state[METADATA]) < len(case.items)
    linked(walked)
    assert case.names_of(walked)["c",] == 1
