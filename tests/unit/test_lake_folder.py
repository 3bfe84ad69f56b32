"""The folder of a lake: closed to others, refused before Spark starts; its writers take turns and try again."""

import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from kafka_census.config.secrets import is_exposed
from kafka_census.errors import ConfigError, Contended
from kafka_census.kafka.protocol.retry import Backoff
from kafka_census.lake.commit_retry import PAUSES, commit_with_retry, conflict_in
from kafka_census.lake.folder import require_usable
from kafka_census.lake.lake import Lake
from kafka_census.lake.run_lock import hold


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield int(request.param)
    os.umask(before)


def test_a_lake_that_we_make_is_closed_to_others(tmp_path: Path, umask: int) -> None:
    """Whatever the umask lets through; its group may read. Folders that were there stay as they were."""
    there = tmp_path / "there"
    there.mkdir(mode=0o777)
    mode = there.stat().st_mode
    lake = Lake(root=str(there / "data" / "lake"))
    with hold(lake, ["local"], "a census"):
        commit_with_retry(lake, "audit", "calls", lambda: None)
    made = [there / "data", there / "data/lake", there / "data/lake/locks", there / "data/lake/locks/tables"]
    assert [path.stat().st_mode & 0o777 for path in made] == [0o750 & ~umask] * 4
    assert there.stat().st_mode == mode
    # Whoever may enter may take a lock.
    locks = [there / "data/lake/locks/local.lock", there / "data/lake/locks/tables/audit_calls.lock"]
    assert [path.stat().st_mode & 0o777 for path in locks] == [0o666 & ~umask] * 2


def test_a_root_that_can_be_written_is_left_as_it_was_and_another_is_refused(tmp_path: Path) -> None:
    """/proc takes no file, not even from root. (One that is not there: test_job.py.)"""
    require_usable(Lake(root=str(tmp_path / "a" / "lake")), writes=True)
    require_usable(Lake(root=str(tmp_path)), writes=True)
    require_usable(Lake(root="s3a://bucket/lake"), writes=True)
    require_usable(Lake(catalog="main.census"), writes=True)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ConfigError, match=r"^lake\.root file:///proc cannot be written: .*; name another lake\.root"):
        require_usable(Lake(root="file:///proc"), writes=True)


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize("root", ["file", "file/a/lake", "link"])
def test_a_file_in_the_way_is_named(tmp_path: Path, root: str, writes: bool) -> None:
    """At the root, or above it. A dangling link is one: a lake on a disk that is not mounted."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    said = rf"{root[:4]} is not a folder; name another lake\.root, or move it away$"
    with pytest.raises(ConfigError, match=said):
        require_usable(Lake(root=f"{tmp_path}/{root}"), writes=writes)


@pytest.mark.parametrize(
    ("folder_mode", "mode", "exposed"),
    [(0o755, 0o644, True), (0o755, 0o602, True), (0o755, 0o640, False), (0o755, 0o600, False), (0o700, 0o644, False)],
)
def test_a_file_is_exposed_where_others_can_reach_it(folder_mode: int, mode: int, exposed: bool) -> None:
    """To read or to write; its group may, and a folder that is closed protects what is in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "secret"
        file.write_text("x", encoding="utf-8")
        file.chmod(mode)
        folder.chmod(folder_mode)
        link = folder / "link"
        link.symlink_to(file)
        assert is_exposed(file) == is_exposed(link) == exposed


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


def test_a_conflict_is_written_again_until_it_succeeds_or_is_one_clear_line(slept: list[float]) -> None:
    write = Mock(side_effect=[*[RuntimeError(JVM_ERROR)] * len(PAUSES), None])
    commit_with_retry(CATALOG, "published", "brokers", write)
    assert (write.call_count, tuple(slept)) == (ATTEMPTS, PAUSES)
    write = Mock(side_effect=RuntimeError(JVM_ERROR))
    with pytest.raises(Contended) as raised:
        commit_with_retry(CATALOG, "published", "brokers", write)
    first = "`main`.`census`.`published_brokers`: other writers came first 5 times (DELTA_CONCURRENT_APPEND)"
    assert (write.call_count, str(raised.value)) == (ATTEMPTS, f"{first}; run this again once they have ended")
    # A full disk, a lost broker, a bug: the write may have asked brokers, and is not repeated for nothing.
    write = Mock(side_effect=ValueError("No space left on device"))
    with pytest.raises(ValueError, match="No space left"):
        commit_with_retry(CATALOG, "landing", "Metadata", write)
    write.assert_called_once()


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


@pytest.mark.parametrize(("failures", "seconds"), [(1, 0.1), (4, 0.8), (5, 1.0)])
def test_each_wait_is_twice_the_one_before_up_to_the_longest(failures: int, seconds: float) -> None:
    """Give or take a fifth, so that not all who were refused come again at once."""
    waits = [Backoff(first_ms=100, max_ms=1000).delay(failures) for _ in range(200)]
    assert seconds * 0.8 <= min(waits) < seconds * 0.9
    assert seconds * 1.1 < max(waits) <= seconds * 1.2
