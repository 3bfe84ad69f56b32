"""Progress events of long work: one call per event.

Steps take a `Progress` as a value and call it with an event name and fields:
`progress("landed", rpc="ListGroups", wave=0, pages=3, seconds=1.2)`. The job hands in
one that logs (`kafka_census.terminal.log`); tests and notebooks hand in `NullProgress`.
Events are short lower-case words or dotted names; fields are plain values and never
hold a secret.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from kafka_census.clock import Clock


class Progress(Protocol):
    """A callback for events."""

    def __call__(self, event: str, **fields: object) -> None:
        """Handle one event."""

    def warning(self, event: str, **fields: object) -> None:
        """Handle a warning: the operator should act, but the job continues."""


class NullProgress:
    """Ignores all events."""

    def __call__(self, event: str, **fields: object) -> None:
        """Do nothing."""

    def warning(self, event: str, **fields: object) -> None:
        """Do nothing."""


@contextmanager
def timed(progress: Progress, event: str, clock: Clock | None = None, **fields: object) -> Iterator[dict[str, object]]:
    """Report `event` with its duration in `seconds` once the block has succeeded.

    The block may add fields to the dict that it receives (`done["rows"] = 12`). A block that
    raises reports no event: the handler of the error reports it.
    """
    watch = clock or Clock()
    start = watch.monotonic()
    done: dict[str, object] = dict(fields)
    yield done
    progress(event, **done, seconds=round(watch.monotonic() - start, 2))
