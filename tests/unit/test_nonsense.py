"""What no broker of Kafka's says: an error page that names the broker, or the right row; never a traceback."""

import struct
import time
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from kafka.protocol.metadata import ApiVersionsResponse, FindCoordinatorRequest, FindCoordinatorResponse

from harness.responses import described_configs, listed_groups, message
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.page import Page
from kafka_emulator.call import Call
from kafka_emulator.handlers import HANDLERS
from kafka_emulator.handlers.handler import Handler
from kafka_messages.decoding import UNDECODABLE
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
from unit.rpc.answers import answer
from unit.scattered import LOCATED, keys_of, scattered
from unit.walking import PATIENT, Serve, walk

NOT_COORDINATOR = 16

pytestmark = pytest.mark.timeout(60)


@pytest.mark.parametrize("limit", ["²", "٣", "-1", "", "many", "9" * 5000, None, "no list of configs"])
def test_a_limit_that_is_no_number_is_no_limit(serve: Serve, limit: str | None) -> None:
    def limited(request: Any, _n: int) -> Any:
        if limit == "no list of configs":
            return message(DescribeConfigsResponse, results=None)
        return described_configs(request, limit, request.resources[0].configuration_keys[0])

    scripts = {ListGroupsRequest: listed_groups("a"), DescribeConfigsRequest: limited}
    broker = serve(scripts, features={PAGINATION: 1})
    (page,) = walk(broker, "ListGroups", "groups", collect=replace(PATIENT, page_limit=7))
    assert (page.error_code, page.page_limit, [row[0] for row in page.rows]) == (0, 7, ["a"])
    assert len(broker.of(DescribeConfigsRequest)) == 1


def test_a_type_of_resource_that_we_do_not_know_keeps_its_number(serve: Serve) -> None:
    refused = {"error_code": 42, "error_message": "no", "resource_type": 99, "resource_name": "a"}
    broker = serve({DescribeConfigsRequest: message(DescribeConfigsResponse, results=[refused])})
    (page,) = walk(broker, "DescribeConfigs", "topics", ("a",))
    assert page.error_code == 0
    assert [row[:4] for row in page.rows] == [("unknown_99", "a", 42, "no")]


def groups_elsewhere(serve: Serve, coordinators: Any) -> Page:
    """The last page of two groups, of a broker that is no group's coordinator and says this of who is."""

    def elsewhere(request: Any, _n: int) -> Any:
        groups = [{"group_id": key, "error_code": NOT_COORDINATOR} for key in request.groups]
        return message(DescribeGroupsResponse, groups=groups)

    def found(request: Any, _n: int) -> Any:
        every = coordinators and [coordinators | {"key": key} for key in request.coordinator_keys]
        return message(FindCoordinatorResponse, coordinators=every)

    scripts = {DescribeGroupsRequest: elsewhere, FindCoordinatorRequest: found}
    broker = serve(scripts, versions={DescribeGroupsRequest: (0, 6)})
    return walk(broker, "DescribeGroups", "groups", ("a", "b"))[-1]


@pytest.mark.parametrize(
    ("host", "port"), [("a" * 70 + ".x", 9), ("", 70_000)], ids=["a label too long for DNS", "no host, and no port"]
)
def test_a_coordinator_at_no_address_is_a_failed_connection(serve: Serve, host: str, port: int) -> None:
    page = groups_elsewhere(serve, {"node_id": 7, "host": host, "port": port})
    assert (page.error_code, page.open_keys) == (ErrorCode.CONNECTION_FAILED, ("a", "b"))
    assert "broker 7" in str(page.error_message)


@pytest.mark.parametrize("coordinators", [None, {"node_id": -1, "host": "", "port": -1, "error_code": 15}])
def test_coordinators_that_place_nobody_leave_keys_where_they_are(serve: Serve, coordinators: Any) -> None:
    """The broker that was asked has the last word."""
    page = groups_elsewhere(serve, coordinators)
    assert (page.error_code, [row[:2] for row in page.rows]) == (0, [(key, NOT_COORDINATOR) for key in "ab"])


@pytest.mark.parametrize("field", ["brokers", "topics"])
def test_a_null_in_place_of_leaders_leaves_keys_where_they_are(serve: Serve, field: str) -> None:
    answer = message(MetadataResponse, **{"cluster_id": "k", "brokers": [], "topics": [], field: None})
    away = {"name": "a", "partitions": [{"error_code": 6, "offset": -1}]}
    broker = serve({ListOffsetsRequest: message(ListOffsetsResponse, topics=[away]), MetadataRequest: answer})
    pages = walk(broker, "ListOffsets", "latest", ("a/0",))
    assert [row[:3] for row in pages[-1].rows] == [("a", 0, 6)]


def test_a_null_in_place_of_a_list_is_a_malformed_response(serve: Serve) -> None:
    broker = serve({ListGroupsRequest: listed_groups(groups=None)})
    (page,) = walk(broker, "ListGroups", "groups")
    assert (page.error_code, page.rows) == (ErrorCode.MALFORMED_RESPONSE, ())
    assert "broker 1 at 127.0.0.1" in str(page.error_message)


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


def listed(version: int, *groups: str, kind: str = "") -> bytes:
    found = [{"group_id": name, "protocol_type": kind} for name in groups]
    return bytes(answer("ListGroups", groups=found).encode(version=version))


def read(version: int, frame: bytes) -> list[str]:
    return [one.group_id for one in ListGroupsResponse.decode(frame, version=version).groups]


def test_a_varint_ends_and_a_count_that_leaves_items_out_and_a_string_that_is_cut_are_refused() -> None:
    """A megabyte of 0xff would be a number of 900,000 digits, made anew at each byte of it; five are the longest.

    Python reads fewer items than none as none, and takes what is there of a last string for the whole.
    """
    start, frame = time.process_time(), listed(5, "a")
    with pytest.raises(ValueError, match="a varint does not end"):
        read(5, frame[:6] + b"\xff" * 2**20)
    assert time.process_time() - start < 1
    assert frame[6:7] == b"\x02"
    assert read(5, frame[:6] + b"\x82\x80\x80\x80\x00" + frame[7:]) == ["a"]
    frame = listed(0, "a", "b")
    for count in (-2, 1, 0):
        with pytest.raises(ValueError, match="ends at byte"):
            read(0, frame[:2] + struct.pack(">i", count) + frame[6:])
    frame = listed(0, "a", kind="consumer")
    with pytest.raises(ValueError, match=f"ends at byte {len(frame)} of {len(frame) - 3}"):
        read(0, frame[:-3])


def test_a_null_is_read_where_the_schema_allows_it_and_tags_in_a_tag_are_undecodable() -> None:
    """kafka-python only asserts that there are none: of a feature in ApiVersions."""
    with pytest.raises(ValueError, match="groups is null"):
        read(5, bytes(answer("ListGroups", groups=None).encode(version=5)))
    with pytest.raises(ValueError, match="group_id is null"):
        read(5, listed(5, "a").replace(b"\x02a", b"\x00", 1))
    nameless: Any = MetadataResponse.decode(answer("Metadata", cluster_id=None).encode(version=9), version=9)
    assert nameless.cluster_id is None
    feature = {"name": "f", "min_version": 1, "max_version": 2}
    frame = bytes(answer("ApiVersions", supported_features=[feature]).encode(version=3))
    at = frame.index(b"\x02f\x00\x01\x00\x02\x00")
    with pytest.raises(UNDECODABLE):
        ApiVersionsResponse.decode(frame[: at + 6] + b"\x01" + frame[at + 7 :], version=3)
