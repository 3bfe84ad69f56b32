"""The same work for several things at once, with a limit to how long all of it is waited for."""

from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import Future, wait
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

AT_ONCE = 64


def concurrently(
    things: Collection[T],
    work: Callable[[T], R],
    late: Callable[[T], R] | None = None,
    timeout_s: float | None = None,
) -> tuple[R, ...]:
    """What the work makes of each thing, in their order; `late` makes it of those that are not done in time, if any.

    timeout_s  how long one thing may take; None: all are waited for

    The first failure is raised. Threads are daemons: a name server that never answers does not hold the process, as it
    would with a pool of `concurrent.futures`.
    """
    futures: list[Future[R]] = [Future() for _ in things]
    left = deque(zip(things, futures, strict=True))

    def serve() -> None:
        while left:
            try:
                thing, future = left.popleft()
            except IndexError:
                return
            try:
                future.set_result(work(thing))
            except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
                future.set_exception(error)

    for _ in range(min(AT_ONCE, len(things))):
        Thread(target=serve, daemon=True).start()
    rounds = -(-len(things) // AT_ONCE)
    wait(futures, None if timeout_s is None else timeout_s * rounds)
    return tuple(
        late(thing) if late is not None and not future.done() else future.result()
        for thing, future in zip(things, futures, strict=True)
    )
