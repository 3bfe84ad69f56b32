"""Names that are not objects are what a sorted list of them would be."""

from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_emulator.arithmetic import utf16
from kafka_emulator.names import Names, Run, names

OTHERS = st.lists(
    st.text(max_size=6) | st.sampled_from(["g-000", "g-", "g-05", "h", "\U0001f600", "\uffee"]), max_size=8
)
RUNS = st.builds(Run, st.sampled_from(["", "g-", "é"]), st.integers(0, 30), st.integers(2, 4))


def sorted_list(run: Run, declared: list[str]) -> list[str]:
    return sorted({*(run.name(number) for number in range(run.count)), *declared}, key=utf16)


@given(RUNS, OTHERS, st.text(max_size=6))
def test_names_are_a_sorted_list(run: Run, declared: list[str], anything: str) -> None:
    """Length, items, slices, and the position of a name that is there or not."""
    made, expected = names(run, declared), sorted_list(run, declared)
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
