"""DescribeQuorum: voters, observers and the leader."""

from typing import Any

import pytest
from kafka.protocol.admin import DescribeQuorumRequest

from emulator.asking import ask, cluster, serving, walk

LOG = ("__cluster_metadata", (0,))
BROKERS: dict[str, Any] = {"count": 5, "fenced": [4]}


def request(*topics: tuple[str, tuple[int, ...]]) -> Any:
    """Partitions by topic."""
    topic = DescribeQuorumRequest.TopicData
    asked = [
        topic(topic_name=name, partitions=[topic.PartitionData(partition_index=one) for one in partitions])
        for name, partitions in topics
    ]
    return DescribeQuorumRequest(topics=asked)


def only(response: Any) -> Any:
    """The partition of the metadata log."""
    assert response.error_code == 0
    ((topic,),) = ([*response.topics],)
    (partition,) = topic.partitions
    return partition


@pytest.mark.parametrize("version", [0, 1, 2])
@pytest.mark.parametrize("kafka", ["3.9", "4.3"])
def test_who_votes_and_who_follows(kafka: str, version: int) -> None:
    """The same from every broker; times and directories by version."""
    server = cluster(as_version=kafka, kip_1062=False, brokers=BROKERS)
    for broker in (1, 5):
        response = ask(server, request(LOG), version, broker)
        one = only(response)
        assert (one.partition_index, one.error_code, one.leader_id) == (0, 0, 1)
        assert [[each.replica_id for each in some] for some in (one.current_voters, one.observers)] == [
            [1, 2, 3],
            [4, 5],
        ]
        assert {each.log_end_offset for each in one.current_voters} == {one.high_watermark}
        if version >= 1:
            assert all(each.last_fetch_timestamp > 0 for each in one.current_voters)
        if version >= 2:
            # kafka-python reads the zero id as none.
            assert {each.replica_directory_id is None for each in one.current_voters} == {kafka == "3.9"}
            assert len({each.replica_directory_id for each in one.observers}) == 2
            assert [(node.node_id, node.listeners[0].name) for node in response.nodes] == [
                (each, "CONTROLLER") for each in (1, 2, 3)
            ]


def test_2_8_lacks_it() -> None:
    """It has ZooKeeper."""
    assert ask(cluster(as_version="2.8", kip_1062=False), request(LOG), 0) is None


def test_the_next_voter_leads_when_the_leader_stops() -> None:
    """The epoch and the log go on; it knows nothing of the one before it, and tells observers for minutes more."""
    server = cluster(brokers=BROKERS)
    before = only(ask(server, request(LOG), 2))
    server.world.stop(1)
    server.world.stop(5)
    after = only(ask(server, request(LOG), 2, 2))
    assert after.leader_id == 2
    assert after.leader_epoch > before.leader_epoch
    assert after.high_watermark > before.high_watermark
    first = after.current_voters[0]
    assert (first.replica_id, first.log_end_offset, first.last_fetch_timestamp) == (1, -1, -1)
    assert [one.replica_id for one in after.observers] == [4, 5]


def test_without_a_voter_it_times_out() -> None:
    """As a broker that does not reach the controller."""
    server = cluster(brokers={"count": 4, "stopped": [1, 2, 3]})
    response = ask(server, request(LOG), 2, 4)
    assert (response.error_code, response.topics) == (7, [])


def test_less_than_three_brokers_have_one_voter() -> None:
    """A quorum of two is no better than one."""
    one = only(ask(cluster(brokers={"count": 2}), request(LOG), 2))
    assert ([each.replica_id for each in one.current_voters], [each.replica_id for each in one.observers]) == ([1], [2])


@pytest.mark.parametrize("asked", [(("other", (0,)),), (LOG, ("other", (0,))), ((LOG[0], (0, 1)),), ((LOG[0], (1,)),)])
def test_any_other_partition_is_3(asked: tuple[Any, ...]) -> None:
    """On every partition that was asked for."""
    for version in (0, 1, 2):
        response = ask(cluster(), request(*asked), version)
        assert response.error_code == 0
        reported = [
            (topic.topic_name, tuple(one.partition_index for one in topic.partitions)) for topic in response.topics
        ]
        assert reported == list(asked)
        assert {one.error_code for topic in response.topics for one in topic.partitions} == {3}


def test_without_describe_on_the_cluster_it_is_31() -> None:
    """At the top."""
    for version in (0, 1, 2):
        response = ask(cluster(security={"super_users": []}), request(LOG), version)
        assert (response.error_code, response.topics) == (31, [])


def test_our_client_reads_every_replica() -> None:
    """Whatever the version."""
    for kafka in ("4.3", "3.9"):
        with serving(cluster(kafka, kip_1062=False, brokers=BROKERS)) as server:
            (page,) = walk(server, "DescribeQuorum", "quorum", broker=2)
        assert page.error_code == 0
        assert [(row[6], row[8]) for row in page.rows] == [(1, True), (2, True), (3, True), (4, False), (5, False)]
