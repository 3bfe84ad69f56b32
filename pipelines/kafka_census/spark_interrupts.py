"""Ctrl-C while Spark starts and runs: it is Python's, which says so in one line, and the JVM says nothing.

The signal reaches every process of the terminal's group. A JVM that PySpark starts ignores it, that of spark-submit
is told to. Both end once the driver has.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkContext

_SILENT_WITHIN = 5.0
"""Seconds; a JVM that is gone or stuck is not waited for."""


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end of the block for a Ctrl-C within it.

    PySpark that is interrupted while it waits for a JVM removes the file by which the two were to meet: the JVM
    fails to write it, and never ends.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    pressed: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if pressed:
        raise KeyboardInterrupt


def leave_interrupts_to_python(jvm: Any) -> None:
    """Let spark-submit's JVM ignore Ctrl-C: it would end below the driver."""
    signals = jvm.sun.misc
    signals.Signal.handle(signals.Signal("INT"), signals.SignalHandler.SIG_IGN)


def interrupt_python_alone() -> None:
    """Take back the handler that PySpark has set for Ctrl-C: it asks the JVM something in the middle of a call.

    The call then ends in an error of the gateway, and not in KeyboardInterrupt.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def fall_silent() -> None:
    """Cancel what Spark is at, and let its JVM say nothing more: the job was interrupted, and says so.

    A JVM of ours that has no context yet has done nothing, and would tell at length what it cannot do any more.
    """
    context: Any = SparkContext._active_spark_context  # noqa: SLF001 - the session may not be there yet
    if context is not None:
        _silence(context)
        return
    gateway: Any = SparkContext._gateway  # noqa: SLF001 - the same
    process = getattr(gateway, "proc", None)
    if process is not None:
        process.kill()


def _silence(context: SparkContext) -> None:
    """In a thread of its own, because the call that was interrupted still holds the connection of its thread."""

    def silence() -> None:
        with suppress(Py4JError, OSError):  # a JVM that is gone is silent
            context.setLogLevel("OFF")
            context.cancelAllJobs()

    thread = threading.Thread(target=silence, daemon=True)
    thread.start()
    thread.join(_SILENT_WITHIN)
