"""What brokers answer where a real cluster can hardly be brought to it: codes by RPC, and what versions have.

What a census asks of a calm cluster is held against real brokers (tests/conformance), denials by test_denied.py.
"""

from itertools import groupby
from typing import Any

from kafka.protocol.admin import (
    DescribeClusterRequest,
    DescribeQuorumRequest,
    DescribeTopicPartitionsRequest,
)
from kafka.protocol.metadata import FindCoordinatorRequest

from emulator.asking import ask, cluster, serving, walk
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_emulator.config_keys import PAGINATION_LIMIT
from kafka_emulator.server import Server
from kafka_emulator.topics import GROUPS_TOPIC
from kafka_messages import DeleteGroupsRequest
from kafka_messages.kip_1062 import (
    DescribeGroupsRequest,
    DescribeProducersRequest,
    ListGroupsRequest,
    ListOffsetsRequest,
    paged,
)

EMPTY = {"id": "empty", "topics": ["open"]}


def grouped(*declared: dict[str, Any], **sections: Any) -> Server:
    """Some groups of each type, and declared ones."""
    groups = {"count": 60, "topics_per_group": 2, "members_at_most": 5, "declared": list(declared)}
    topics = {"partitions": 60, "declared": [{"name": "open", "partitions": 4}]}
    return cluster(**{"groups": groups, "topics": topics, **sections})


def at(server: Server, group_id: str) -> int:
    return server.world.group_coordinator(group_id)


def deleted(server: Server, *ids: str, broker: int, version: int = 2) -> list[tuple[str, int]]:
    response = ask(server, DeleteGroupsRequest(groups_names=list(ids)), version, broker)
    return [(one.group_id, one.error_code) for one in response.results]


def test_a_group_is_deleted_where_it_may_be() -> None:
    """68 with members, 69 of a Dead one, 16 elsewhere, 30 without DELETE; 15 while its offsets topic is under its ISR.

    Which partition of the offsets topic comes first is up to Java's HashMap; denied groups come last.
    """
    kinds = ("classic", "consumer", "share", "streams")
    codes = {"Stable": 68, "Empty": 0, "Dead": 69}
    every = [{"id": f"{kind}-{state}", "type": kind, "state": state} for kind in kinds for state in codes]
    brokers = {"count": 3, "configs": {"min.insync.replicas": "2"}}
    acls = [{"resource_type": "GROUP", "resource_name": "*", "operation": "ALL"}]
    acls += [{"resource_type": "GROUP", "resource_name": "secret", "operation": "DELETE", "permission": "DENY"}]
    server = grouped(EMPTY, {"id": "secret"}, *every, brokers=brokers, security={"super_users": [], "acls": acls})
    for number, one in enumerate(every):
        found = deleted(server, *[one["id"]] * 2, broker=at(server, one["id"]), version=number % 4)
        assert found == [(one["id"], codes[one["state"]])]
    assert deleted(server, "empty", broker=at(server, "empty") % 3 + 1) == [("empty", 16)]
    assert deleted(server, "secret", broker=at(server, "secret")) == [("secret", 30)]
    for broker in (2, 3):
        server.world.stop(broker)
    assert dict(deleted(server, "empty", "classic-Stable", broker=1)) == {"empty": 15, "classic-Stable": 68}
    server.world.start(2)
    ids = [one for one in server.world.groups_of(1) if one != "secret"]
    *others, last = (one for one, _ in deleted(server, "secret", *ids, broker=1))
    assert (sorted(others), last) == (ids, "secret")
    partitions = [partition for partition, _ in groupby(others, server.world.groups.partition_of)]
    assert len(partitions) == len(set(partitions))


def test_a_group_that_is_gone_is_reported_where_a_page_would_go_on() -> None:
    """Or else the rest of it would be lost in silence."""
    server = grouped({"id": "huge", "members": 25, "state": "Empty"})
    server.world.delete_groups(["huge"])
    cursor = DescribeGroupsRequest.Cursor(group_id="huge", member_id="huge-member-0000007")
    request = DescribeGroupsRequest(groups=["huge"], response_pagination_limit=5, cursor=cursor)
    page = ask(server, request, 7, at(server, "huge"))
    assert ([(one.group_id, one.error_code) for one in page.groups], page.next_cursor) == ([("huge", 69)], None)


def test_members_of_a_group_that_rebalances_have_no_bytes() -> None:
    """Nor does it tell its protocol; other protocols than the consumers' have bytes of their own."""
    others = {"moving": {"state": "PreparingRebalance"}, "connect": {"protocol_type": "connect"}}
    server = grouped(*({"id": name, "members": 5, "topics": ["open"], **of} for name, of in others.items()))
    moving, connect = (
        ask(server, DescribeGroupsRequest(groups=[name]), 6, at(server, name)).groups[0] for name in others
    )
    assert (moving.group_state, moving.protocol_data, len(moving.members)) == ("PreparingRebalance", "", 5)
    assert {(one.member_metadata, one.member_assignment) for one in moving.members} == {(b"", b"")}
    assert connect.protocol_type == "connect"
    assert all(one.member_metadata and one.member_assignment for one in connect.members)


def test_fenced_brokers_are_told_on_request_from_v2_on() -> None:
    """A stopped broker is not registered, and a broker answers for brokers only."""
    server = cluster(brokers={"count": 4, "stopped": [2], "fenced": [3]})
    for broker in server.world.brokers.ids:
        server.world.brokers.listens(broker, "PLAINTEXT", 9000 + broker)
    for version, fenced, told in ((0, True, [1, 4]), (1, True, [1, 4]), (2, True, [1, 3, 4]), (2, False, [1, 4])):
        request = DescribeClusterRequest(endpoint_type=1, include_fenced_brokers=fenced)
        response = ask(server, request, version)
        assert ([one.broker_id for one in response.brokers], response.controller_id) == (told, 1)
    for kind, code in ((2, 114), (7, 115)):
        assert ask(server, DescribeClusterRequest(endpoint_type=kind), 1).error_code == code


def test_a_coordinator_that_cannot_be_is_code_15() -> None:
    """Without brokers for the replicas of its topic, or without a leader; a denied key creates nothing."""
    request = FindCoordinatorRequest(key_type=0, coordinator_keys=["g"])
    too_few = cluster(groups={"count": 0}, brokers={"count": 3, "stopped": [3]})
    led_by_none = cluster(brokers={"count": 1})
    led_by_none.world.stop(1)
    denied = cluster(groups={"count": 0}, security={"super_users": []})
    for server, code in ((too_few, 15), (too_few, 15), (led_by_none, 15), (denied, 30)):
        (one,) = ask(server, request, 6).coordinators
        assert (one.error_code, one.node_id, one.port) == (code, -1, -1)
    assert denied.world.topics.get(GROUPS_TOPIC) is None


def test_the_next_voter_leads_when_the_leader_stops() -> None:
    """It knows nothing of the one before it, and tells observers for minutes more; without voters it is 7."""
    topic = DescribeQuorumRequest.TopicData
    log = topic(topic_name="__cluster_metadata", partitions=[topic.PartitionData(partition_index=0)])
    request = DescribeQuorumRequest(topics=[log])
    server = cluster(brokers={"count": 5, "fenced": [4]})
    before = ask(server, request, 2).topics[0].partitions[0]
    server.world.stop(1)
    server.world.stop(5)
    after = ask(server, request, 2, 2).topics[0].partitions[0]
    assert (before.leader_id, after.leader_id) == (1, 2)
    assert after.leader_epoch > before.leader_epoch
    assert after.high_watermark > before.high_watermark
    first = after.current_voters[0]
    assert (first.replica_id, first.log_end_offset, first.last_fetch_timestamp) == (1, -1, -1)
    assert [one.replica_id for one in after.observers] == [4, 5]
    response = ask(cluster(brokers={"count": 4, "stopped": [1, 2, 3]}), request, 2, 4)
    assert (response.error_code, response.topics) == (7, [])


def test_the_brokers_own_limit_holds() -> None:
    """Whatever a request has; a limit below 1 is 1. Pages of any kind are no larger: property/test_pager.py."""
    server = cluster(groups={"count": 60}, brokers={"count": 1, "configs": {PAGINATION_LIMIT: "7"}})
    asked = [ListGroupsRequest(**paged(ListGroupsRequest, limit, None)) for limit in (0, -5, 3, 2000)]
    assert [len(ask(server, one, 6).groups) for one in asked] == [1, 1, 3, 7]


def test_a_hanging_transaction_is_open_where_it_was_written_and_ended_for_its_coordinator() -> None:
    """Its producer holds the last stable offset back; that of a transaction that ended as it should holds nothing."""
    declared = [
        {"id": "forgotten", "producer_id": 900, "state": "CompleteCommit", "hanging": [["hot", 0]]},
        {"id": "ended", "producer_id": 901, "state": "CompleteCommit", "partitions": [["idle", 0]]},
    ]
    topics = {"partitions": 12, "declared": [{"name": "hot", "producers": 9}, {"name": "idle", "producers": 0}]}
    server = cluster(brokers={"count": 1}, topics=topics, transactions={"count": 0, "declared": declared})
    asked = [DescribeProducersRequest.TopicRequest(name=name, partition_indexes=[0]) for name in ("hot", "idle")]
    told = ask(server, DescribeProducersRequest(topics=asked), 0).topics
    starts = {one.producer_id: one.current_txn_start_offset for of in told for one in of.partitions[0].active_producers}
    by_name = {topic.name: server.world.log(topic, index) for topic, index in server.world.topics.every_partition()}
    hot, idle = by_name["hot"], by_name["idle"]
    assert starts[900] == hot.last_stable < hot.high_watermark
    assert (starts[901], idle.last_stable) == (-1, idle.high_watermark)
    states = [server.world.transactions.get(name) for name in ("forgotten", "ended")]
    assert {one and one.state for one in states} == {"CompleteCommit"}


TOPIC = ListOffsetsRequest.ListOffsetsTopic


def offset(server: Server, name: str, index: int, version: int, broker: int = 1, **part: int) -> tuple[int, int, int]:
    """Code, offset and timestamp."""
    one = TOPIC.ListOffsetsPartition(partition_index=index, **{"timestamp": -1} | part)
    topics = [TOPIC(name=name, partitions=[one])]
    request = ListOffsetsRequest(replica_id=-1, isolation_level=0, topics=topics, timeout_ms=1000)
    found = ask(server, request, version, broker).topics[0].partitions[0]
    return found.error_code, found.offset, found.timestamp


def test_special_timestamps_are_known_since_a_version() -> None:
    """Below that they are 35 on the partition; nothing is tiered. Records without a time are found by no time."""
    here = {"assignment": [[1]], "log_start": 1, "log_end": 5}
    timeless = {"assignment": [[1]], "log_end": 3, "timeless": True}
    server = cluster(topics={"declared": [{"name": "t", **here}, {"name": "u", **timeless}]})
    topic = server.world.topics.get("t")
    assert topic is not None
    newest = server.world.log(topic, 0).max_timestamp
    nothing = (0, -1, -1)
    since = {-3: (7, (0, 4, newest)), -4: (8, (0, 1, -1)), -5: (9, nothing), -6: (11, nothing), -7: (99, nothing)}
    for timestamp, (first, expected) in since.items():
        for version in range(1, 13):
            told = offset(server, "t", 0, version, timestamp=timestamp)
            assert told == (expected if version >= first else (35, -1, -1))
    assert offset(server, "t", 0, 5, timestamp=newest) == (0, 4, newest)
    assert offset(server, "t", 0, 5, timestamp=newest + 1) == nothing
    assert (offset(server, "u", 0, 7, timestamp=-3), offset(server, "u", 0, 7, timestamp=0)) == ((0, 0, -1), nothing)


def test_codes_of_offsets() -> None:
    """3 unknown, 6 of a follower, 56 an offline dir; 74 and 75 of another epoch."""
    server = cluster(
        brokers={"count": 2, "log_dirs": 2, "offline_log_dirs": [(1, 0)]},
        topics={"partitions": 0, "declared": [{"name": "t", "partitions": 8}]},
    )
    topics = server.world.topics
    topic = topics.get("t")
    assert topic is not None
    offline = {index for index in range(8) if topics.log_dir(topic, index, 1) == 0}
    led = {index for index in range(8) if topics.partition(topic, index).leader == 1}
    assert offline
    assert led
    reported = {index: offset(server, "t", index, 11)[0] for index in range(9)}
    assert reported == {index: 56 if index in offline else 0 if index in led else 6 for index in range(8)} | {8: 3}
    first = min(led)
    epoch = topics.partition(topic, first).leader_epoch
    codes = [offset(server, "t", first, 11, current_leader_epoch=epoch + more)[0] for more in (0, 1)]
    server.world.move_coordinators("t", [first], 1)
    assert (*codes, offset(server, "t", first, 11, current_leader_epoch=epoch)[0]) == (0, 75, 74)


def test_denied_topics_come_behind_every_page_and_break_no_walk() -> None:
    """Kafka tells denied topics behind all others unless they are before the cursor; our client has each once."""
    acls = [{"resource_type": "TOPIC", "resource_name": "*", "operation": "ALL"}]
    acls += [{**acls[0], "resource_name": name, "permission": "DENY"} for name in ("a", "secret")]
    topics = {"partitions": 0, "declared": [{"name": "cut", "partitions": 5}, {"name": "secret"}]}
    asked = DescribeTopicPartitionsRequest
    with serving(cluster(topics=topics, security={"super_users": [], "acls": acls})) as server:
        for cursor, told in ((None, ["cut", "a", "secret"]), (asked.Cursor("cut", 2), ["cut", "secret"])):
            names = [asked.TopicRequest(name=name) for name in ("a", "cut", "secret")]
            response = ask(server, asked(topics=names, response_partition_limit=2, cursor=cursor), 0)
            assert [one.name for one in response.topics] == told
        collect = CollectSettings(page_limit=2)
        pages = walk(server, "DescribeTopicPartitions", "topics", keys=("cut", "secret"), collect=collect)
    assert [[(row[0], row[3], row[4]) for row in page.rows] for page in pages] == [
        [("secret", 29, None), ("cut", 0, 0), ("cut", 0, 1)],
        [("cut", 0, 2), ("cut", 0, 3)],
        [("cut", 0, 4)],
    ]
