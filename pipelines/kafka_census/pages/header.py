"""The header of a landed page, and the rule that says which pages count.

Pure, and without Spark. A header is a row of `landing/pages` without its items. Where a page was asked for again, the
highest try counts. A page that was asked for without a cursor restarts its chain (its node has changed its way of
paging): earlier pages of the chain do not count. Headers are few, one per page of up to thousands of items, so that
the driver holds those of a whole census; `superseded` gives Spark the answers that do not count.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

WalkName = tuple[str, str]
"""(rpc, scope)."""

PageKey = tuple[str, str, str, int, int]
"""(rpc, scope, chain_id, page_no, try_no): one answer, with all of its parts."""


@dataclass(frozen=True)
class Header:
    """A landed row of a page: the columns of the same name in `tables.pages`, and five fields from its lists.

    item_codes      the error codes of its items, each once; never 0
    internal        for Metadata and DescribeTopicPartitions, the items of Kafka's internal topics: topic, error_code,
                    partition_count, partition and leader_id, null where the RPC has no such field
    brokers         for DescribeCluster, its items: node_id, host, port, is_fenced (false where that is not reported)
    replica_ids     for DescribeTopicPartitions, the ids of brokers in its items' replica lists, each once
    open_key_count  the number of its `open_keys`
    """

    rpc: str
    scope: str
    api: str | None
    api_version: int | None
    paging: str | None
    node_id: int | None
    chain_id: str
    page_no: int
    part_no: int
    parts: int
    try_no: int
    request_cursor: str | None
    next_cursor: str | None
    item_count: int
    error_code: int | None
    error: str | None
    error_message: str | None
    throttle_time_ms: int | None
    attempts: int | None
    response_bytes: int | None
    requested_at: datetime | None
    received_at: datetime | None
    wave: int = 0
    item_codes: Sequence[int] | None = None
    internal: Sequence[Mapping[str, Any]] | None = None
    brokers: Sequence[Mapping[str, Any]] | None = None
    replica_ids: Sequence[int] | None = None
    open_key_count: int = 0

    @property
    def walk(self) -> WalkName:
        """The walk that the row belongs to."""
        return self.rpc, self.scope

    @property
    def key(self) -> PageKey:
        """The answer that the row is a part of."""
        return self.rpc, self.scope, self.chain_id, self.page_no, self.try_no

    @property
    def failed(self) -> bool:
        """Whether the page holds an error."""
        return bool(self.error_code)

    @property
    def starts(self) -> bool:
        """Whether the page starts or restarts its chain; an error page never does."""
        return not self.failed and self.request_cursor is None

    @property
    def ended(self) -> bool:
        """Whether the page ends its chain: its next cursor is null, and it holds no error."""
        return not self.failed and self.next_cursor is None


def latest(headers: Iterable[Header]) -> dict[tuple[WalkName, str], list[Header]]:
    """By walk and chain: rows of the highest try of each page, by page and part, since the chain last started."""
    pages: defaultdict[tuple[WalkName, str, int], list[Header]] = defaultdict(list)
    for header in headers:
        pages[header.walk, header.chain_id, header.page_no].append(header)
    chains: defaultdict[tuple[WalkName, str], list[Header]] = defaultdict(list)
    for (walk, chain, _), rows in sorted(pages.items(), key=lambda page: page[0]):
        last_try = max(row.try_no for row in rows)
        tried = sorted((r for r in rows if r.try_no == last_try), key=lambda r: r.part_no)
        if tried[0].starts and not (chains[walk, chain] and chains[walk, chain][-1].ended):
            chains[walk, chain].clear()
        chains[walk, chain] += tried
    return dict(chains)


def superseded(headers: Sequence[Header]) -> frozenset[PageKey]:
    """The answers that do not count: earlier tries, and pages from before their chain restarted."""
    counted = {row.key for rows in latest(headers).values() for row in rows}
    return frozenset(row.key for row in headers) - counted
