"""Java: `sun.misc.Signal`, which Java does not document, and exports from its module jdk.unsupported.

Tried on Java 17. A JVM without it ends at Ctrl-C, before the driver can report the interrupt in one line.
"""

from contextlib import suppress
from typing import Any


def ignore_interrupts(jvm: Any) -> None:
    """Make a JVM ignore Ctrl-C."""
    signals = jvm.sun.misc
    with suppress(TypeError):  # py4j takes a class that does not exist for a package, which cannot be called
        signals.Signal.handle(signals.Signal("INT"), signals.SignalHandler.SIG_IGN)
