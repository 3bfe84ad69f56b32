"""The fetcher: requests in, pages out, as Arrow batches; runs inside one Spark task.

The chains of a task's nodes run at the same time on kafka-python's event loop,
without threads: one page in flight a node's chains, so that a slow or throttled node
delays nobody but its own chains, and those that followed their keys to it. Requests are pulled as they are
needed and pages handed on as they come: what is held is at most one page a node
and a few queued chains, however large the cluster.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from kafka.future import Future
from kafka.net.selector import NetworkSelector

from kafka_census.clock import Clock
from kafka_census.paging.cursor import from_json
from kafka_census.paging.nodes import Nodes
from kafka_census.paging.page import Chain, Page
from kafka_census.paging.pager import Pager, refused
from kafka_census.protocol.connection import Endpoint
from kafka_census.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.rpc import rpc as rpc_named
from kafka_census.source.archives import forget_archives
from kafka_census.source.arrow import PageEncoder, WaveId

QUEUED_CHAINS = 64
"""Chains pulled ahead of need; each holds the keys of one window."""

HELD_PAGES = 8
"""Pages that wait to be handed on before the walks pause."""


def chain_of(row: dict[str, Any]) -> Chain:
    """A row of a requests frame (`source.schema.REQUEST`) as a chain."""
    asked = row["refusal_code"] is None
    return Chain(
        node_id=row["node_id"],
        chain_id=row["chain_id"],
        endpoint=Endpoint(row["node_id"], row["host"], row["port"]) if asked else None,
        keys=tuple(row["keys"]),
        page_no=row["page_no"],
        try_no=row["try_no"],
        cursor=from_json(row["cursor"]),
        refusal=None if asked else (row["refusal_code"], row["refusal"]),
        waves=row["waves"],
        empty_pages=row["empty_pages"],
    )


@dataclass(frozen=True)
class Fetcher:
    """Fetches the chains of one RPC and scope; travels to the executors as a value."""

    rpc: str
    scope: str
    cluster: ClusterSettings
    collect: CollectSettings
    wave: WaveId

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Batches of requests in, one batch a page out; suits `DataFrame.mapInArrow`."""
        chains = (chain_of(row) for batch in batches for row in batch.to_pylist())
        encoder = PageEncoder(rpc_named(self.rpc, self.scope), self.wave)
        try:
            for page in self.pages(chains):
                yield encoder.encode(page)
        finally:
            forget_archives()

    def pages(self, chains: Iterator[Chain]) -> Iterator[Page]:
        """Walk the chains; pages come in the order in which they are received."""
        walks = _Walks(self, chains)
        try:
            yield from walks.run()
        finally:
            walks.close()


class _Walks:
    """The chains of one task while they are walked."""

    def __init__(self, fetcher: Fetcher, chains: Iterator[Chain]) -> None:
        self._fetcher = fetcher
        self._chains = chains
        self._clock = Clock()
        self._net = NetworkSelector(client_id=fetcher.cluster.client_id, slow_task_threshold_secs=0)
        self._nodes: dict[int, Nodes] = {}
        self._queues: dict[int, deque[Chain]] = {}
        self._running: dict[int, Future] = {}
        self._pages: deque[Page] = deque()
        self._news = Future()
        self._room = Future()
        self._exhausted = False

    def run(self) -> Iterator[Page]:
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
            chain = next(self._chains, None)
            if chain is None:
                self._exhausted = True
            elif chain.endpoint is None:
                self._pages.append(refused(chain, self._clock))
            else:
                self._queues.setdefault(chain.node_id, deque()).append(chain)

    def _reap(self) -> None:
        """Forget walks that ended; a bug inside one must not look like an end."""
        for node_id, walk in list(self._running.items()):
            if walk.is_done:
                del self._running[node_id]
                if walk.exception is not None:
                    raise walk.exception

    async def _serve(self, node_id: int) -> None:
        """Walk the queued chains of one node, one after the other."""
        fetcher = self._fetcher
        # Not shared with other nodes' walks: a chain that follows its keys elsewhere has its own connection there.
        nodes = self._nodes.setdefault(node_id, Nodes(self._net, fetcher.cluster, fetcher.collect))
        rpc = rpc_named(fetcher.rpc, fetcher.scope)
        pager = Pager(self._net, rpc, nodes, fetcher.collect, self._clock, self._emit)
        try:
            while self._queues[node_id]:
                await pager.walk(self._queues[node_id].popleft())
        finally:
            self._tell()

    async def _emit(self, page: Page) -> None:
        self._pages.append(page)
        self._tell()
        if len(self._pages) >= HELD_PAGES:
            await self._room

    def _tell(self) -> None:
        if not self._news.is_done:
            self._news.success(None)
