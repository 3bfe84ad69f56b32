"""Walks of KIP-1062's 13 RPCs on a broker's worst days: each is healed, or ends in an error page that says why."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from harness.paging_broker import Item, OnPage, Pages, paging_broker
from harness.paging_groups import LIST_GROUPS
from harness.paging_rpcs import DESCRIBE_CONFIGS
from harness.standin import Act
from kafka_census.paging.page import Page
from kafka_census.protocol import error_codes
from unit.cursor_cases import CASES, Case, case_of, linked, rows_of
from unit.walking import QUICK

IMPATIENT = replace(QUICK, request_timeout_ms=100, max_attempts=2)
TOP_LEVEL = (
    "DescribeLogDirs",
    "ListPartitionReassignments",
    "Metadata",
    "ListTransactions",
    "ListGroups",
    "DescribeAcls",
)
"""The RPCs whose responses have an error code of their own at the draft's version."""

WITH_A_CODE = [case for case in CASES if case.rpc in TOP_LEVEL]

Fault = Callable[[Any, Any], Any]

pytestmark = pytest.mark.timeout(30)


def once(page: int, fault: Fault) -> OnPage:
    """A broker that fails when this page is first asked for, and is honest before and after."""
    return lambda number, request, answer: fault(request, answer()) if number == page else answer()


def ever_since(page: int, fault: Fault) -> OnPage:
    """A broker that is honest before this page, and never again."""
    return lambda number, request, answer: fault(request, answer()) if number >= page else answer()


def walk(case: Case, on_page: OnPage | None = None, **options: Any) -> list[Page]:
    """The pages of a walk at a broker of its own."""
    pages = case.pages if on_page is None else replace(case.pages, on_page=on_page)
    with paging_broker(pages) as broker:
        return case.walk(broker, **options)


def cut(share: float) -> Fault:
    """A frame of that share of a response: complete as a frame, but not as a message."""

    def act(request: Any, answer: Any) -> Act:
        answer.API_VERSION = request.API_VERSION
        answer.with_header(correlation_id=1)
        body = bytes(answer.encode(header=True))[4:]
        return Act(raw=body[: min(len(body) - 1, int(len(body) * share))])

    return act


def failing(code: int) -> Fault:
    """The RPC's own empty answer with an error."""

    def fail(_request: Any, answer: Any) -> Any:
        kept = {name: getattr(answer, name) for name in ("brokers", "unknown_state_filters") if hasattr(answer, name)}
        empty = {name: [] for name in ("topics", "results", "transaction_states", "groups", "resources")}
        fields = {name: value for name, value in empty.items() if hasattr(answer, name)}
        return type(answer)(throttle_time_ms=0, error_code=code, **kept, **fields)

    return fail


ONCE: dict[str, Fault] = {
    "a dropped connection": lambda _request, _answer: Act(drop=True),
    "a truncated frame": lambda _request, answer: Act(answer, truncate=3),
    "a frame of garbage": lambda _request, _answer: Act(raw=b"\xff" * 9),
    "a frame without a body": cut(0),
    "half a body": cut(0.5),
    "a body without its last byte": cut(1),
}


@pytest.mark.parametrize("page", [0, 2])
@pytest.mark.parametrize("fault", ONCE)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_passes_is_healed_by_asking_for_the_page_again(case: Case, fault: str, page: int) -> None:
    """The walk is the same as on a calm day; the page tells of a second attempt."""
    pages = walk(case, once(page, ONCE[fault]))
    linked(pages)
    assert [one.rows for one in pages] == [one.rows for one in walk(case)]
    assert [one.attempts for one in pages] == [2 if one.page_no == page else 1 for one in pages]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_answer_that_comes_too_late_is_asked_for_again(case: Case) -> None:
    """For less, and on another connection, so that it is not taken for the answer to what is asked then."""
    collect = replace(QUICK, request_timeout_ms=200, max_attempts=6)
    pages = walk(case, once(1, lambda _request, answer: Act(answer, delay=0.3)), collect=collect)
    linked(pages)
    assert rows_of(pages) == rows_of(walk(case))
    assert pages[1].attempts >= 2
    assert pages[1].page_limit < pages[0].page_limit


@pytest.mark.parametrize("page", [0, 2])
@pytest.mark.parametrize("code", [7, 14])
@pytest.mark.parametrize("case", WITH_A_CODE, ids=str)
def test_an_error_that_may_pass_is_asked_again(case: Case, code: int, page: int) -> None:
    """With the cursor that failed."""
    pages = walk(case, once(page, failing(code)))
    linked(pages)
    assert [one.rows for one in pages] == [one.rows for one in walk(case)]


FOR_EVER: dict[str, tuple[Fault, int]] = {
    "dropped connections": (lambda _request, _answer: Act(drop=True), error_codes.CONNECTION_FAILED),
    "truncated frames": (lambda _request, answer: Act(answer, truncate=3), error_codes.CONNECTION_FAILED),
    "garbage": (lambda _request, _answer: Act(raw=b"\xff" * 9), error_codes.MALFORMED_RESPONSE),
    "bodies without their last byte": (cut(1), error_codes.MALFORMED_RESPONSE),
    "frames of 2 GB": (lambda _request, answer: Act(answer, announce=2**31 - 1), error_codes.FRAME_TOO_LARGE),
    "silence": (lambda _request, _answer: Act(silent=True), error_codes.DEADLINE_EXCEEDED),
}


def ends_in_an_error(case: Case, pages: list[Page], page: int, code: int) -> None:
    """The pages before are whole; the error page says where and what to ask, and the walk goes on from there."""
    calm = walk(case)
    assert [one.rows for one in pages[:-1]] == [one.rows for one in calm[:page]]
    last = pages[-1]
    assert (last.page_no, last.error_code, last.rows, last.next_cursor) == (page, code, (), None)
    assert "broker 1 at 127.0.0.1" in str(last.error_message)
    assert (last.request_cursor, last.open_keys) == (calm[page].request_cursor, case.keys)
    rest = walk(case, cursor=last.request_cursor, page_no=last.page_no, try_no=1)
    assert [one.rows for one in rest] == [one.rows for one in calm[page:]]


@pytest.mark.parametrize("page", [0, 2])
@pytest.mark.parametrize("fault", FOR_EVER)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_does_not_pass_is_an_error_page_from_which_the_walk_goes_on(case: Case, fault: str, page: int) -> None:
    """Attempts are bounded; what came before is landed and need not be asked again."""
    act, code = FOR_EVER[fault]
    collect = IMPATIENT if fault == "silence" else QUICK
    ends_in_an_error(case, walk(case, ever_since(page, act), collect=collect), page, code)


@pytest.mark.parametrize("page", [0, 2])
@pytest.mark.parametrize("code", [14, 31, 42])
@pytest.mark.parametrize("case", WITH_A_CODE, ids=str)
def test_an_error_that_stays_is_an_error_page_with_the_brokers_code(case: Case, code: int, page: int) -> None:
    """A refusal is asked once, what may pass as often as attempts allow."""
    pages = walk(case, ever_since(page, failing(code)))
    ends_in_an_error(case, pages, page, code)
    assert pages[-1].attempts == (QUICK.max_attempts if code == 14 else 1)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_broker_that_throttles_is_left_alone_for_as_long(case: Case) -> None:
    """Nothing is sent before it said so, and the page tells."""

    def throttled(_request: Any, answer: Any) -> Any:
        answer.throttle_time_ms = 40
        return answer

    with paging_broker(replace(case.pages, on_page=once(1, throttled))) as broker:
        pages = case.walk(broker)
        asked = broker.asked_at[-len(pages) :]
    linked(pages)
    assert [one.throttle_time_ms for one in pages[:3]] == [0, 40, 0]
    assert asked[2] - asked[1] >= 0.04
    assert rows_of(pages) == rows_of(walk(case))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_frames_larger_than_we_accept_are_asked_for_with_a_smaller_limit(case: Case) -> None:
    """Until they fit: `receive_message_max_bytes` is a bound of ours, so that the broker does not know it."""
    long = replace(case, names=tuple(name * 90 for name in case.names))
    ones = walk(long, limit=1)
    largest = max(page.response_bytes for page in ones)
    assert walk(long, limit=100)[0].response_bytes > largest
    pages = walk(long, limit=100, collect=replace(QUICK, receive_message_max_bytes=largest))
    linked(pages)
    assert rows_of(pages) == rows_of(ones)
    assert max(page.response_bytes for page in pages) <= largest


@pytest.mark.parametrize("page", [0, 1])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_one_frame_that_is_too_large_costs_a_smaller_page(case: Case, page: int) -> None:
    """The limit grows back."""
    pages = walk(case, once(page, lambda _request, answer: Act(answer, announce=2**30)), limit=3)
    linked(pages)
    assert [one.page_limit for one in pages[: page + 2]] == [3] * page + [1, 2]
    assert rows_of(pages) == rows_of(walk(case))


@pytest.mark.parametrize("back", [0, 1])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_cursor_that_comes_again_ends_the_walk(case: Case, back: int) -> None:
    """That of the page itself, or of the page before: an error, not a loop."""
    cursors: list[Any] = []

    def stuck(request: Any, answer: Any) -> Any:
        cursors.append(request.cursor)
        if len(cursors) > 2:
            place = cursors[-1 - back]
            answer.next_cursor = answer.Cursor(**{name: getattr(place, name) for name in place.fields})
        return answer

    pages = walk(case, ever_since(0, stuck), limit=1)
    ends_in_an_error_of_ones(case, pages, error_codes.CURSOR_REPEATED)


def ends_in_an_error_of_ones(case: Case, pages: list[Page], code: int) -> None:
    """Two good pages of one item, and an error page."""
    assert [one.error_code for one in pages] == [0, 0, code]
    assert [one.rows for one in pages[:2]] == [one.rows for one in walk(case, limit=1)[:2]]
    assert (pages[-1].rows, pages[-1].next_cursor, pages[-1].open_keys) == ((), None, case.keys)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_cursor_that_a_walk_was_resumed_with_does_not_come_again_either(case: Case) -> None:
    """It is known, although another process has landed the page that brought it."""

    def stuck(request: Any, answer: Any) -> Any:
        answer.next_cursor = answer.Cursor(**{name: getattr(request.cursor, name) for name in request.cursor.fields})
        return answer

    second = walk(case)[1]
    (page,) = walk(case, ever_since(0, stuck), cursor=second.request_cursor, page_no=1, try_no=1)
    assert (page.page_no, page.error_code) == (1, error_codes.CURSOR_REPEATED)


@pytest.mark.parametrize("page", [1, 2])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_limit_that_is_lowered_during_the_walk_makes_pages_shorter(case: Case, page: int) -> None:
    """Nothing is left out between the larger pages and the smaller ones."""
    pages: Pages = case.pages

    def lower(number: int, _request: Any, answer: Any) -> Any:
        if number == page:
            pages.server_limit = 1
        return answer()

    pages.on_page = lower
    with paging_broker(pages) as broker:
        walked = case.walk(broker, limit=3)
    linked(walked)
    assert max(map(case.units, walked[page:])) <= 1
    assert rows_of(walked) == rows_of(walk(case))


def large_above(limit: int) -> OnPage:
    """A broker whose answers to more than this limit are too large."""
    return lambda _number, request, answer: (
        Act(answer(), announce=2**30) if request.response_pagination_limit > limit else answer()
    )


def test_a_broker_that_told_a_small_limit_is_asked_for_less_at_once_after_a_frame_too_large() -> None:
    """It gives 2; halving from 2000 on asks for the same 2 ten times, on ten connections."""
    case = case_of(LIST_GROUPS)
    pages = Pages(case.pages.state, server_limit=2, on_page=large_above(1))
    pages.state[DESCRIBE_CONFIGS] = [Item(("1", 4), of=(("max.request.pagination.size.limit", "2"),))]
    with paging_broker(pages) as broker:
        walked = case.walk(broker, limit=2000)
    linked(walked)
    assert walked[0].attempts == 2


def test_a_page_that_a_broker_cannot_give_in_time_is_asked_for_with_a_smaller_limit() -> None:
    """As `paging/pager.py` says of windows, "a cursor's limit likewise"."""
    case = case_of(LIST_GROUPS)

    def slow_above_four(_number: int, request: Any, answer: Any) -> Any:
        return Act(silent=True) if request.response_pagination_limit > 4 else answer()

    with paging_broker(Pages(case.pages.state, on_page=slow_above_four)) as broker:
        linked(case.walk(broker, limit=8, collect=replace(QUICK, request_timeout_ms=100)))
