"""Independent work at the same time: in order of what it comes after, and a failure of one ends all."""

import threading
from graphlib import CycleError
from unittest.mock import Mock

import pytest

from kafka_census.spark.side_by_side import side_by_side

AFTER = {"b": ["a"], "d": ["b", "c"], "e": ["elsewhere"]}


@pytest.mark.parametrize("at_once", [1, 2, 3, 9])
def test_each_runs_once_after_what_it_is_made_of(at_once: int) -> None:
    """No more at a time than were asked for."""
    ended: list[str] = []
    places = threading.Semaphore(at_once)

    def run(name: str) -> None:
        assert places.acquire(blocking=False)
        assert set(AFTER.get(name, ())) - {"elsewhere"} <= set(ended)
        threading.Event().wait(0.02)
        ended.append(name)
        places.release()

    side_by_side(Mock(), {name: lambda one=name: run(one) for name in "abcde"}, AFTER, at_once)
    assert sorted(ended) == list("abcde")


def test_two_that_wait_for_nothing_run_at_the_same_time() -> None:
    both = threading.Barrier(2)
    side_by_side(Mock(), {name: lambda: both.wait(10) for name in "ab"}, {}, 2)


def test_a_failure_ends_the_step_with_that_failure() -> None:
    spark, begun, interrupted, later = Mock(), threading.Event(), threading.Event(), Mock()
    spark.interruptAll = interrupted.set

    def fails() -> None:
        begun.wait(10)
        raise ValueError("a table is broken")

    def runs() -> None:
        begun.set()
        interrupted.wait(10)

    with pytest.raises(ValueError, match="a table is broken"):
        side_by_side(spark, {"fails": fails, "runs": runs, "later": later}, {}, 2)
    assert (begun.is_set(), interrupted.is_set(), later.called) == (True, True, False)


def test_work_that_waits_for_itself_is_an_error() -> None:
    with pytest.raises(CycleError):
        side_by_side(Mock(), {"a": lambda: None, "b": lambda: None}, {"a": ["b"], "b": ["a"]}, 2)
