"""Where names belong: Java's hash, the partition, its leader."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from emulator.asking import cluster
from kafka_emulator.arithmetic import mix, mixed, partition_for, partitions_for, positions
from kafka_emulator.names import Run


@given(st.sampled_from(["", "group-", "é\U0001f600-"]), st.integers(1, 200), st.integers(3, 9), st.integers(1, 60))
def test_a_million_names_hash_like_each_of_them(prefix: str, count: int, width: int, partitions: int) -> None:
    run = Run(prefix, count, width)
    expected = [partition_for(run.name(number), partitions) for number in range(count)]
    assert partitions_for(prefix, width, count, partitions).tolist() == expected


@given(st.integers(0, 2**32), st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(-1, 2**31)), min_size=1))
def test_mixing_columns_is_mixing_numbers(seed: int, rows: list[tuple[int, int]]) -> None:
    """The same numbers in every process, of one number that is the same everywhere and of columns."""
    words, numbers = np.array([word for word, _ in rows], np.uint64), np.array([number for _, number in rows])
    assert mixed(seed, words, numbers).tolist() == [mix(seed, word, number) for word, number in rows]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_the_positions_of_spans_are_their_ranges_in_a_row(sizes: list[tuple[int, int]]) -> None:
    spans = [(begin, begin + size) for begin, size in sizes]
    of, position = positions(spans)
    expected = [(number, one) for number, (begin, end) in enumerate(spans) for one in range(begin, end)]
    assert list(zip(of.tolist(), position.tolist(), strict=True)) == expected


def test_an_offsets_topic_that_grew_is_hashed_by_its_old_count() -> None:
    """So that a formula over the topic's count disagrees with the brokers."""
    world = cluster(groups={"count": 100, "offsets_partitions": 60, "hash_partitions": 50}).world
    offsets = world.topics.get("__consumer_offsets")
    assert offsets is not None
    assert offsets.partitions == 60
    assert world.groups.partition_of("group-0000001") == partition_for("group-0000001", 50)
    assert sum(len(world.groups_of(broker)) for broker in world.brokers.ids) == 100
