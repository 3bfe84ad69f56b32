"""DescribeQuorum: who leads when voters stop, and what is no quorum."""

from typing import Any

import pytest
from kafka.protocol.admin import DescribeQuorumRequest

from emulator.asking import ask, cluster

LOG = ("__cluster_metadata", (0,))
BROKERS: dict[str, Any] = {"count": 5, "fenced": [4]}


def request(*topics: tuple[str, tuple[int, ...]]) -> Any:
    topic = DescribeQuorumRequest.TopicData
    asked = [
        topic(topic_name=name, partitions=[topic.PartitionData(partition_index=one) for one in partitions])
        for name, partitions in topics
    ]
    return DescribeQuorumRequest(topics=asked)


def only(response: Any) -> Any:
    assert response.error_code == 0
    ((topic,),) = ([*response.topics],)
    (partition,) = topic.partitions
    return partition


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
    server = cluster(brokers={"count": 4, "stopped": [1, 2, 3]})
    response = ask(server, request(LOG), 2, 4)
    assert (response.error_code, response.topics) == (7, [])


def test_less_than_three_brokers_have_one_voter() -> None:
    one = only(ask(cluster(brokers={"count": 2}), request(LOG), 2))
    assert ([each.replica_id for each in one.current_voters], [each.replica_id for each in one.observers]) == ([1], [2])


@pytest.mark.parametrize("asked", [(("other", (0,)),), (LOG, ("other", (0,))), ((LOG[0], (0, 1)),), ((LOG[0], (1,)),)])
def test_any_other_partition_is_3(asked: tuple[Any, ...]) -> None:
    for version in (0, 1, 2):
        response = ask(cluster(), request(*asked), version)
        assert response.error_code == 0
        reported = [
            (topic.topic_name, tuple(one.partition_index for one in topic.partitions)) for topic in response.topics
        ]
        assert reported == list(asked)
        assert {one.error_code for topic in response.topics for one in topic.partitions} == {3}
