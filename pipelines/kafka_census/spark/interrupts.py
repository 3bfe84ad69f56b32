"""Ctrl-C while Spark starts and runs: Python handles it and reports it in one line; the JVM stays silent.

The signal reaches every process of the terminal's process group. A JVM that PySpark starts ignores it; the JVM of
spark-submit is made to ignore it. Both end after the driver.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from py4j.protocol import Py4JError
from pyspark import SparkContext

from kafka_census.private.pyspark import active_context, kill_jvm
from kafka_census.threads import begin

_SILENT_WITHIN = 5.0
"""Seconds to wait for the JVM: it may be gone or stuck."""


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end of the block for a Ctrl-C within it.

    If PySpark is interrupted while it waits for a JVM, it removes the file to which the JVM writes its port: the JVM
    fails to write the file, and never ends.
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


def interrupt_python_alone() -> None:
    """Remove PySpark's handler for Ctrl-C, which sends a request to the JVM in the middle of another call.

    With that handler the call ends in an error of the gateway, not in KeyboardInterrupt.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def fall_silent() -> None:
    """Cancel Spark's jobs and silence its JVM: the job itself reports the interrupt.

    A JVM of ours without a context is killed: it has done nothing, and would log long errors.
    """
    context = active_context()
    if context is None:
        kill_jvm()
    else:
        _silence(context)


def _silence(context: SparkContext) -> None:
    """Silence in a separate thread, because the interrupted call still holds the connection of its thread."""

    def silence() -> None:
        with suppress(Py4JError, OSError):  # a JVM that is gone is silent
            context.setLogLevel("OFF")
            context.cancelAllJobs()

    begin(silence).join(_SILENT_WITHIN)
