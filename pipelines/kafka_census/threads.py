"""The threads of a command: each is begun here, and none is alive when the interpreter ends.

A name server, a KDC or a receiver of messages that never answers cannot be told to give up: whoever waits for it waits
until a deadline, and leaves the thread alone. While the interpreter ends such a thread would be stopped wherever it is,
which aborts the process where C++ of another library is below it ("terminate called without an active exception").
Arrow's threads are not ours: they close the files of a lake by deltalake's Python, maybe after the last row was read.
"""

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import NoReturn, TypeVar
from weakref import WeakSet

R = TypeVar("R")

_PATIENCE_S = 1.0
"""The time for which the end of a command waits for threads that are about to end."""

_BEGUN = WeakSet[Thread]()


def begin(work: Callable[[], None]) -> Thread:
    """Begin a thread, which may be left alone. `work` raises nothing."""
    thread = Thread(target=work, daemon=True)
    _BEGUN.add(thread)
    thread.start()
    return thread


def fulfil(future: Future[R], work: Callable[[], R]) -> None:
    """Do the work of a future in this thread; what it raises is raised again where the future is waited for."""
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
        future.set_exception(error)


def within(timeout_s: float, work: Callable[[], R]) -> R:
    """What `work` returns or raises; TimeoutError after this time, when its thread is left alone."""
    done: Future[R] = Future()
    begin(lambda: fulfil(done, work))
    return done.result(timeout_s)


def leave(code: int) -> NoReturn:
    """End the process with this exit code: with the interpreter, or at once where a thread does not end.

    At once, too, where a lake was read without Spark: whether Arrow's threads have ended cannot be asked.
    """
    until = time.monotonic() + _PATIENCE_S
    for thread in list(_BEGUN):
        thread.join(max(0.0, until - time.monotonic()))
    arrow_calls_python = "deltalake" in sys.modules and "pyspark" not in sys.modules
    if not arrow_calls_python and not any(thread.is_alive() for thread in _BEGUN):
        sys.exit(code)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
