"""What no broker of Kafka's says: an error page that names the broker, or the right row; never a traceback."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from kafka.protocol.metadata import FindCoordinatorRequest, FindCoordinatorResponse

from harness.responses import described_configs, listed_groups
from harness.standin import StandIn
from kafka_census.error_codes import ErrorCode
from kafka_emulator.call import Call
from kafka_emulator.handlers import HANDLERS
from kafka_emulator.handlers.handler import Handler
from kafka_messages.kip_1062 import (
    PAGINATION,
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    ListGroupsRequest,
    ListGroupsResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    MetadataRequest,
    MetadataResponse,
)
from property.walks import PagedWalk
from unit.scattered import LOCATED, keys_of, scattered
from unit.walking import PATIENT, walk

Serve = Callable[..., StandIn]
NOT_COORDINATOR = 16

pytestmark = pytest.mark.timeout(60)


@pytest.mark.parametrize("limit", ["²", "٣", "-1", "", "many", "9" * 5000, None])
def test_a_limit_that_is_no_number_is_no_limit(serve: Serve, limit: str | None) -> None:

    def configured(request: Any, _n: int) -> Any:
        answer = described_configs(request)
        config = answer.results[0].configs[0]
        config.name, config.value = request.resources[0].configuration_keys[0], limit
        return answer

    groups = {ListGroupsRequest: lambda _request, _n: listed_groups("a"), DescribeConfigsRequest: configured}
    broker = serve(groups, features={PAGINATION: 1})
    (page,) = walk(broker, "ListGroups", "groups", collect=replace(PATIENT, page_limit=7))
    assert (page.error_code, page.page_limit, [row[0] for row in page.rows]) == (0, 7, ["a"])
    assert len(broker.of(DescribeConfigsRequest)) == 1


def test_a_type_of_resource_that_we_do_not_know_keeps_its_number(serve: Serve) -> None:
    result = DescribeConfigsResponse.DescribeConfigsResult
    refused = result(error_code=42, error_message="no", resource_type=99, resource_name="a", configs=[])
    broker = serve(
        {DescribeConfigsRequest: lambda _request, _n: DescribeConfigsResponse(throttle_time_ms=0, results=[refused])}
    )
    (page,) = walk(broker, "DescribeConfigs", "topics", ("a",), collect=PATIENT)
    assert page.error_code == 0
    assert [row[:4] for row in page.rows] == [("unknown_99", "a", 42, "no")]


def elsewhere(request: Any, _n: int) -> Any:
    """DescribeGroups of a broker that is no group's coordinator."""
    group = DescribeGroupsResponse.DescribedGroup
    empty = {"protocol_type": "", "protocol_data": "", "authorized_operations": None, "error_message": None}
    one = {"error_code": NOT_COORDINATOR, "group_state": "", "members": [], **empty}
    return DescribeGroupsResponse(throttle_time_ms=0, groups=[group(group_id=key, **one) for key in request.groups])


@pytest.mark.parametrize(
    ("host", "port"),
    [
        pytest.param("a" * 70 + ".x", 9, id="a label too long for DNS"),
        pytest.param("a..b", 9, id="an empty label"),
        pytest.param("", 70_000, id="no host, and no port"),
        pytest.param("127.0.0.1", 0, id="port 0"),
        pytest.param("127.0.0.1", 70_000, id="a port beyond 65535"),
        pytest.param("127.0.0.1", -1, id="a port below 0"),
    ],
)
def test_a_coordinator_at_no_address_is_a_failed_connection(serve: Serve, host: str, port: int) -> None:
    one = FindCoordinatorResponse.Coordinator
    coordinator = {"node_id": 7, "host": host, "port": port, "error_code": 0, "error_message": None}

    def coordinators(request: Any, _n: int) -> Any:
        found = [one(key=key, **coordinator) for key in request.coordinator_keys]
        return FindCoordinatorResponse(throttle_time_ms=0, coordinators=found)

    broker = serve(
        {DescribeGroupsRequest: elsewhere, FindCoordinatorRequest: coordinators},
        versions={DescribeGroupsRequest: (0, 6)},
    )
    pages = walk(broker, "DescribeGroups", "groups", ("a", "b"), collect=PATIENT)
    assert (pages[-1].error_code, pages[-1].open_keys) == (ErrorCode.CONNECTION_FAILED, ("a", "b"))
    assert "broker 7" in str(pages[-1].error_message)


def test_a_null_in_place_of_a_list_is_a_malformed_response(serve: Serve) -> None:
    answer = ListGroupsResponse(throttle_time_ms=0, error_code=0, groups=None)
    (page,) = walk(serve({ListGroupsRequest: lambda _request, _n: answer}), "ListGroups", "groups", collect=PATIENT)
    assert (page.error_code, page.rows) == (ErrorCode.MALFORMED_RESPONSE, ())
    assert "broker 1 at 127.0.0.1" in str(page.error_message)


def test_a_null_in_place_of_coordinators_leaves_keys_where_they_are(serve: Serve) -> None:
    """Nobody can be placed by it: the broker that was asked has the last word."""
    answer = FindCoordinatorResponse(throttle_time_ms=0, coordinators=None)
    broker = serve(
        {DescribeGroupsRequest: elsewhere, FindCoordinatorRequest: lambda _request, _n: answer},
        versions={DescribeGroupsRequest: (0, 6)},
    )
    pages = walk(broker, "DescribeGroups", "groups", ("a", "b"), collect=PATIENT)
    assert [row[:2] for row in pages[-1].rows] == [("a", NOT_COORDINATOR), ("b", NOT_COORDINATOR)]


@pytest.mark.parametrize("field", ["brokers", "topics"])
def test_a_null_in_place_of_leaders_leaves_keys_where_they_are(serve: Serve, field: str) -> None:
    lists = {"brokers": [], "topics": [], field: None}
    answer = MetadataResponse(throttle_time_ms=0, cluster_id="k", controller_id=1, **lists)
    topic = ListOffsetsResponse.ListOffsetsTopicResponse
    part = topic.ListOffsetsPartitionResponse
    away = part(partition_index=0, error_code=6, offset=-1, timestamp=-1, leader_epoch=0)
    offsets = ListOffsetsResponse(throttle_time_ms=0, topics=[topic(name="a", partitions=[away])])
    broker = serve({ListOffsetsRequest: lambda _request, _n: offsets, MetadataRequest: lambda _request, _n: answer})
    pages = walk(broker, "ListOffsets", "latest", ("a/0",), collect=PATIENT)
    assert [row[:3] for row in pages[-1].rows] == [("a", 0, 6)]


def test_a_null_in_place_of_configs_is_no_limit(serve: Serve) -> None:
    nothing = DescribeConfigsResponse(throttle_time_ms=0, results=None)
    broker = serve(
        {
            ListGroupsRequest: lambda _request, _n: listed_groups("a"),
            DescribeConfigsRequest: lambda _request, _n: nothing,
        },
        features={PAGINATION: 1},
    )
    (page,) = walk(broker, "ListGroups", "groups", collect=PATIENT)
    assert (page.error_code, [row[0] for row in page.rows]) == (0, ["a"])


def named(one: Any) -> str:
    """What a request names by one of the entries of its list."""
    return one if isinstance(one, str) else str(getattr(one, "group_id", None) or one.name)


def forgetful(walk: PagedWalk, lost: str) -> tuple[Handler, ...]:
    """Handlers of a broker that says nothing of one of the groups, ids or topics that it is asked for."""

    def answer(handler: Handler, request: Any, call: Call) -> Any:
        for field in {"groups", "group_ids", "transactional_ids", "topics"} & set(request.fields):
            asked = getattr(request, field)
            setattr(request, field, [one for one in asked if named(one) != lost])
        return handler.answer(request, call)

    return tuple(replace(one, answer=partial(answer, one)) if one.name == walk.rpc else one for one in HANDLERS)


WINDOWED = [pytest.param(walk, (), id=f"{walk}, window") for walk in LOCATED]
CURSORED = [
    pytest.param(walk, (1,), id=f"{walk}, cursor")
    for walk in LOCATED
    # The others name a key on the page that its part is on, so that one of which nothing is left is on none.
    if walk.rpc in {"ListOffsets", "DescribeTransactions"}
]


@pytest.mark.parametrize(("walk", "paging"), [*WINDOWED, *CURSORED])
def test_a_key_that_a_broker_leaves_out_is_an_error_page(walk: PagedWalk, paging: tuple[int, ...]) -> None:
    """Its coordinator or leader has to say something of it: silence is not taken for "there is nothing"."""
    with scattered(walk, 1, paging=paging, handlers=forgetful(walk, "b")) as cluster:
        pages = cluster.walk(limit=3)
    assert pages[-1].error_code == ErrorCode.INCONSISTENT_PAGES
    assert f"{walk.rpc} says nothing of 1 keys" in str(pages[-1].error_message)
    assert pages[-1].open_keys == keys_of(walk)
    assert len(pages) < 10
