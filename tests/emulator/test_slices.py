"""Logs that are drawn at once, transactions that hold them back, and how little a page of them costs."""

from emulator.asking import ask, cluster
from kafka_emulator.logs import OPEN_RECORDS
from kafka_emulator.transactions import OPEN
from kafka_messages.kip_1062 import DescribeProducersRequest

TOPICS = {
    "partitions": 40,
    "partitions_per_topic": 4,
    "producers_per_partition": 5,
    "declared": [
        {"name": "dated", "partitions": 2, "log_start": 7, "log_end": 1007},
        {"name": "drawn", "partitions": 3},
    ],
}
OPENED = {"id": "mine", "producer_id": 77, "state": "Ongoing", "partitions": [["drawn", 1]]}


def test_logs_at_once_are_those_one_by_one() -> None:
    world = cluster(topics=TOPICS, transactions={"count": 60, "declared": [OPENED]}).world
    pairs = list(world.topics.every_partition())
    logs = world.logs(pairs)
    assert logs == [world.log(*pair) for pair in pairs]
    assert world.logs([]) == []
    by_pair = {(topic.name, index): log for (topic, index), log in zip(pairs, logs, strict=True)}
    assert by_pair["dated", 1][:4] == (7, 1007, 1007, 1007)
    assert by_pair["dated", 1].size == 100_000
    writing = {
        pair
        for one in map(world.transactions.get, world.transactions.names)
        if one and one.state in OPEN
        for pair in one.partitions
    }
    assert ("drawn", 1) in writing
    assert len(writing) > 10
    for pair, log in by_pair.items():
        held = min(OPEN_RECORDS, log.end - log.start) if pair in writing else 0
        assert log.last_stable == log.end - held


def test_every_partition_is_assigned_to_one_member() -> None:
    group = {"id": "wide", "members": 7, "topics": ["drawn", "dated"]}
    world = cluster(topics=TOPICS, groups={"count": 0, "declared": [group]}).world
    wide = world.groups.get("wide")
    assert wide is not None
    assigned = [[(name, index) for name, of in one.assignment for index in of] for one in world.members(wide)]
    every = [(name, index) for name, count in (("dated", 2), ("drawn", 3)) for index in range(count)]
    assert sorted(pair for one in assigned for pair in one) == every
    assert [len(one) for one in assigned] == [1, 1, 1, 1, 1, 0, 0]


def test_a_page_of_a_hot_partition_makes_only_its_own_transactions() -> None:
    """Of 200,000 ids on two partitions: two of five are open."""
    server = cluster(topics={"partitions": 2, "producers_per_partition": 0}, transactions={"count": 200_000})
    world, made = server.world, []
    by_ordinal = world.transactions.by_ordinal
    world.transactions.by_ordinal = lambda ordinal: made.append(ordinal) or by_ordinal(ordinal)  # type: ignore[method-assign,func-returns-value]
    topic = DescribeProducersRequest.TopicRequest(name="topic-00000", partition_indexes=[0, 1])
    request = DescribeProducersRequest(version=1, topics=[topic], response_pagination_limit=3, cursor=None)
    leader = world.topics.partition(next(world.topics.every_partition())[0], 0).leader
    response = ask(server, request, 1, leader)
    assert [len(one.active_producers) for one in response.topics[0].partitions] == [3]
    assert len(made) == 3
    known = world.transactions.known_in("topic-00000", 0, 1)
    assert len(known) == 40_000
    assert {ordinal % 2 for ordinal in known.ordinals.tolist()} == {1}
