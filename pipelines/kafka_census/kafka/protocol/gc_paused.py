"""Pauses Python's garbage collector while a page is decoded.

A page is tens of thousands of small objects without cycles. The collector would run after every
few hundred of them, which costs as much as decoding; reference counting frees them
as soon as the page is processed.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Disable the collector within the block, and restore its state afterwards."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
