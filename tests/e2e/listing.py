"""Our items and Kafka's own, of one RPC on one live cluster, to be held against each other.

`listed` fetches as a census does, without Spark and without a lake; `said` turns the oracle's rows into the
same columns. A difference is a row that only one of them has.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from harness.oracle import ask
from kafka_census.paging.page import Page
from kafka_census.protocol.cluster import bootstrap
from kafka_census.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.rpc import rpc
from kafka_census.source.arrow import WaveId
from kafka_census.source.fetch import Fetcher
from kafka_census.source.listing import node_chains, walk_named

QUICK = CollectSettings(request_timeout_ms=8000, connect_timeout_ms=5000, max_attempts=4)


@dataclass(frozen=True)
class Listing:
    """How an RPC is compared: its walk, the oracle's kind, and the columns that both have."""

    rpc: str
    scope: str
    kind: str
    columns: tuple[str, ...]


LISTINGS = (
    Listing(
        "ListTransactions", "transactions", "transaction", ("transactional_id", "producer_id", "transaction_state")
    ),
    Listing(
        "DescribeAcls",
        "acls",
        "acl",
        ("resource_type", "resource_name", "pattern_type", "principal", "host", "operation", "permission"),
    ),
    Listing("DescribeClientQuotas", "quotas", "quota", ("user", "client_id", "ip", "key", "value")),
    Listing("DescribeUserScramCredentials", "scram_users", "scram_user", ("user", "mechanism", "iterations")),
    Listing("ListConfigResources", "config_resources", "config_resource", ("resource_type", "resource_name")),
    Listing(
        "DescribeQuorum",
        "quorum",
        "quorum",
        ("leader_id", "leader_epoch", "replica_id", "replica_directory_id", "is_voter"),
    ),
)
"""Listings without keys, beside those that the tables of the end-to-end tests prove."""


def pages(servers: str, name: str, scope: str, keys: tuple[str, ...] = ()) -> list[Page]:
    """Every page of one walk; with `keys`, of their windows."""
    settings = ClusterSettings("test", tuple(servers.split(",")))
    view = bootstrap(settings, QUICK)
    fetcher = Fetcher(name, scope, settings, QUICK, WaveId("census", view.cluster_id, 0))
    chains = node_chains(walk_named(name, scope), view)
    return list(fetcher.pages(replace(chain, keys=keys or chain.keys) for chain in chains))


def listed(servers: str, listing: Listing) -> Counter[tuple[Any, ...]]:
    """Our items, each as often as it comes; a page that holds an error fails."""
    got = pages(servers, listing.rpc, listing.scope)
    assert [page.error_message for page in got if page.error_code] == []
    names = [field.name for field in rpc(listing.rpc, listing.scope).item]
    rows = (dict(zip(names, row, strict=True)) for page in got for row in page.rows)
    return Counter(tuple(row[name] for name in listing.columns) for row in rows)


def said(servers: str, listings: Iterable[Listing]) -> Mapping[str, Counter[tuple[Any, ...]]]:
    """By RPC: what the Java AdminClient says, in the same columns."""
    of = {listing.kind: listing for listing in listings}
    found: dict[str, Counter[tuple[Any, ...]]] = {listing.rpc: Counter() for listing in of.values()}
    for row in ask(servers, *of):
        listing = of[row["kind"]]
        whole = _entity(row) if row["kind"] == "quota" else row
        found[listing.rpc][tuple(whole.get(name) for name in listing.columns)] += 1
    return found


def _entity(row: Mapping[str, Any]) -> dict[str, Any]:
    """A quota's entity as columns: Java says null for the default one."""
    names = {kind: "<default>" if name is None else name for kind, name in row["entity"].items()}
    return {**row, "user": names.get("user"), "client_id": names.get("client-id"), "ip": names.get("ip")}
