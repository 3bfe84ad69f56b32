"""What a cluster is made of: computed at any size the same as one by one."""

from typing import Any

from emulator.asking import cluster
from kafka_emulator.declared import TopicSection
from kafka_emulator.world import KEPT_FOR_EACH, World

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
    sections["brokers"] = {"count": 4, "log_dirs": 2} | sections.get("brokers", {})
    return cluster(**{"topics": TOPICS} | sections).world


def test_at_any_size_partitions_are_what_each_says_by_itself() -> None:
    """The columns by which brokers and moves are listed, and the partitions of a page."""
    made = world()
    anew = [TopicSection(name="a", assignment=((4,),)), TopicSection(name="new", partitions=3)]
    for change in (
        lambda: None,
        lambda: made.stop(2),
        lambda: made.move_coordinators("__consumer_offsets", [1, 2], 4),
        lambda: made.delete_topics(["topic-00001", "a"]),
        lambda: made.create_topics(anew),
        lambda: made.start(2),
    ):
        change()
        every = {
            (topic.name, index): made.topics.partition(topic, index) for topic, index in made.topics.every_partition()
        }
        assert list(made.columns.reassigning()) == [at for at, one in every.items() if one.adding or one.removing]
        for broker in made.brokers.ids:
            hosted = made.columns.hosted(broker)
            assert list(hosted) == [at for at, one in every.items() if broker in one.replicas]
            assert [hosted.at(position) for position in hosted] == list(range(len(hosted)))
        for topic in map(made.topics.get, made.topics.names):
            assert topic is not None
            mine = [every[topic.name, index] for index in range(topic.partitions)]
            assert made.topics.partitions(topic, 0, topic.partitions) == mine
            assert made.topics.partitions(topic, 1, topic.partitions) == mine[1:]


def test_a_topic_that_is_made_anew_has_another_id() -> None:
    made = world()
    before = made.topics.get("orders")
    made.delete_topics(["orders"])
    assert made.topics.get("orders") is None
    made.create_topics([TopicSection(name="orders", partitions=2)])
    after = made.topics.get("orders")
    assert before
    assert after
    assert (made.topics.of_id(before.topic_id), made.topics.of_id(after.topic_id)) == (None, after)


def test_an_offline_log_dir_hides_its_replicas() -> None:
    made = world(brokers={"count": 4, "log_dirs": 2, "offline_log_dirs": [[1, 0]]})
    partitions = {(topic.name, at): made.topics.partition(topic, at) for topic, at in made.topics.every_partition()}
    offline = {at for at, one in partitions.items() if 1 in one.offline}
    held = made.replicas_of(1)
    assert {one.log_dir for one in held} == {"/kafka/logs-1"}
    assert offline
    hosted = {at for at, one in partitions.items() if 1 in one.replicas}
    assert offline | {(one.topic, one.partition) for one in held} == hosted


def test_offsets_are_in_the_log() -> None:
    """And in order; declared ones are as declared; those of a deleted topic are gone."""
    declared = {"id": "g", "topics": ["a"], "offsets": [{"topic": "orders", "partition": 3, "offset": 9}]}
    made = world(groups={"count": 9, "topics_per_group": 2, "declared": [declared]})
    for name in made.groups.names:
        group = made.groups.get(name)
        assert group is not None
        offsets = made.offsets(group)
        positions = [(one.topic.name, one.partition) for one in offsets]
        assert positions == sorted(positions)
        assert [offsets.at(position) for position in positions] == list(range(len(positions)))
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
    open_one = {"id": "t", "producer_id": 5, "partitions": [["orders", 1], ["a", 0]]}
    made = world(transactions={"count": 100, "declared": [open_one]})
    expected = {
        (one.producer_id, position)
        for one in map(made.transactions.get, made.transactions.names)
        if one
        for position in one.partitions
    }
    found = {
        (one.producer_id, (topic.name, index))
        for topic, index in made.topics.every_partition()
        for one in made.producers(topic, index)
        if one.current_txn_start_offset >= 0
    }
    assert found == expected
    assert len(found) > 10


def test_what_is_kept_is_what_was_asked_for_last() -> None:
    """However many filters clients think of; a change forgets everything."""
    made = world(brokers={"count": 4})
    asked = [made.groups_of(broker) for broker in made.brokers.ids]
    for filtered in range(1000):
        made.kept(("acls", filtered), lambda: [0] * 1000)
        assert made.groups_of(2) is asked[1]
    assert len(made._kept) == KEPT_FOR_EACH * 4
    assert made.groups_of(3) is not asked[2]
    made.stop(4)
    made.groups_of(2)
    assert len(made._kept) < 4
