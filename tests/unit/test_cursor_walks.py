"""Walks of KIP-1062's 13 RPCs against a broker that pages them: each item comes once, whatever the limits are."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from harness import paging_groups as groups
from harness.paging_broker import Item, Pages, paging_broker
from harness.paging_rpcs import DESCRIBE_CONFIGS
from harness.standin import StandIn
from kafka_census.paging.cursor import from_json, to_json
from unit.cursor_cases import BEYOND, CASES, NAMED_REASSIGNMENTS, Case, asks_for_limits, linked, rows_of

LIMITS = [1, 2, 3, 7, 100]

pytestmark = pytest.mark.timeout(30)


@pytest.fixture
def serve() -> Iterator[Callable[..., StandIn]]:
    """Start paging brokers; all are stopped at the end."""
    started: list[StandIn] = []

    def start(pages: Pages, **options: object) -> StandIn:
        started.append(paging_broker(pages, **options).__enter__())
        return started[-1]

    yield start
    for one in started:
        one.__exit__()


def test_every_rpc_that_pages_is_walked() -> None:
    """A fourteenth would need a case."""
    assert [case.paged for case in CASES] == list(groups.PAGED)
    assert len(CASES) == 13


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("case", [*CASES, NAMED_REASSIGNMENTS], ids=str)
def test_pages_of_any_limit_are_together_what_a_broker_without_cursors_answers(
    serve: Callable[..., StandIn], case: Case, limit: int
) -> None:
    """No row is missing, none comes twice, and no page is larger than was asked for."""
    whole = case.walk(serve(case.pages, features={}), limit=100)
    broker = serve(case.pages)
    pages = case.walk(broker, limit=limit)
    linked(pages)
    assert pages[0].request_cursor is None
    assert rows_of(pages) == rows_of(whole)
    assert set(case.names_of(pages).values()) == {1}
    assert max(map(case.units, pages)) <= limit
    assert {page.page_limit for page in pages} == {limit}
    asked = [one for one in broker.asked if not asks_for_limits(one)]
    assert [one.response_pagination_limit for one in asked] == [limit] * len(pages)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_page_is_as_large_as_the_limit_allows(serve: Callable[..., StandIn], case: Case) -> None:
    """The stand-in is no broker of ever shorter pages, which would prove little: all pages but the last are full."""
    pages = case.walk(serve(case.pages), limit=3)
    free = {"Metadata"}  # a topic is an item, a partition what counts
    assert len(pages) > 1
    assert case.rpc in free or {case.units(page) for page in pages[:-1]} == {3}


@pytest.mark.parametrize("server_limit", [1, 2, 5])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_broker_that_gives_less_than_was_asked_for_is_walked_to_the_end(
    serve: Callable[..., StandIn], case: Case, server_limit: int
) -> None:
    """A page below the limit is not the end."""
    pages = case.walk(serve(replace(case.pages, server_limit=server_limit)), limit=100)
    linked(pages)
    assert max(map(case.units, pages)) <= server_limit
    assert rows_of(pages) == rows_of(case.walk(serve(case.pages), limit=100))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_broker_that_tells_its_limit_is_never_asked_for_more(serve: Callable[..., StandIn], case: Case) -> None:
    """It is asked for its config once a walk."""
    pages = replace(case.pages, server_limit=2)
    limit = Item(("1", 4), of=(("max.request.pagination.size.limit", "2"),))
    pages.state[DESCRIBE_CONFIGS] = [*pages.state.get(DESCRIBE_CONFIGS, []), limit]
    broker = serve(pages)
    walked = case.walk(broker, limit=100)
    linked(walked)
    assert {page.page_limit for page in walked} == {2}
    assert sum(map(asks_for_limits, broker.asked)) == 1


@pytest.mark.parametrize("features", [{}, {"admin.pagination": 0}, {"admin.min.insync.replicas.of.another": 1}])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_without_the_feature_no_draft_version_is_sent(
    serve: Callable[..., StandIn], case: Case, features: dict[str, int]
) -> None:
    """Not although ApiVersions offers it: there it may mean something else."""
    broker = serve(case.pages, features=features)
    pages = case.walk(broker)
    assert {one.API_VERSION for one in broker.asked} == {case.versions[0]}
    assert {(page.api_version, page.error_code) for page in pages} == {(case.versions[0], 0)}
    assert {page.paging for page in pages} <= {"window", "whole"}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_with_the_feature_the_draft_version_is_sent(serve: Callable[..., StandIn], case: Case) -> None:
    """And the page says so."""
    broker = serve(case.pages)
    pages = case.walk(broker)
    asked = [one for one in broker.asked if not asks_for_limits(one)]
    assert {one.API_VERSION for one in asked} == {case.versions[1]}
    assert {(page.api_version, page.paging) for page in pages} == {(case.versions[1], "cursor")}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_feature_without_the_version_is_no_reason_to_send_it(serve: Callable[..., StandIn], case: Case) -> None:
    """ApiVersions has the last word."""
    broker = serve(case.pages, versions={case.paged.request: (0, case.versions[0])})
    assert {page.api_version for page in case.walk(broker)} == {case.versions[0]}


@pytest.mark.parametrize("limit", [1, 3])
@pytest.mark.parametrize("case", [*CASES, NAMED_REASSIGNMENTS], ids=str)
def test_a_walk_goes_on_from_any_landed_cursor(serve: Callable[..., StandIn], case: Case, limit: int) -> None:
    """Another process has nothing but the cursor and the number of the page that it asks for."""
    pages = case.walk(serve(case.pages), limit=limit)
    assert len(pages) > 2
    for page in pages[1:]:
        cursor = from_json(to_json(page.request_cursor))
        rest = case.walk(serve(case.pages), limit=limit, cursor=cursor, page_no=page.page_no, try_no=1)
        linked(rest)
        assert [(one.page_no, one.rows) for one in rest] == [(one.page_no, one.rows) for one in pages[page.page_no :]]


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_names_beyond_the_basic_plane_come_once_each(serve: Callable[..., StandIn], case: Case, limit: int) -> None:
    """The order is UTF-16's, which is not that of code points or of UTF-8."""
    assert sorted(BEYOND) != list(BEYOND)
    beyond = replace(case, names=BEYOND)
    pages = beyond.walk(serve(beyond.pages), limit=limit)
    linked(pages)
    assert rows_of(pages) == rows_of(beyond.walk(serve(beyond.pages, features={})))
    assert set(beyond.names_of(pages).values()) == {1}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_empty_answer_is_one_empty_page_that_ends(serve: Callable[..., StandIn], case: Case) -> None:
    """An empty page is not an absent page."""
    broker = serve(Pages({case.paged: []}))
    (page,) = case.walk(broker, keys=())
    assert (page.error_code, page.rows, page.next_cursor, page.paging) == (0, (), None, "cursor")


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("case", [case for case in CASES if case.nothing], ids=str)
def test_what_has_nothing_in_it_comes_exactly_once(serve: Callable[..., StandIn], case: Case, limit: int) -> None:
    """A group without members or offsets, a partition without producers, and so on, has a row of its own."""
    names = case.names_of(case.walk(serve(case.pages), limit=limit))
    assert {name: names[name] for name in case.nothing} == dict.fromkeys(case.nothing, 1)


@pytest.mark.parametrize("case", [case for case in CASES if case.paged.start], ids=str)
def test_nothing_but_what_has_nothing_in_it_is_paged_too(serve: Callable[..., StandIn], case: Case) -> None:
    """They cost one each, so that any number of them comes in pages."""
    pages = case.walk(serve(Pages({case.paged: []})), limit=2)
    linked(pages)
    assert [len(page.rows) for page in pages] == [2] * (len(case.keys) // 2) + [1] * (len(case.keys) % 2)
