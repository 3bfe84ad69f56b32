"""From headers alone: which chains go on, from which page, at whom; and which brokers owe answers."""

from collections.abc import Sequence

import pytest

from harness.headers import header
from kafka_census.declarations.walk import Walk
from kafka_census.declarations.walks import walk_named
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.landing.chains import Chains, Continuation, continuations, first_requests
from kafka_census.landing.request import Brokers
from kafka_census.landing.route import Node, found
from kafka_census.pages.header import Header

GROUPS = walk_named("ListGroups", "groups")
TOPICS = walk_named("DescribeTopicPartitions", "topics")
TOPICS_LISTED = walk_named("Metadata", "names")
MOVES = walk_named("ListPartitionReassignments", "cluster")
ALIVE = {node: Node(node, Endpoint(node, "h", 9092), "named") for node in (1, 2)}
BROKERS = Brokers((*ALIVE.values(), Node(3, None, "replicas")), controller_id=2)


def page(
    walk: Walk, page_no: int = 0, request: str | None = None, then: str | None = None, **columns: object
) -> Header:
    """A landed page of broker 1 by the broker's cursor, with one item."""
    known = {"node_id": 1, "chain_id": "c", "paging": "cursor", "wave": page_no, "open_key_count": 0}
    cursors = {"page_no": page_no, "request_cursor": request, "next_cursor": then}
    return header(*walk.name, **{**known, **cursors, **columns})


def on(walk: Walk, *pages: Header, retry: bool = True) -> Sequence[Continuation]:
    return list(continuations(Chains(pages, {walk.name: walk}), BROKERS, {walk.name} if retry else ()))


def test_an_open_chain_goes_on_at_its_next_page() -> None:
    [one] = on(GROUPS, page(GROUPS, then="[1]"), page(GROUPS, 1, "[1]", "[2]"), retry=False)
    assert (one.request.node_id, one.request.host, one.request.cursor) == (1, "h", "[2]")
    assert (one.request.page_no, one.request.try_no, one.request.waves, one.request.refusal) == (2, 0, 2, None)
    assert on(GROUPS, page(GROUPS, then="[1]"), page(GROUPS, 1, "[1]")) == []


def test_a_chain_that_failed_is_asked_again_from_the_page_that_failed() -> None:
    broken = page(GROUPS, 1, "[1]", error_code=ErrorCode.CONNECTION_FAILED)
    [one] = on(GROUPS, page(GROUPS, then="[1]"), broken)
    assert (one.request.page_no, one.request.try_no, one.request.cursor) == (1, 1, "[1]")
    assert on(GROUPS, page(GROUPS, then="[1]"), broken, retry=False) == []
    assert on(GROUPS, page(GROUPS, error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)) == []


def test_where_no_broker_is_alive_each_walk_owes_a_page_that_says_so() -> None:
    """All may be fenced at a time; a chain that failed waits."""
    nobody = Brokers((Node(3, None, "fenced"), Node(4, None, "fenced")))
    owing = list(first_requests((GROUPS, TOPICS_LISTED), nobody, ()))
    assert [(one.rpc, one.node_id) for one in owing] == [("ListGroups", 3), ("ListGroups", 4), ("Metadata", 3)]
    assert {one.refusal_code for one in owing} == {ErrorCode.BROKER_NOT_ALIVE}
    failed = page(TOPICS, error_code=ErrorCode.CONNECTION_FAILED)
    assert list(continuations(Chains([failed], {TOPICS.name: TOPICS}), nobody, {TOPICS.name})) == []


def test_a_broker_that_is_gone_goes_on_with_nothing_of_its_own() -> None:
    """What only it can tell waits; what any broker tells is asked of another one after each failure."""
    assert on(GROUPS, page(GROUPS, then="[1]", node_id=3)) == []
    failed = [page(TOPICS, try_no=try_no, error_code=ErrorCode.CONNECTION_FAILED) for try_no in range(2)]
    assert {one.request.node_id for each in failed for one in on(TOPICS, each)} == {1, 2}


@pytest.mark.parametrize(
    ("node", "code", "then"),
    [(1, ErrorCode.CONNECTION_FAILED, 2), (2, ErrorCode.CONNECTION_FAILED, 1), (2, ErrorCode.FRAME_TOO_LARGE, 2)],
)
def test_the_controller_is_asked_unless_it_has_just_failed(node: int, code: ErrorCode, then: int) -> None:
    """In KRaft mode that is any broker: another one takes its turn, but where the answer is only too large."""
    [one] = on(MOVES, page(MOVES, node_id=node, paging="whole", error_code=code))
    assert one.request.node_id == then


def test_an_answer_that_is_too_large_is_asked_for_in_windows_once() -> None:
    whole, large = {"node_id": 2, "paging": "whole"}, ErrorCode.FRAME_TOO_LARGE
    failed = [
        page(MOVES, error_code=large, **whole),
        page(MOVES, error_code=large, open_key_count=2, **whole),
        page(MOVES, error_code=ErrorCode.CONNECTION_FAILED, **whole),
    ]
    assert [one.in_windows for each in failed for one in on(MOVES, each)] == [True, False, False]


def test_a_chain_that_goes_round_is_refused() -> None:
    pages = page(GROUPS, then="[1]"), page(GROUPS, 1, "[1]", "[2]"), page(GROUPS, 2, "[2]", "[1]")
    [one] = on(GROUPS, *pages)
    assert one.request.refusal_code == ErrorCode.CURSOR_REPEATED
    assert one.request.refusal == "a cursor was given twice in this walk"
    [one] = on(GROUPS, page(GROUPS, then="[1]", parts=2), page(GROUPS, then="[1]", part_no=1, parts=2))
    assert one.request.refusal is None


def test_empty_pages_are_counted_since_the_last_item() -> None:
    """Over all waves; windows of keys end with their keys, whatever they bring."""
    empty = page(GROUPS, 1, "[1]", "[2]", item_count=0), page(GROUPS, 2, "[2]", "[3]", item_count=0)
    [one] = on(GROUPS, page(GROUPS, then="[1]"), *empty)
    assert one.request.empty_pages == 2
    [one] = on(GROUPS, page(GROUPS, then="[1]"), *empty, page(GROUPS, 3, "[3]", "[4]"))
    assert one.request.empty_pages == 0
    [one] = on(GROUPS, *empty, page(GROUPS, 3, "[3]", "[4]", paging="window", item_count=0))
    assert one.request.empty_pages == 0


LIVING, THIRD = ({"node_id": node, "host": "b", "port": 9092, "is_fenced": False} for node in (2, 3))
FENCED = {"node_id": 1, "host": "a", "port": 9092, "is_fenced": True}
KNOWN = (Node(1, Endpoint(1, "a", 9092), "alive"),)


def lists(*replica_ids: int, **columns: object) -> Header:
    """A page that names these brokers in replica lists."""
    return header("DescribeTopicPartitions", "topics", replica_ids=[*replica_ids], **columns)


def described(*brokers: dict[str, object]) -> Header:
    return header("DescribeCluster", "cluster", brokers=[*brokers])


def test_brokers_are_those_that_are_described_and_those_of_replica_lists() -> None:
    headers = [described(LIVING, FENCED), header("Metadata", "names"), lists(2, 7, chain_id="one")]
    owing = found([*headers, lists(1, 3, 2, chain_id="two")], KNOWN)
    assert owing[:2] == (Node(1, None, "fenced"), Node(2, Endpoint(2, "b", 9092), "alive"))
    assert owing[2:] == tuple(Node(node, None, "in a replica list") for node in (3, 7))


def test_only_pages_that_count_name_brokers() -> None:
    headers = [lists(7, next_cursor="{}"), lists(3, try_no=1)]
    assert found(headers, ()) == (Node(3, None, "in a replica list"),)


@pytest.mark.parametrize(
    ("read", "owe"),
    [
        # It coordinates nothing: a broker that was stopped and never unregistered. One that is alive is asked.
        ([lists(2)], [2, 3]),
        # Not all replica lists were read.
        ([], [1, 2, 3]),
        ([lists(2, next_cursor="{}")], [1, 2, 3]),
        ([lists(error_code=-101)], [1, 2, 3]),
        ([lists(2, chain_id="one"), lists(chain_id="two", error_code=-101)], [1, 2, 3]),
    ],
)
def test_a_fenced_broker_owes_answers_unless_no_replica_list_names_it(read: list[Header], owe: list[int]) -> None:
    assert [node.node_id for node in found([described(LIVING, FENCED, THIRD), *read], ())] == owe


def test_without_an_answer_who_is_there_the_brokers_of_bootstrap_owe() -> None:
    """Such as after another cluster took over the addresses: a census without nodes would owe nothing."""
    assert found([header("DescribeCluster", "cluster", error_code=-108)], KNOWN) == KNOWN
    assert found([lists(1, 4)], KNOWN) == (*KNOWN, Node(4, None, "in a replica list"))
