"""Python's garbage collector, kept still while a page is decoded.

A page is tens of thousands of small objects without cycles. Each few hundred of them would
have the collector look for some, which costs as much as decoding does; they are freed
without it as soon as the page is handed on.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """No collection while the block runs; as before after it."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
