"""What a walk may cost: few questions that are too much, one for a limit, and no longer than its deadline."""

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any
from unittest.mock import Mock

import pytest
from kafka.protocol.metadata import FindCoordinatorRequest

from emulator.asking import cluster, serving
from emulator.asking import walk as emulated_walk
from harness.responses import described_configs
from harness.standin import Act
from kafka_census.clock import Clock
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.page import Page
from kafka_emulator.call import Call
from kafka_emulator.handlers.api_versions import API_VERSIONS
from kafka_emulator.handlers.describe_configs import DESCRIBE_CONFIGS
from kafka_messages.kip_1062 import PAGINATION, DescribeConfigsRequest, DescribeGroupsRequest, ListGroupsRequest
from unit.rpc.answers import answer
from unit.walking import PATIENT, Serve, paged, walk

NOT_COORDINATOR = 16

pytestmark = pytest.mark.timeout(120)


def names(*numbers: int) -> list[str]:
    return [f"{number:05d}" for number in numbers]


def listed(request: Any, count: int, throttle_time_ms: int = 0, first: int = 0) -> Any:
    return paged(names(*range(first, count)), request, throttle_time_ms=throttle_time_ms)


def groups_of(serve: Serve, script: Callable[[Any, int], Any], page_limit: int) -> list[Page]:
    """The walk of the groups of a broker that pages, and answers so."""
    broker = serve({ListGroupsRequest: script}, features={PAGINATION: 1})
    return walk(broker, "ListGroups", "groups", collect=replace(PATIENT, page_limit=page_limit))


def listed_in(pages: list[Page]) -> list[str]:
    return [row[0] for page in pages for row in page.rows]


def test_a_broker_that_bears_half_a_page_is_seldom_asked_for_a_whole_one(serve: Serve) -> None:
    """Of 40 pages only a few are asked for in vain: it is held back for twice as long after each."""
    vain = []

    def reply(request: Any, _n: int) -> Any:
        if request.response_pagination_limit > 50:
            vain.append(request)
            return Act(listed(request, 2000), announce=2**30)
        return listed(request, 2000)

    pages = groups_of(serve, reply, 100)
    assert listed_in(pages) == names(*range(2000))
    assert (len(pages), pages[-1].error_code) == (40, 0)
    assert 1 < len(vain) <= 8


def test_a_broker_that_does_not_say_its_limit_is_asked_once(serve: Serve) -> None:
    """A question without an answer costs its timeout once per walk, not once per page."""
    broker = serve(
        {
            ListGroupsRequest: lambda request, _n: listed(request, 5),
            DescribeConfigsRequest: lambda _request, _n: Act(silent=True),
        },
        features={PAGINATION: 1},
    )
    collect = replace(PATIENT, page_limit=1, request_timeout_ms=700)
    pages = walk(broker, "ListGroups", "groups", collect=collect)
    assert [(len(page.rows), page.error_code) for page in pages] == [(1, 0)] * 5
    assert len(broker.of(DescribeConfigsRequest)) == 1


def test_a_broker_that_reported_a_small_limit_is_asked_for_less_at_once_after_a_frame_too_large(serve: Serve) -> None:
    """It gives 2; halving from 2000 on asks for the same 2 ten times, on ten connections."""
    name = "max.request.pagination.size.limit"

    def reply(request: Any, _n: int) -> Any:
        too_large = request.response_pagination_limit > 1
        return Act(listed(request, 4), announce=2**30) if too_large else listed(request, 4)

    scripts = {
        ListGroupsRequest: reply,
        DescribeConfigsRequest: lambda request, _n: described_configs(request, "2", name),
    }
    pages = walk(serve(scripts, features={PAGINATION: 1}), "ListGroups", "groups")
    assert listed_in(pages) == names(*range(4))
    # Two for the page, and one that proves it.
    assert pages[0].attempts == 3


def test_an_item_that_is_gone_costs_one_request_more(serve: Serve) -> None:
    """A page without the item of its cursor may be another page: if a shorter one is without it, the item is gone."""

    def reply(request: Any, n: int) -> Any:
        response = listed(request, 8)
        response.groups = [group for group in response.groups if n == 0 or group.group_id != "00002"]
        return response

    pages = groups_of(serve, reply, 2)
    assert listed_in(pages) == names(0, 1, 3, 4, 5, 6, 7)
    assert [page.attempts for page in pages] == [2, 2, 1, 1]


def test_a_list_that_grows_at_its_head_all_the_time_is_walked(serve: Serve) -> None:
    """Each shorter page begins before the page that it proves: that is new, and is on the page when it comes again."""

    def reply(request: Any, n: int) -> Any:
        return listed(request, 60, first=50 - n)

    pages = groups_of(serve, reply, 4)
    assert listed_in(pages) == names(*range(48, 60))
    assert [page.attempts for page in pages] == [3, 1, 1]


def test_a_walk_that_is_longer_than_its_deadline_stays_open_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of 10 s each and a deadline of 95 s: waves of eight good pages, each with its keys but the last."""
    now = [time.monotonic()]
    clock = Mock(wraps=Clock(), monotonic=lambda: now[0])
    monkeypatch.setattr("kafka_census.landing.fetch.fetch.Clock", lambda: clock)
    keys = tuple(f"t{n:02d}" for n in range(40))

    def slow(request: Any, call: Call) -> Any:
        # The proof of the first page takes no time.
        now[0] += 10 if call.paged and request.response_pagination_limit > 1 else 0
        return DESCRIBE_CONFIGS.answer(request, call)

    server = cluster(topics={"partitions": 0, "declared": [{"name": key} for key in keys]})
    waves = []
    with serving(replace(server, handlers=(replace(DESCRIBE_CONFIGS, answer=slow), API_VERSIONS))) as brokers:
        chain: dict[str, Any] = {"cursor": None, "page_no": 0}
        while not waves or waves[-1][-1].next_cursor is not None:
            collect = replace(PATIENT, page_limit=2, chain_deadline_ms=95_000)
            waves.append(emulated_walk(brokers, "DescribeConfigs", "topics", keys=keys, collect=collect, **chain))
            last = waves[-1][-1]
            assert last.error_code == 0, last.error_message
            chain = {"cursor": last.next_cursor, "page_no": last.page_no + 1}
    assert [len(pages) for pages in waves] == [8, 8, 4]
    assert [pages[-1].open_keys for pages in waves] == [keys, keys, ()]
    pages = [page for pages in waves for page in pages]
    assert [row[1] for page in pages for row in page.rows if row[4] == "min.insync.replicas"] == list(keys)
    assert all(page.next_cursor == following.request_cursor for page, following in pairwise(pages))


def test_keys_are_not_looked_for_after_the_deadline(serve: Serve) -> None:
    """Below FindCoordinator v4 each key is a question of its own: those stop when the time is up."""
    keys = tuple(f"g{n:02d}" for n in range(20))

    def elsewhere(request: Any, _n: int) -> Any:
        moved = [{"group_id": key, "error_code": NOT_COORDINATOR} for key in request.groups]
        return answer("DescribeGroups", groups=moved)

    def slowly(_request: Any, _n: int) -> Any:
        return Act(answer("FindCoordinator", node_id=2, host="127.0.0.1", port=9), delay=0.2)

    broker = serve(
        {DescribeGroupsRequest: elsewhere, FindCoordinatorRequest: slowly},
        versions={DescribeGroupsRequest: (0, 6), FindCoordinatorRequest: (0, 3)},
    )
    pages = walk(broker, "DescribeGroups", "groups", keys, collect=replace(PATIENT, chain_deadline_ms=1200))
    assert len(broker.of(FindCoordinatorRequest)) < 10
    assert pages[-1].error_code == ErrorCode.DEADLINE_EXCEEDED
    assert pages[-1].open_keys == keys


def test_a_window_that_failed_is_asked_where_its_first_key_is(serve: Serve) -> None:
    """All of its keys are at one broker, and below FindCoordinator v4 each would be a question of its own."""

    def second_time(request: Any, n: int) -> Any:
        return answer("DescribeGroups", groups=[{"group_id": key} for key in request.groups]) if n else Act(drop=True)

    broker = serve(
        {DescribeGroupsRequest: second_time},
        versions={DescribeGroupsRequest: (0, 6), FindCoordinatorRequest: (0, 1)},
    )
    broker.scripts[FindCoordinatorRequest] = answer("FindCoordinator", node_id=1, host="127.0.0.1", port=broker.port)
    [page] = walk(broker, "DescribeGroups", "groups", ("a", "b"))
    assert (page.error_code, [row[0] for row in page.rows], page.attempts) == (0, ["a", "b"], 2)
    assert [request.key for request in broker.of(FindCoordinatorRequest)] == ["a"]


def test_a_throttle_that_is_longer_than_the_deadline_is_not_waited_for(serve: Serve) -> None:
    """The chain ends at its deadline, in an error from which it goes on; nothing is sent meanwhile."""
    broker = serve({ListGroupsRequest: lambda request, n: listed(request, 3, 30_000 * n)}, features={PAGINATION: 1})
    start = time.monotonic()
    collect = replace(PATIENT, page_limit=1, chain_deadline_ms=1200)
    first, late = walk(broker, "ListGroups", "groups", collect=collect)
    assert time.monotonic() - start < 20
    assert (first.error_code, [row[0] for row in first.rows]) == (0, ["00000"])
    assert (late.error_code, late.rows) == (ErrorCode.DEADLINE_EXCEEDED, ())
    assert (late.page_no, late.request_cursor) == (1, first.next_cursor)
    assert len(broker.of(ListGroupsRequest)) == 2
