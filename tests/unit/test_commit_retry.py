"""How long is waited before a question is asked again, and how writers of one table take turns and try again."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from kafka_census.errors import Contended
from kafka_census.kafka.protocol.retry import Backoff
from kafka_census.lake.commit_retry import PAUSES, commit_with_retry, conflict_in
from kafka_census.lake.lake import Lake

ATTEMPTS = len(PAUSES) + 1
CATALOG = Lake(catalog="main.census")
JVM_ERROR = (
    "An error occurred while calling o123.save.\n: io.delta.exceptions.ConcurrentAppendException: "
    "[DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT] Transaction conflict detected.\n\tat org.apache.spark"
)


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made, without making them."""
    pauses: list[float] = []
    monkeypatch.setattr("kafka_census.lake.commit_retry.time.sleep", pauses.append)
    return pauses


def failing(times: int, error: Exception) -> tuple[Callable[[], None], list[int]]:
    """A write that fails so often and then succeeds, and the number of each call."""
    calls: list[int] = []

    def write() -> None:
        calls.append(len(calls) + 1)
        if len(calls) <= times:
            raise error

    return write, calls


def test_a_conflict_is_written_again_until_it_succeeds_or_is_one_clear_line(slept: list[float]) -> None:
    write, calls = failing(ATTEMPTS - 1, RuntimeError(JVM_ERROR))
    commit_with_retry(CATALOG, "published", "brokers", write)
    assert (len(calls), tuple(slept)) == (ATTEMPTS, PAUSES)
    write, calls = failing(ATTEMPTS, RuntimeError(JVM_ERROR))
    with pytest.raises(Contended) as raised:
        commit_with_retry(CATALOG, "published", "brokers", write)
    first = "`main`.`census`.`published_brokers`: other writers came first 5 times (DELTA_CONCURRENT_APPEND)"
    assert (len(calls), str(raised.value)) == (ATTEMPTS, f"{first}; run this again once they have ended")


def test_other_errors_are_not_written_again() -> None:
    """A full disk, a lost broker, a bug: the write may have asked brokers, and is not repeated for nothing."""
    write, calls = failing(1, ValueError("No space left on device"))
    with pytest.raises(ValueError, match="No space left"):
        commit_with_retry(CATALOG, "landing", "Metadata", write)
    assert calls == [1]


CONFLICTS = (
    *("DELTA_CONCURRENT_TRANSACTION", "DELTA_METADATA_CHANGED", "DELTA_PROTOCOL_CHANGED", "DELTA_PATH_EXISTS"),
    "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
)


def test_conflicts_are_reported_by_delta_s_conditions() -> None:
    """Whatever class the error has; not every error of their SQLSTATE is one."""
    assert [conflict_in(RuntimeError(f"[{name}] x SQLSTATE: 2D521")) for name in CONFLICTS] == [*CONFLICTS]
    for text in ("[DELTA_DUPLICATE_ACTIONS_FOUND] x SQLSTATE: 2D521", "DELTA_CONCURRENT_APPEND in another message"):
        assert conflict_in(RuntimeError(text)) is None


def test_writers_of_one_table_take_turns_on_a_local_folder(tmp_path: Path) -> None:
    """The second waits for the end of the first, though it fails; a writer of another table does not."""
    lake, order = Lake(root=str(tmp_path)), ["first"]
    verdicts = (lake, "audit", "verdicts")
    second = threading.Thread(target=commit_with_retry, args=(*verdicts, lambda: order.append("second")))

    def write() -> None:
        second.start()
        commit_with_retry(lake, "audit", "calls", lambda: order.append("of another table"))
        second.join(0.3)
        assert second.is_alive()
        order.append("first has ended")
        raise ValueError("failed")

    with pytest.raises(ValueError, match="failed"):
        commit_with_retry(*verdicts, write)
    commit_with_retry(*verdicts, lambda: order.append("third"))
    second.join(60)
    assert order[:3] == ["first", "of another table", "first has ended"]
    assert sorted(order[3:]) == ["second", "third"]


SAMPLES = 200


@pytest.mark.parametrize(("failures", "seconds"), [(1, 0.1), (4, 0.8), (5, 1.0), (100, 1.0)])
def test_each_wait_is_twice_the_one_before_up_to_the_longest(failures: int, seconds: float) -> None:
    """Give or take a fifth, so that not all who were refused come again at once."""
    waits = [Backoff(first_ms=100, max_ms=1000).delay(failures) for _ in range(SAMPLES)]
    assert seconds * 0.8 <= min(waits) < seconds * 0.9
    assert seconds * 1.1 < max(waits) <= seconds * 1.2
