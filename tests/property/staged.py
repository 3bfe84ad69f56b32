"""Emulated brokers whose cluster is another from one page to the next, and walks of our own client at them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from emulator import asking
from kafka_census.kafka.paging.page import Page
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_emulator import declared
from kafka_emulator.features import Speaks
from kafka_emulator.handlers import HANDLERS
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.replies import Reply
from kafka_emulator.server import Server
from kafka_emulator.world import World
from property.walks import PagedWalk
from property.worlds import Moment

PAGES, PLAIN = Speaks(), Speaks(kip_1062=False, kip_637=False)


@dataclass
class Staged(Server):
    """Brokers that are given another world between two requests, on the same ports.

    moments   what is so, one after the other
    turns     after how many requests of `api` each moment but the first begins
    begun     how many moments did
    """

    moments: Sequence[World] = ()
    api: str = ""
    turns: Sequence[int] = ()
    begun: int = 0

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """Hypothesis shows it with each example that fails: without all that it holds."""
        printer.text("brokers")

    def stage(self, *moments: Moment, api: str = "", turns: Sequence[int] = ()) -> None:
        """What is so from now on; requests are counted from here."""
        self.moments, self.api, self.turns = [one.world() for one in moments], api, turns
        self.asked.clear()
        self.begun = 0
        self._begin()

    def answer(self, broker: int, listener: str, frame: bytes) -> Reply:
        requests = sum(count for (_, api), count in self.asked.items() if api == self.api)
        while self.begun <= len(self.turns) and requests >= self.turns[self.begun - 1]:
            self._begin()
        return super().answer(broker, listener, frame)

    def _begin(self) -> None:
        world, brokers = self.moments[self.begun], self.world.brokers
        for broker in brokers.ids:
            at = brokers.endpoint(broker, brokers.listeners[0])
            if at is not None:
                world.brokers.listens(broker, brokers.listeners[0], at.port)
        self.world = world
        self._limits.clear()  # those of the world before
        self.begun += 1

    def walk(self, walk: PagedWalk, limit: int, keys: Sequence[str] = (), **chain: Any) -> list[Page]:
        # Attempts heal what may pass: a partition that nobody knows is asked for twice.
        collect = CollectSettings(
            limit, pages_per_wave=10_000, max_attempts=2, retry_backoff_ms=1, request_timeout_ms=10_000
        )
        return asking.walk(self, walk.rpc, walk.scope, keys=tuple(keys), collect=collect, **chain)

    def whole(self, walk: PagedWalk, moment: Moment, keys: Sequence[str] = ()) -> list[Page]:
        """What brokers that do not page by KIP-1062 answer at one moment."""
        self.stage(moment)
        self.speaks = dict.fromkeys(self.speaks, PLAIN)
        try:
            return self.walk(walk, 2000, keys)
        finally:
            self.speaks = dict.fromkeys(self.speaks, PAGES)


@contextmanager
def staged(*handlers: Handler, speaks: Speaks = PAGES) -> Iterator[Staged]:
    """Two brokers of a cluster that is still empty, on loopback; `handlers` replace those of the same RPCs."""
    world = World(declared.World.model_validate({"brokers": {"count": 2}}))
    every = {one.name: one for one in (*HANDLERS, *handlers)}
    server = Staged(world, dict.fromkeys(world.brokers.ids, speaks), handlers=tuple(every.values()))
    with asking.serving(server):
        yield server
    assert server.failure is None
