"""Asks the brokers for what one loss depends on, now and without Spark; nothing is landed.

All topics are described, and the configuration of each broker is read, because a partition's minimum ISR may be its
leader's. Log dirs, groups and transactional ids are asked only of the brokers that would be lost.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kafka_census.declarations.walks import walk_named
from kafka_census.impact.lost import Lost
from kafka_census.kafka.error_codes import error_name
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.protocol.cluster import ClusterView, bootstrap
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.rpc import rpc as rpc_named
from kafka_census.landing.fetch.fetch import Fetcher
from kafka_census.landing.fetch.listing import keyed_chains, node_chains, to_the_end

TIMEOUT_MS, CONNECT_TIMEOUT_MS, DEADLINE_MS = 10_000, 3_000, 60_000
"""Limits of a request, of a connection and of a chain: an answer that takes longer is missing."""

_OF_LOST = (("DescribeLogDirs", "log_dirs"), ("ListGroups", "groups"), ("ListTransactions", "transactions"))
_OF_CLUSTER = (
    ("DescribeTopicPartitions", "topics"),
    ("DescribeConfigs", "topics"),
    ("DescribeConfigs", "brokers"),
    ("ListPartitionReassignments", "cluster"),
    ("DescribeQuorum", "quorum"),
)


@dataclass(frozen=True)
class Answer:
    """The answers to one walk.

    items   by column, with `asked_node_id` and `release_at_least`
    errors  (broker, error) of each page that is an error
    """

    items: Sequence[dict[str, Any]]
    errors: Sequence[tuple[int, str]] = ()

    @property
    def gap(self) -> str | None:
        """What is missing, in one line; None where nothing is."""
        return "; ".join(sorted(f"broker {node} answered {error}" for node, error in self.errors)) or None


@dataclass(frozen=True)
class Answers:
    """All answers, by RPC and scope; `lost` are the brokers that were asked for what they alone know."""

    cluster_id: str
    lost: frozenset[int]
    of: dict[tuple[str, str], Answer]


def ask(lost: Lost, cluster: ClusterSettings, collect: CollectSettings) -> Answers:
    """Ask what the loss depends on. Raises Unreachable, AuthenticationFailed, WrongCluster and ConfigError."""
    quick = replace(
        collect,
        request_timeout_ms=min(collect.request_timeout_ms, TIMEOUT_MS),
        connect_timeout_ms=min(collect.connect_timeout_ms, CONNECT_TIMEOUT_MS),
        chain_deadline_ms=min(collect.chain_deadline_ms, DEADLINE_MS),
        max_attempts=min(collect.max_attempts, 2),
    )
    view = bootstrap(cluster, quick)
    asking = _Asking(view, cluster.proving(view.cluster_id), quick)
    brokers = asking.answer("DescribeCluster", "cluster")
    rack_of = {one["node_id"]: one["rack"] or "" for one in brokers.items if not one["is_fenced"]}
    gone = lost.brokers(rack_of)
    found = {("DescribeCluster", "cluster"): brokers} | {walk: asking.answer(*walk) for walk in _OF_CLUSTER}
    return Answers(view.cluster_id, gone, found | {walk: asking.answer(*walk, gone) for walk in _OF_LOST})


class _Asking:
    """One conversation with a cluster; a listing that several walks need is asked for once."""

    def __init__(self, view: ClusterView, cluster: ClusterSettings, collect: CollectSettings) -> None:
        self._view = view
        self._cluster = cluster
        self._collect = collect
        self._listed: dict[tuple[str, str], list[Page]] = {}

    def answer(self, rpc: str, scope: str, only: frozenset[int] | None = None) -> Answer:
        """The items of a walk, of all brokers that owe an answer or `only` of some."""
        walk = walk_named(rpc, scope)
        view = self._view
        if only is not None:
            view = replace(view, brokers=tuple(broker for broker in view.brokers if broker.node_id in only))
            if not view.brokers:
                return Answer(())
        chains = keyed_chains(walk, view, self._collect, self._fetch) if walk.keys else iter(node_chains(walk, view))
        names = [field.name for field in rpc_named(rpc, scope).item]
        items, errors = list[dict[str, Any]](), list[tuple[int, str]]()
        for page in self._pages(rpc, scope, chains):
            node = page.chain.node_id
            if page.error_code:
                errors.append((node, error_name(page.error_code) or str(page.error_code)))
            told = {"asked_node_id": node, "release_at_least": page.release_at_least}
            items += [dict(zip(names, row, strict=True)) | told for row in page.rows]
        return Answer(items, errors)

    def _fetch(self, rpc: str, scope: str, chains: Iterator[Chain]) -> Iterator[Page]:
        """For listings of keys, which are kept."""
        if (rpc, scope) not in self._listed:
            self._listed[rpc, scope] = list(self._pages(rpc, scope, chains))
        return iter(self._listed[rpc, scope])

    def _pages(self, rpc: str, scope: str, chains: Iterator[Chain]) -> Iterator[Page]:
        return to_the_end(Fetcher(rpc, scope, self._cluster, self._collect).pages, chains)
