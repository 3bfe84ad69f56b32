"""Where names belong: Java's hash, the partition, its leader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.asking import cluster
from kafka_census.emulator.arithmetic import java_hash, mix, mixed, partition_for, partitions_for
from kafka_census.emulator.names import Run


@pytest.mark.parametrize(
    ("name", "hashed"),
    [("", 0), ("a", 97), ("polygenelubricants", -(2**31)), ("\U0001f600", 1772899), ("hello", 99162322)],
)
def test_java_hash(name: str, hashed: int) -> None:
    """Over UTF-16 units, wrapped to 32 bits."""
    assert java_hash(name) == hashed


def test_the_smallest_hash_is_on_partition_0() -> None:
    """Utils.abs of it is 0: neither 2^31 nor a bit mask."""
    assert [partition_for("polygenelubricants", count) for count in (1, 3, 50)] == [0, 0, 0]


@given(st.sampled_from(["", "group-", "é\U0001f600-"]), st.integers(1, 200), st.integers(3, 9), st.integers(1, 60))
def test_a_million_names_hash_like_each_of_them(prefix: str, count: int, width: int, partitions: int) -> None:
    """In one go."""
    run = Run(prefix, count, width)
    expected = [partition_for(run.name(number), partitions) for number in range(count)]
    assert partitions_for(prefix, width, count, partitions).tolist() == expected


@given(st.integers(0, 2**32), st.integers(0, 2**31))
def test_mixing_arrays_is_mixing_numbers(seed: int, number: int) -> None:
    """The same numbers in every process."""
    import numpy as np

    assert mixed(seed, np.array([number])).tolist() == [mix(seed, number)]


def test_a_group_is_listed_where_its_partition_is_led() -> None:
    """Every group by one broker, which is its coordinator."""
    world = cluster(groups={"count": 200, "declared": [{"id": "polygenelubricants"}, {"id": "é"}]}).world
    listed = {name: broker for broker in world.brokers.ids for name in world.groups_of(broker)}
    assert sorted(listed) == sorted(world.groups.names)
    assert {world.group_coordinator(name) == broker for name, broker in listed.items()} == {True}
    offsets = world.topics.get("__consumer_offsets")
    assert offsets is not None
    assert listed["polygenelubricants"] == world.topics.partition(offsets, 0).leader


def test_an_offsets_topic_that_grew_is_hashed_by_its_old_count() -> None:
    """So that a formula over the topic's count disagrees with the brokers."""
    world = cluster(groups={"count": 100, "offsets_partitions": 60, "hash_partitions": 50}).world
    offsets = world.topics.get("__consumer_offsets")
    assert offsets is not None
    assert offsets.partitions == 60
    assert world.groups.partition_of("group-0000001") == partition_for("group-0000001", 50)
    assert sum(len(world.groups_of(broker)) for broker in world.brokers.ids) == 100
