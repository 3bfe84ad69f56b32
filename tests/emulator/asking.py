"""Emulated clusters for tests: asked frame by frame without a socket, or served on loopback for real clients."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.landing.fetch.fetch import Fetcher
from kafka_emulator import declared
from kafka_emulator.fault_actions import FaultSection
from kafka_emulator.faults import Faults
from kafka_emulator.features import LATEST, Speaks
from kafka_emulator.server import Server
from kafka_emulator.world import World

QUICK = CollectSettings(max_attempts=3, retry_backoff_ms=1, retry_backoff_max_ms=5, request_timeout_ms=2000)


def cluster(as_version: Any = LATEST, *, kip_1062: bool = True, **sections: Any) -> Server:
    """A server that does not listen yet; `sections` are those of a scenario file: `groups={"count": 5}`."""
    world = World(declared.World.model_validate(sections), as_version)
    speaks = Speaks(as_version, kip_1062=kip_1062, kip_637=kip_1062)
    return Server(world, dict.fromkeys(world.brokers.ids, speaks))


def faults(*declared: dict[str, Any]) -> Faults:
    """What goes wrong, as a scenario file has it: `{"api": "ListGroups", "always": True, "do": "drop"}`."""
    return Faults(tuple(map(FaultSection.model_validate, declared)))


def ask(server: Server, request: Any, version: int, broker: int = 1) -> Any:
    """The response to one request, encoded and decoded as on the wire; None where the broker hangs up."""
    request.API_VERSION = version
    request.with_header(correlation_id=7)
    frame = bytes(request.encode(header=True))
    reply = server.answer(broker, server.world.brokers.listeners[0], frame)
    if reply.frame is None:
        return None
    handler = next(one for one in server.handlers if one.request.API_KEY == request.API_KEY)
    return handler.response.decode(reply.frame[4:], version=version, header=True)


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """The brokers listen on loopback, in a thread of their own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.listen(), loop).result(10)
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(_end(server), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def _end(server: Server) -> None:
    server.close()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def settings(server: Server) -> ClusterSettings:
    return ClusterSettings("emulated", tuple(server.bootstrap_servers.split(",")))


def walk(
    server: Server,
    rpc: str,
    scope: str,
    *,
    broker: int = 1,
    keys: tuple[str, ...] = (),
    collect: CollectSettings | None = None,
    **chain: Any,
) -> list[Page]:
    """The pages of one chain of our own client at one broker; `limit` items per page with `collect`."""
    at = server.world.brokers.endpoint(broker, server.world.brokers.listeners[0])
    assert at is not None
    one = Chain(broker, "chain", Endpoint(broker, at.host, at.port), keys, **chain)
    fetcher = Fetcher(rpc, scope, settings(server), collect or CollectSettings())
    return list(fetcher.pages(iter([one])))
