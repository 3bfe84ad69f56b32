"""How pages are fetched: the keys of a request, items of a page, attempts, waves and deadlines."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class CollectSettings:
    """How pages are fetched.

    page_limit               items asked for a page at most
    page_limits              the same for single RPCs, by Kafka's name
    keys_per_request         keys in one window (group ids, topics); `Rpc.window_size` says where page_limit
    pages_per_wave           pages that a chain may land in one wave, before they are committed
    tasks                    Spark tasks per wave; None: the number of cores, never more than nodes
    collect_on               `executors`, or `driver` where executors may open no sockets
    max_attempts             sends of one request before its error is landed
    max_tries                waves that ask an error chain again within one run
    max_waves                waves that one chain may take, resumed ones included
    max_empty_pages          pages by cursor without an item that may follow each other in one chain
    chain_deadline_ms        time one chain may take in one wave, throttling included
    receive_message_max_bytes  largest response frame that is accepted
    """

    page_limit: int = 2000
    page_limits: Mapping[str, int] = field(default_factory=dict)
    keys_per_request: int = 500
    pages_per_wave: int = 200
    tasks: int | None = None
    collect_on: str = "executors"
    request_timeout_ms: int = 30_000
    connect_timeout_ms: int = 10_000
    retry_backoff_ms: int = 100
    retry_backoff_max_ms: int = 5_000
    max_attempts: int = 6
    max_tries: int = 2
    max_waves: int = 1000
    max_empty_pages: int = 1000
    chain_deadline_ms: int = 300_000
    receive_message_max_bytes: int = 100_000_000

    def page_limit_of(self, rpc: str) -> int:
        """Items asked for a page of this RPC at most."""
        return self.page_limits.get(rpc, self.page_limit)
