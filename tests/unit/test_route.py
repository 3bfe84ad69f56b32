"""Which brokers owe answers, from the headers of landed pages."""

import pytest

from harness.headers import header
from kafka_census.landing.route import Node, found
from kafka_census.pages.header import Header
from kafka_census.protocol.endpoint import Endpoint

ALIVE = {"node_id": 2, "host": "b", "port": 9092, "is_fenced": False}
FENCED = {"node_id": 1, "host": "a", "port": 9092, "is_fenced": True}

KNOWN = (Node(1, Endpoint(1, "a", 9092), "alive"),)


def test_brokers_are_those_that_are_described_and_those_of_replica_lists() -> None:
    headers = [
        header("DescribeCluster", "cluster", brokers=[ALIVE, FENCED]),
        header("Metadata", "names"),
        header("DescribeTopicPartitions", "topics", chain_id="one", replica_ids=[2, 7]),
        header("DescribeTopicPartitions", "topics", chain_id="two", replica_ids=[1, 3, 2]),
    ]
    assert found(headers, KNOWN) == (
        Node(1, None, "fenced"),
        Node(2, Endpoint(2, "b", 9092), "alive"),
        Node(3, None, "in a replica list"),
        Node(7, None, "in a replica list"),
    )


def test_only_pages_that_count_name_brokers() -> None:
    """The highest try does: a replica that an earlier one names may be gone."""
    headers = [
        header("DescribeTopicPartitions", "topics", replica_ids=[7], next_cursor="{}"),
        header("DescribeTopicPartitions", "topics", replica_ids=[3], try_no=1),
    ]
    assert found(headers, ()) == (Node(3, None, "in a replica list"),)


def test_a_fenced_broker_without_replicas_owes_nothing() -> None:
    """It coordinates nothing: a broker that was stopped and never unregistered. One that is alive is asked."""
    alive = ALIVE | {"node_id": 3}
    headers = [
        header("DescribeCluster", "cluster", brokers=[ALIVE, FENCED, alive]),
        header("DescribeTopicPartitions", "topics", replica_ids=[2]),
    ]
    assert [node.node_id for node in found(headers, ())] == [2, 3]


@pytest.mark.parametrize(
    "described",
    [
        [],
        [header("DescribeTopicPartitions", "topics", replica_ids=[2], next_cursor="{}")],
        [header("DescribeTopicPartitions", "topics", error_code=-101)],
        [
            header("DescribeTopicPartitions", "topics", chain_id="one", replica_ids=[2]),
            header("DescribeTopicPartitions", "topics", chain_id="two", error_code=-101),
        ],
    ],
)
def test_a_fenced_broker_owes_answers_where_not_all_replica_lists_were_read(described: list[Header]) -> None:
    """A list that was not read may name the broker."""
    headers = [header("DescribeCluster", "cluster", brokers=[ALIVE, FENCED]), *described]
    assert [node.node_id for node in found(headers, ())] == [1, 2]


def test_without_an_answer_who_is_there_the_brokers_of_bootstrap_owe() -> None:
    """Such as after another cluster took over the addresses: a census without nodes would owe nothing."""
    assert found([header("DescribeCluster", "cluster", error_code=-108)], KNOWN) == KNOWN
    headers = [header("DescribeTopicPartitions", "topics", replica_ids=[1, 4])]
    assert found(headers, KNOWN) == (*KNOWN, Node(4, None, "in a replica list"))
