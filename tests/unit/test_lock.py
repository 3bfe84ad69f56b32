"""Locks: nothing but a regular file is locked or written, and whoever holds one is named only where that is known."""

import fcntl
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import IO

import pytest

from kafka_census.errors import LockHeld, LockUnusable
from kafka_census.files import lock_file
from kafka_census.jars import ivy as jars
from kafka_census.lake import run_lock as lock
from kafka_census.lake.commit_retry import commit_with_retry
from kafka_census.lake.lake import Lake
from kafka_census.lake.run_lock import hold

Take = Callable[[Path], Path]
"""Takes a lock below a folder, lets it go, and says where its file is."""


def run_lock(folder: Path) -> Path:
    with hold(Lake(root=str(folder)), ["c"], "a test"):
        return folder / "locks" / "c.lock"


def turn(folder: Path) -> Path:
    commit_with_retry(Lake(root=str(folder)), "audit", "calls", lambda: None)
    return folder / "locks" / "tables" / "audit_calls.lock"


def jar_cache(folder: Path) -> Path:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("KAFKA_CENSUS_CACHE", str(folder))
        with jars._lock():
            return folder / "lock"


@pytest.fixture(params=[run_lock, turn, jar_cache])
def take(request: pytest.FixtureRequest) -> Take:
    taken: Take = request.param
    return taken


PLACED: Mapping[str, tuple[Callable[[Path, Path], object], str]] = {
    "a link": (lambda path, precious: path.symlink_to(precious), "is a symbolic link; remove it"),
    "a dangling link": (lambda path, precious: path.symlink_to(f"{precious}-less"), "is a symbolic link; remove it"),
    # To open one waits for its other end.
    "a pipe": (lambda path, _: os.mkfifo(path), "is no regular file; remove it"),
    "a directory": (lambda path, _: path.mkdir(), "cannot be opened for writing: Is a directory"),
    "a hard link": (lambda path, precious: path.hardlink_to(precious), "is a hard link, a second name of another file"),
}


@pytest.mark.parametrize(("put", "said"), PLACED.values(), ids=PLACED)
def test_what_is_no_file_of_its_own_in_the_place_of_a_lock_is_refused(
    take: Take, tmp_path: Path, put: Callable[[Path, Path], object], said: str
) -> None:
    """And not waited for; what it leads to is neither truncated nor made."""
    precious, path = tmp_path / "precious", take(tmp_path)
    precious.write_text("precious", encoding="utf-8")
    path.unlink()
    put(path, precious)
    with pytest.raises(LockUnusable, match=f"lock.* {said}"):
        take(tmp_path)
    assert precious.read_text(encoding="utf-8") == "precious"
    assert not Path(f"{precious}-less").exists()


def test_opening_a_lock_that_another_holds_changes_nothing(tmp_path: Path) -> None:
    """Its file says who holds it until that one lets go; then it is empty. All names of a cluster are locked."""
    files = [tmp_path / "locks" / f"{name}.lock" for name in ("prod", "c")]
    with hold(Lake(root=str(tmp_path)), ["prod", "c"], "census 1"):
        said = [file.read_bytes() for file in files]
        assert [json.loads(each)["work"] for each in said] == ["census 1"] * 2
        with pytest.raises(LockHeld, match=rf"'c' is in use by process {os.getpid()} on .* \(census 1\); wait"):
            run_lock(tmp_path)
        assert [file.read_bytes() for file in files] == said
    assert [file.read_bytes() for file in files] == [b"", b""]


GOOD = {"pid": 1, "parent_pid": 0, "host": "elsewhere", "since": "today", "work": "a census"}
JUNK = {
    "not UTF-8": b"\xff\xfe\x00",
    "nested": b"[" * 4000,
    "huge": b"x" * 10_000_000,
    "a path as a pid": json.dumps({**GOOD, "pid": "../../etc"}).encode(),
    "an escape sequence": json.dumps({**GOOD, "host": "\x1b]0;x\x07"}).encode(),
}


@pytest.mark.parametrize("junk", JUNK.values(), ids=JUNK)
def test_junk_in_a_held_lock_is_an_unknown_process(tmp_path: Path, junk: bytes) -> None:
    """Whatever stands there is neither believed nor shown, and not waited for."""
    path = run_lock(tmp_path)
    path.write_bytes(junk)
    with locked(path), pytest.raises(LockHeld, match="'c' is in use by an unknown process; wait for it to end"):
        run_lock(tmp_path)
    assert path.read_bytes() == junk


def test_a_holder_that_says_nothing_is_waited_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is just about to write its name, or has removed it and ends."""
    path = run_lock(tmp_path)
    monkeypatch.setattr(lock, "DYING_SECONDS", 0.3)
    with locked(path), pytest.raises(LockHeld, match="an unknown process"):
        run_lock(tmp_path)
    run_lock(tmp_path)


def locked(path: Path) -> IO[bytes]:
    held = path.open("rb")
    fcntl.flock(held, fcntl.LOCK_EX)
    return held


def holds(path: Path, monkeypatch: pytest.MonkeyPatch, **who: object) -> IO[bytes]:
    """The lock, held by this process, its file naming another holder; it is free once that one is waited for."""
    path.write_text(json.dumps({**GOOD, "host": socket.gethostname(), **who}), encoding="utf-8")
    held = locked(path)
    # The lock's own `time`, not everybody's: Py4J's threads of another test sleep as well.
    own_time = SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: fcntl.flock(held, fcntl.LOCK_UN))
    monkeypatch.setattr(lock, "time", own_time)
    return held


def test_a_holder_that_has_ended_or_whose_jvm_has_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel frees the lock in a moment; who has another parent by now ends by itself.

    What this machine's processes do says nothing of a holder on another machine.
    """
    path, orphan = run_lock(tmp_path), {"pid": os.getpid(), "parent_pid": os.getppid() + 1}
    with subprocess.Popen(["true"]) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        with holds(path, monkeypatch, pid=ended.pid, parent_pid=os.getpid()):
            run_lock(tmp_path)
    with holds(path, monkeypatch, **orphan):
        run_lock(tmp_path)
    remote = pytest.raises(LockHeld, match=f"in use by process {os.getpid()} on elsewhere")
    with holds(path, monkeypatch, **orphan, host="elsewhere"), remote:
        run_lock(tmp_path)


def test_a_holder_whose_name_is_not_ascii_can_be_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel tells any bytes as the name of a process."""
    program = tmp_path / "schläfer"
    program.symlink_to(shutil.which("sleep") or "sleep")
    with subprocess.Popen([program, "60"]) as process:
        alive = pytest.raises(LockHeld, match=f"in use by process {process.pid}")
        with holds(run_lock(tmp_path), monkeypatch, pid=process.pid, parent_pid=os.getpid()), alive:
            run_lock(tmp_path)
        process.kill()


@pytest.mark.parametrize("again", [False, True])
def test_who_holds_a_lock_keeps_it_when_its_file_is_removed(tmp_path: Path, *, again: bool) -> None:
    with hold(Lake(root=str(tmp_path)), ["c"], "census 1"):
        (tmp_path / "locks" / "c.lock").unlink()
        if again:
            (tmp_path / "locks" / "c.lock").touch()
        assert "whose lock file was removed" in str(lock.holder(Lake(root=str(tmp_path)), "c"))
        with pytest.raises(LockHeld, match=rf"'c' is in use by process {os.getpid()}, whose lock file was removed"):
            run_lock(tmp_path)
    run_lock(tmp_path)
    assert lock.holder(Lake(root=str(tmp_path)), "c") is None


def test_a_lock_that_was_removed_before_it_was_locked_is_taken_at_its_name(tmp_path: Path) -> None:
    """The holder who ends removes the file between opening and locking: others would open another one."""
    path, locked_files = run_lock(tmp_path), []

    def late(descriptor: int) -> None:
        if not locked_files:
            path.unlink()
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        locked_files.append(os.fstat(descriptor).st_ino)

    with lock_file.locked(path, late) as descriptor:
        assert os.fstat(descriptor).st_ino == path.stat().st_ino
    assert len(locked_files) == 2


def test_a_table_whose_lock_file_was_removed_has_one_writer_at_a_time(tmp_path: Path) -> None:
    """The others wait for the first: who waited for the removed file, and who comes later."""
    path = turn(tmp_path)
    order: list[str] = []
    with ThreadPoolExecutor(2) as others:
        with lock_file.turn(path):
            waiting = [others.submit(lambda: (turn(tmp_path), order.append("next")))]
            time.sleep(0.3)
            path.unlink()
            waiting.append(others.submit(lambda: (turn(tmp_path), order.append("next"))))
            time.sleep(0.3)
            order.append("first")
        for each in waiting:
            each.result(10)
    assert order == ["first", "next", "next"]
