"""Independent work at the same time: in order of what it comes after, and a failure of one ends all."""

import threading
from graphlib import CycleError
from unittest.mock import Mock

import pytest

from kafka_census.side_by_side import side_by_side

AFTER = {"b": ["a"], "d": ["b", "c"], "e": ["elsewhere"]}


@pytest.mark.parametrize("at_once", [1, 2, 3, 9])
def test_each_runs_once_after_what_it_is_made_of(at_once: int) -> None:
    ended: list[str] = []
    running: set[str] = set()
    most = 0
    lock = threading.Lock()

    def run(name: str) -> None:
        nonlocal most
        with lock:
            assert set(AFTER.get(name, ())) - {"elsewhere"} <= set(ended)
            running.add(name)
            most = max(most, len(running))
        threading.Event().wait(0.02)
        with lock:
            running.remove(name)
            ended.append(name)

    side_by_side(Mock(), {name: lambda one=name: run(one) for name in "abcde"}, AFTER, at_once)
    assert sorted(ended) == list("abcde")
    assert most <= at_once


def test_two_that_wait_for_nothing_run_at_the_same_time() -> None:
    both = threading.Barrier(2)
    side_by_side(Mock(), {name: lambda: both.wait(10) for name in "ab"}, {}, 2)


def test_a_failure_ends_the_step_with_that_failure() -> None:
    spark, begun, interrupted = Mock(), threading.Event(), threading.Event()
    spark.interruptAll = interrupted.set
    started: list[str] = []

    def fails() -> None:
        begun.wait(10)
        raise ValueError("a table is broken")

    def runs() -> None:
        started.append("runs")
        begun.set()
        interrupted.wait(10)

    def later() -> None:
        started.append("later")

    with pytest.raises(ValueError, match="a table is broken"):
        side_by_side(spark, {"fails": fails, "runs": runs, "later": later}, {}, 2)
    assert interrupted.is_set()
    assert started == ["runs"]


def test_work_that_waits_for_itself_is_an_error() -> None:
    with pytest.raises(CycleError):
        side_by_side(Mock(), {"a": lambda: None, "b": lambda: None}, {"a": ["b"], "b": ["a"]}, 2)
