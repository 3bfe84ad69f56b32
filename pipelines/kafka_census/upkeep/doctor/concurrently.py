"""The same work for several things at the same time, with a time limit."""

from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import Future, wait
from functools import partial
from typing import TypeVar

from kafka_census.threads import begin, fulfil

T = TypeVar("T")
R = TypeVar("R")

AT_ONCE = 64


def concurrently(
    things: Collection[T],
    work: Callable[[T], R],
    late: Callable[[T], R] | None = None,
    timeout_s: float | None = None,
) -> tuple[R, ...]:
    """The result of the work for each thing, in order; `late` gives the result of things that are not done in time.

    timeout_s  the time limit for a thing in seconds; None: no limit

    Raises the first failure. A pool of `concurrent.futures` would wait for a name server that never answers.
    """
    futures: list[Future[R]] = [Future() for _ in things]
    left = deque(zip(things, futures, strict=True))

    def serve() -> None:
        while left:
            try:
                thing, future = left.popleft()
            except IndexError:
                return
            fulfil(future, partial(work, thing))

    for _ in range(min(AT_ONCE, len(things))):
        begin(serve)
    rounds = -(-len(things) // AT_ONCE)
    wait(futures, None if timeout_s is None else timeout_s * rounds)
    return tuple(
        late(thing) if late is not None and not future.done() else future.result()
        for thing, future in zip(things, futures, strict=True)
    )
