"""The fetcher: requests in, pages out, as Arrow batches; runs inside one Spark task.

The chains of different nodes run at the same time on kafka-python's event loop,
without threads: each node has one page in flight, so that a slow or throttled node
delays only its own chains, and chains that followed their keys to it. Requests are pulled as they are
needed and pages are passed on as they arrive: memory holds at most one page per node
and a few queued chains, however large the cluster.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from kafka.future import Future
from kafka.net.selector import NetworkSelector
from pyspark.sql.types import StructType

from kafka_census.clock import Clock
from kafka_census.declarations.pages import items_column
from kafka_census.declarations.walks import walk_named
from kafka_census.kafka.paging.cursor import from_json
from kafka_census.kafka.paging.nodes import Nodes
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.paging.pager import Pager, refused
from kafka_census.kafka.paging.rpc import Rpc
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.rpc import rpc as rpc_named
from kafka_census.landing.fetch.arrow import PageEncoder, WaveId

QUEUED_CHAINS = 64
"""Chains pulled ahead of need; each holds the keys of one window."""

HELD_PAGES = 8
"""The number of pages waiting to be passed on at which the walks pause."""


def asked(row: dict[str, Any]) -> tuple[Rpc, Chain]:
    """A row of a requests frame (`source.schema.REQUEST`): the RPC, and the chain to walk."""
    is_asked = row["refusal_code"] is None
    chain = Chain(
        node_id=row["node_id"],
        chain_id=row["chain_id"],
        endpoint=Endpoint(row["node_id"], row["host"], row["port"]) if is_asked else None,
        keys=tuple(row["keys"]),
        page_no=row["page_no"],
        try_no=row["try_no"],
        cursor=from_json(row["cursor"]),
        refusal=None if is_asked else (row["refusal_code"], row["refusal"]),
        waves=row["waves"],
        empty_pages=row["empty_pages"],
    )
    return rpc_named(row["rpc"], row["scope"]), chain


@dataclass(frozen=True)
class WaveFetcher:
    """Fetches the chains of one wave, of any RPC; is pickled and sent to the executors.

    schema  the columns of its pages: the header, and the items of each RPC of the wave (`schema.wave_schema`)
    """

    schema: StructType
    cluster: ClusterSettings
    collect: CollectSettings
    wave: WaveId

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Batches of requests in, one batch per page out; suits `DataFrame.mapInArrow`."""
        encoder = PageEncoder(self.schema, items_column, self.wave)
        for rpc, page in _walked(
            self.cluster, self.collect, (asked(row) for batch in batches for row in batch.to_pylist())
        ):
            yield encoder.encode(rpc, page)


@dataclass(frozen=True)
class Fetcher:
    """Fetches chains of one RPC and scope in this process."""

    rpc: str
    scope: str
    cluster: ClusterSettings
    collect: CollectSettings

    def pages(self, chains: Iterator[Chain]) -> Iterator[Page]:
        """Walk the chains; pages are in the order of arrival."""
        rpc = rpc_named(self.rpc, self.scope)
        for _, page in _walked(self.cluster, self.collect, ((rpc, chain) for chain in chains)):
            yield page


def _walked(
    cluster: ClusterSettings, collect: CollectSettings, chains: Iterator[tuple[Rpc, Chain]]
) -> Iterator[tuple[Rpc, Page]]:
    """Walk chains of several RPCs; pages are in the order of arrival."""
    walks = _Walks(cluster, collect, chains)
    try:
        yield from walks.run()
    finally:
        walks.close()


class _Walks:
    """The chains of one task while they are walked."""

    def __init__(self, cluster: ClusterSettings, collect: CollectSettings, chains: Iterator[tuple[Rpc, Chain]]) -> None:
        self._cluster = cluster
        self._collect = collect
        self._chains = chains
        self._clock = Clock()
        self._net = NetworkSelector(client_id=cluster.client_id, slow_task_threshold_secs=0)
        self._nodes: dict[int, Nodes] = {}
        self._queues: dict[int, deque[tuple[Rpc, Chain]]] = {}
        self._running: dict[int, Future] = {}
        self._pages: deque[tuple[Rpc, Page]] = deque()
        self._news = Future()
        self._room = Future()
        self._exhausted = False

    def run(self) -> Iterator[tuple[Rpc, Page]]:
        while True:
            self._pull()
            for node_id, queue in self._queues.items():
                if queue and node_id not in self._running:
                    self._running[node_id] = self._net.call_soon_with_future(self._serve, node_id)
            if not self._running and not self._pages:
                if self._exhausted:
                    return
                continue
            if not self._pages:
                self._net.poll(future=self._news)
            self._news = Future()
            while self._pages:
                yield self._pages.popleft()
            room, self._room = self._room, Future()
            room.success(None)
            self._reap()

    def close(self) -> None:
        for nodes in self._nodes.values():
            nodes.close()
        self._net.close()

    def _pull(self) -> None:
        while not self._exhausted and sum(map(len, self._queues.values())) < QUEUED_CHAINS:
            found = next(self._chains, None)
            if found is None:
                self._exhausted = True
                return
            rpc, chain = found
            if chain.endpoint is None:
                self._pages.append((rpc, refused(chain, self._clock)))
            else:
                self._queues.setdefault(chain.node_id, deque()).append(found)

    def _reap(self) -> None:
        """Drop walks that ended; raise the exception of a walk that failed, so that no bug looks like an end."""
        for node_id, walk in list(self._running.items()):
            if walk.is_done:
                del self._running[node_id]
                if walk.exception is not None:
                    raise walk.exception

    async def _serve(self, node_id: int) -> None:
        """Walk the queued chains of one node, one after the other."""
        # Not shared with other nodes' walks: a chain that follows its keys to another node opens a connection there.
        nodes = self._nodes.setdefault(node_id, Nodes(self._net, self._cluster, self._collect))
        try:
            while self._queues[node_id]:
                rpc, chain = self._queues[node_id].popleft()
                lookup = walk_named(rpc.name, rpc.scope).lookup
                pager = Pager(self._net, rpc, lookup, nodes, self._collect, self._clock, self._emits(rpc))
                await pager.walk(chain)
        finally:
            self._tell()

    def _emits(self, rpc: Rpc) -> Callable[[Page], Awaitable[None]]:
        """A callback that queues the pages of an RPC's walk, and makes the walk wait while the queue is full."""

        async def emit(page: Page) -> None:
            self._pages.append((rpc, page))
            self._tell()
            if len(self._pages) >= HELD_PAGES:
                await self._room

        return emit

    def _tell(self) -> None:
        if not self._news.is_done:
            self._news.success(None)
