"""What a cluster is made of: computed at any size the same as one by one."""

from typing import Any

import pytest

from emulator.asking import cluster
from kafka_census.emulator.declared import TopicSection
from kafka_census.emulator.world import World

TOPICS = {
    "partitions": 47,
    "partitions_per_topic": 5,
    "reassigning": 4,
    "declared": [
        {"name": "a", "assignment": [[3, 1], [2]]},
        {"name": "orders", "partitions": 4, "replication_factor": 3, "configs": {"min.insync.replicas": "2"}},
        {
            "name": "odd",
            "partitions": 2,
            "states": [{"partition": 1, "leader": -1, "isr": [], "elr": [2], "adding": [4]}],
        },
    ],
}


def world(**sections: Any) -> World:
    """A cluster of four brokers."""
    sections["brokers"] = {"count": 4, "log_dirs": 2} | sections.get("brokers", {})
    return cluster(**{"topics": TOPICS} | sections).world


def hosted_one_by_one(made: World, broker: int) -> list[tuple[str, int]]:
    """What a broker hosts, asked partition by partition."""
    every = [(topic.name, index, made.topics.partition(topic, index)) for topic, index in made.topics.places()]
    return [(name, index) for name, index, state in every if broker in state.replicas]


def moving_one_by_one(made: World) -> list[tuple[str, int]]:
    """What moves, asked partition by partition."""
    every = [(topic.name, index, made.topics.partition(topic, index)) for topic, index in made.topics.places()]
    return [(name, index) for name, index, state in every if state.adding or state.removing]


def test_columns_are_what_each_partition_says() -> None:
    """Also after brokers stop, leaders move, and topics come and go."""
    made = world()
    for change in (
        lambda: None,
        lambda: made.stop(2),
        lambda: made.move_coordinators("__consumer_offsets", [1, 2], 4),
        lambda: made.delete_topics(["topic-00001", "a"]),
        lambda: made.create_topics(
            [TopicSection(name="a", assignment=((4,),)), TopicSection(name="new", partitions=3)]
        ),
        lambda: made.start(2),
    ):
        change()
        assert list(made.columns.reassigning()) == moving_one_by_one(made)
        for broker in made.brokers.ids:
            hosted = made.columns.hosted(broker)
            assert list(hosted) == hosted_one_by_one(made, broker)
            assert [hosted.at(place) for place in hosted] == list(range(len(hosted)))


def test_the_partitions_of_a_page_are_those_one_by_one() -> None:
    """Whatever of a topic is kept, moves, or is as it is by itself."""
    made = world()
    for change in (lambda: None, lambda: made.stop(2), lambda: made.move_coordinators("__consumer_offsets", None, 4)):
        change()
        for name in made.topics.names:
            topic = made.topics.get(name)
            assert topic is not None
            every = [made.topics.partition(topic, index) for index in range(topic.partitions)]
            assert made.topics.partitions(topic, 0, topic.partitions) == every
            assert made.topics.partitions(topic, 1, topic.partitions) == every[1:]


def test_the_topics_are_those_declared_and_generated() -> None:
    """The last generated one has what is left; internal ones are there where something is in them."""
    made = world()
    counts = {topic.name: topic.partitions for topic in map(made.topics.get, made.topics.names) if topic}
    assert counts == {
        **{f"topic-{number:05d}": 5 for number in range(9)},
        "topic-00009": 2,
        "a": 2,
        "orders": 4,
        "odd": 2,
        "__consumer_offsets": 50,
        "__transaction_state": 50,
    }
    assert int(made.topics.sizes(made.topics.names).sum()) == sum(counts.values())
    assert world(groups={"count": 0}).topics.get("__consumer_offsets") is None


def test_a_declared_state_is_as_declared_until_something_happens() -> None:
    """And then goes on from there."""
    made = world()
    odd = made.topics.get("odd")
    assert odd is not None
    state = made.topics.partition(odd, 1)
    assert (state.leader, state.isr, state.elr, state.adding) == (-1, (), (2,), (4,))
    assert state.replicas[-1] == 4
    made.stop(2)
    made.start(2)
    assert made.topics.partition(odd, 1).leader == 2


def test_a_topic_that_is_made_anew_has_another_id() -> None:
    """Found by the new one only."""
    made = world()
    before = made.topics.get("orders")
    made.delete_topics(["orders"])
    assert made.topics.get("orders") is None
    made.create_topics([TopicSection(name="orders", partitions=2)])
    after = made.topics.get("orders")
    assert before is not None
    assert after is not None
    assert before.topic_id != after.topic_id
    assert made.topics.of_id(before.topic_id) is None
    assert made.topics.of_id(after.topic_id) == after


def test_stopped_brokers_lead_nothing() -> None:
    """From the beginning, or later."""
    for made in (world(brokers={"count": 4, "stopped": [3]}), world()):
        made.stop(3)
        leaders = {made.topics.partition(topic, index).leader for topic, index in made.topics.places()}
        assert 3 not in leaders
        assert made.brokers.reachable(3, "PLAINTEXT") is None


def test_an_offline_log_dir_hides_its_replicas() -> None:
    """They are offline where they are listed, and not in what the broker has."""
    made = world(brokers={"count": 4, "log_dirs": 2, "offline_log_dirs": [[1, 0]]})
    offline = {
        (topic.name, index) for topic, index in made.topics.places() if 1 in made.topics.partition(topic, index).offline
    }
    held = made.replicas_of(1)
    assert {one.log_dir for one in held} == {"/kafka/logs-1"}
    assert offline
    assert offline | {(one.topic, one.partition) for one in held} == set(hosted_one_by_one(made, 1))


def test_replicas_that_move_between_dirs_are_two_rows() -> None:
    """In the order of topic, partition, dir; every place is found again."""
    topic = {"name": "m", "partitions": 6, "replication_factor": 4}
    futures = [{"partition": index, "broker": 1, "log_dir": index % 2} for index in (0, 1, 3, 5)]
    made = world(topics={"partitions": 10, "declared": [topic | {"futures": futures}]})
    held = made.replicas_of(1)
    places = [held.cursor(position) for position in range(len(held))]
    assert places == sorted(places)
    assert [held.at(place) for place in places] == [places.index(place) for place in places]
    rows = [(one.partition, one.is_future) for one in held if one.topic == "m"]
    assert sorted(rows) == sorted([(index, False) for index in range(6)] + [(index, True) for index in (0, 1, 3, 5)])
    assert len(made.replicas_of(2)) == len(hosted_one_by_one(made, 2))


def test_members_share_the_partitions_of_their_group() -> None:
    """Each partition has one member; all places are found again."""
    made = world(groups={"count": 0, "declared": [{"id": "g", "type": "consumer", "members": 3, "topics": ["orders"]}]})
    group = made.groups.get("g")
    assert group is not None
    members = made.members(group)
    assigned = [index for member in members for _, indexes in member.assignment for index in indexes]
    assert sorted(assigned) == [0, 1, 2, 3]
    assert [members.at(members.cursor(position)) for position in range(3)] == [0, 1, 2]
    assert [member.member_id for member in members] == sorted(member.member_id for member in members)


def test_offsets_are_in_the_log() -> None:
    """And in order; declared ones are as declared; those of a deleted topic are gone."""
    declared = {"id": "g", "topics": ["a"], "offsets": [{"topic": "orders", "partition": 3, "offset": 9}]}
    made = world(groups={"count": 9, "topics_per_group": 2, "declared": [declared]})
    for name in made.groups.names:
        group = made.groups.get(name)
        assert group is not None
        offsets = made.offsets(group)
        places = [(one.topic.name, one.partition) for one in offsets]
        assert places == sorted(places)
        assert [offsets.at(place) for place in places] == list(range(len(places)))
        for one in offsets:
            log = made.log(one.topic, one.partition)
            assert name == "g" or log.start <= one.offset <= log.end
            assert offsets.of(one.topic.name, one.partition) == one
    group = made.groups.get("g")
    assert group is not None
    assert [(one.topic.name, one.partition, one.offset) for one in made.offsets(group)] == [("orders", 3, 9)]
    made.delete_topics(["orders"])
    assert len(made.offsets(group)) == 0


def test_transactions_and_producers_agree() -> None:
    """An open transaction is a producer with an open transaction on each of its partitions, and nobody else is."""
    open_one = {"id": "t", "producer_id": 5, "partitions": [["orders", 1], ["a", 0]]}
    made = world(transactions={"count": 100, "declared": [open_one]})
    expected = {
        (one.producer_id, place)
        for one in map(made.transactions.get, made.transactions.names)
        if one
        for place in one.partitions
    }
    found = {
        (one.producer_id, (topic.name, index))
        for topic, index in made.topics.places()
        for one in made.producers(topic, index)
        if one.current_txn_start_offset >= 0
    }
    assert found == expected
    assert len(found) > 10


def test_transactions_are_ordered_by_producer_id_descending() -> None:
    """Ids of one producer by name; each is coordinated by one broker; every place is found again."""
    pair = [{"id": name, "producer_id": 1_000_003} for name in ("zz", "aa")]
    made = world(transactions={"count": 30, "declared": pair})
    listed = []
    for broker in made.brokers.ids:
        ordered = made.transactions_of(broker)
        places = [ordered.cursor(position) for position in range(len(ordered))]
        assert places == sorted(places, key=lambda place: (-place[1], place[0]))
        assert [ordered.at(place) for place in places] == list(range(len(places)))
        assert {made.transaction_coordinator(name) for name, _ in places} <= {broker}
        listed += places
    assert len(listed) == 32


def test_producers_are_found_by_id() -> None:
    """Among a million and a quarter."""
    made = world(topics={"partitions": 10, "declared": [{"name": "hot", "producers": 1_250_000}]})
    topic = made.topics.get("hot")
    assert topic is not None
    producers = made.producers(topic, 0)
    assert len(producers) == 1_250_000
    assert producers[0].producer_id > producers[1].producer_id > producers[1_249_999].producer_id
    for position in (0, 1, 700_000, 1_249_999):
        assert producers.at(producers.cursor(position)) == position
    assert producers.at((2**63 - 1,)) == 0
    assert producers.at((0,)) == len(producers)


def test_configs_come_with_their_sources() -> None:
    """Topic over dynamic over static over default; what was set is a synonym."""
    brokers = {
        "configs": {"min.insync.replicas": "1"},
        "configs_of": {2: {"log.retention.ms": "5"}},
        "dynamic_configs": {"min.insync.replicas": "3"},
    }
    made = world(brokers=brokers)
    orders = made.topics.get("orders")
    assert orders is not None
    minimum = {one.name: one for one in made.configs.of_topic(orders.configs, 1, paginates=True)}["min.insync.replicas"]
    assert (minimum.value, minimum.source, [one[2] for one in minimum.synonyms]) == ("2", 1, [1, 3, 4, 5])
    retention = [
        {one.name: one for one in made.configs.of_topic({}, broker, paginates=True)}["retention.ms"]
        for broker in (1, 2)
    ]
    assert [(one.value, one.source) for one in retention] == [("604800000", 5), ("5", 4)]
    assert made.topics.default_min_isr == 3


@pytest.mark.parametrize(
    ("configs", "limit", "partition_limit"),
    [
        ({}, 2000, 2000),
        ({"max.request.pagination.size.limit": "50"}, 50, 50),
        ({"max.request.partition.size.limit": "60"}, 2000, 60),
    ],
)
def test_the_partition_limit_falls_back_to_the_other(configs: dict[str, str], limit: int, partition_limit: int) -> None:
    """On a broker that has the other one."""
    made = world(brokers={"configs": configs}).configs
    assert (made.limit(1), made.partition_limit(1, paginates=True)) == (limit, partition_limit)
    names = {one.name for one in made.of_broker(1, paginates=False)}
    assert "max.request.pagination.size.limit" not in names
    assert "max.request.partition.size.limit" in names


def test_acls_are_in_the_order_of_name_type_and_pattern() -> None:
    """Declared ones among generated ones; every place is found again."""
    acls = [
        {"resource_type": "GROUP", "resource_name": "acl-topic-0000001"},
        {"resource_type": "TOPIC", "resource_name": "b", "pattern_type": "PREFIXED"},
        {"resource_type": "TOPIC", "resource_name": "b"},
        {"resource_type": "TOPIC", "resource_name": "b", "operation": "READ"},
    ]
    made = world(security={"generated_acls": 3, "acls": acls}).acls
    places = [made.cursor(position) for position in range(len(made))]
    assert places == [
        ("acl-topic-0000000", 2, 3),
        ("acl-topic-0000001", 2, 3),
        ("acl-topic-0000001", 3, 3),
        ("acl-topic-0000002", 2, 3),
        ("b", 2, 3),
        ("b", 2, 4),
    ]
    assert [made.at(place) for place in places] == list(range(6))
    assert [len(one.entries) for one in made] == [1, 1, 1, 1, 2, 1]
