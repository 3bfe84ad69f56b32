"""Names that are not objects are what a sorted list of them would be; where they belong: hash, partition, leader."""

from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.asking import cluster
from kafka_emulator.arithmetic import mix, mixed, partition_for, partitions_for, positions, utf16
from kafka_emulator.names import Names, Run, names

OTHERS = st.lists(
    st.text(max_size=6) | st.sampled_from(["g-000", "g-", "g-05", "h", "\U0001f600", "\uffee"]), max_size=8
)
RUNS = st.builds(Run, st.sampled_from(["", "g-", "é"]), st.integers(0, 30), st.integers(2, 4))


@given(RUNS, OTHERS, st.text(max_size=6))
def test_names_are_a_sorted_list(run: Run, declared: list[str], anything: str) -> None:
    """Length, items, slices, and the position of a name that is there or not."""
    made = names(run, declared)
    expected = sorted({*(run.name(number) for number in range(run.count)), *declared}, key=utf16)
    assert list(made) == expected
    assert made[1:5] == expected[1:5]
    for name in (*expected, anything):
        assert made.at(name) == bisect_left(expected, utf16(name), key=utf16)
        assert (name in made) == (name in expected)
    assert made.behind(anything) == sum(utf16(one) < utf16(anything) or one.startswith(anything) for one in expected)


@given(RUNS, OTHERS, st.data())
def test_an_ordinal_stays_when_others_come_and_go(run: Run, declared: list[str], data: st.DataObject) -> None:
    made = names(run, declared)
    ordinals = {name: made.ordinal(name) for name in made}
    gone = data.draw(st.lists(st.sampled_from(list(made)), unique=True)) if len(made) else []
    left = made.without(gone)
    assert list(left) == [name for name in made if name not in gone]
    again = left.having("a new one")
    for name in gone:
        again = again.having(name)
    assert {name: again.ordinal(name) for name in made} == ordinals
    assert list(again) == sorted({*made, "a new one"}, key=utf16)


def test_picked_names_keep_their_order_and_ordinals() -> None:
    made = names(Run("g-", 5), ["extra"])
    picked: Names = made.pick(np.array([True, False, True, False, False, True]))
    assert (list(picked), picked.ordinals.tolist()) == (["extra", "g-0000001", "g-0000004"], [5, 1, 4])
    assert picked.at("g-0000002") == 2
    with pytest.raises(ValueError, match="1,000 names do not fit into 2 digits"):
        Run("g-", 1000, 2)


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
