"""Our items and Kafka's own, of one RPC on one live cluster, for comparison.

`landed` has the pages that a census planned, `pages` those of requests of a test's own; `said` turns the oracle's rows
into the same columns. A difference is a row that only one of them has; the order inside a list is ignored.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import functions as F

from e2e.operator import Operator
from harness.oracle import ask
from kafka_census.landing.chains import owed
from kafka_census.landing.request import Brokers
from kafka_census.landing.route import Node
from kafka_census.pages.landed_census import read_pages
from kafka_census.paging.page import Chain, Page
from kafka_census.protocol.cluster import bootstrap
from kafka_census.protocol.endpoint import Endpoint
from kafka_census.protocol.settings import ClusterSettings, CollectSettings, Sasl
from kafka_census.publish.views import lake_of
from kafka_census.rpc import RPCS, rpc
from kafka_census.source.fetch import Fetcher, asked
from kafka_census.source.schema import landed_table
from kafka_census.tables.pages import items_column
from kafka_census.tables.walks import WALKS, walk_named

QUICK = CollectSettings(request_timeout_ms=8000, connect_timeout_ms=5000, max_attempts=4)


@dataclass(frozen=True)
class Listing:
    """The comparison of an RPC: its walk, the oracle's kind, and the columns that both have."""

    rpc: str
    scope: str
    kind: str
    columns: tuple[str, ...]

    @property
    def walk(self) -> tuple[str, str]:
        """RPC and scope."""
        return self.rpc, self.scope

    @property
    def name(self) -> str:
        """The RPC's name, with the scope where it has several walks."""
        several = sum(walk.rpc == self.rpc for walk in WALKS) > 1
        return f"{self.rpc}/{self.scope}" if several else self.rpc


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
"""Listings without keys, in addition to those that the tables of the end-to-end tests prove."""

_MEMBER = ("member_id", "client_id", "client_host")
_EPOCHS = ("group_state", "group_epoch", "assignment_epoch")
_TRANSACTION = (
    "transaction_state",
    "transaction_timeout_ms",
    "transaction_start_time_ms",
    "producer_id",
    "producer_epoch",
)
_PRODUCER = (
    "producer_id",
    "producer_epoch",
    "last_sequence",
    "last_timestamp",
    "coordinator_epoch",
    "current_txn_start_offset",
)
_TASKS = ("active_tasks", "standby_tasks", "warmup_tasks")

KEYED = (
    Listing("FindCoordinator", "groups", "group_coordinator", ("key", "node_id")),
    Listing("FindCoordinator", "transactional_ids", "transaction_coordinator", ("key", "node_id")),
    Listing(
        "OffsetFetch",
        "groups",
        "group_offset",
        ("group_id", "topic", "partition", "committed_offset", "leader_epoch", "metadata"),
    ),
    Listing(
        "DescribeGroups",
        "groups",
        "classic_member",
        ("group_id", "group_state", "protocol_type", "protocol", *_MEMBER, "group_instance_id", "assignment"),
    ),
    Listing(
        "ConsumerGroupDescribe",
        "groups",
        "consumer_member",
        (
            *("group_id", *_EPOCHS, "assignor_name", *_MEMBER),
            *("instance_id", "rack_id", "member_epoch", "assignment", "target_assignment"),
        ),
    ),
    Listing(
        "ShareGroupDescribe",
        "groups",
        "share_member",
        ("group_id", *_EPOCHS, *_MEMBER, "rack_id", "member_epoch", "assignment"),
    ),
    Listing(
        "StreamsGroupDescribe",
        "groups",
        "streams_member",
        (
            *("group_id", *_EPOCHS, "topology_epoch", "source_topics", *_MEMBER),
            *("instance_id", "rack_id", "member_epoch", "process_id", *_TASKS),
        ),
    ),
    # Java drops the leader epoch where the start offset is unknown.
    Listing(
        "DescribeShareGroupOffsets",
        "groups",
        "share_offset",
        ("group_id", "topic", "partition", "start_offset", "lag"),
    ),
    *(
        Listing("ListOffsets", scope, scope, ("topic", "partition", "offset", "leader_epoch"))
        for scope in ("earliest", "latest", "last_stable")
    ),
    Listing(
        "ListOffsets",
        "max_timestamp",
        "max_timestamp",
        ("topic", "partition", "offset", "timestamp", "leader_epoch"),
    ),
    Listing(
        "DescribeTransactions",
        "transactional_ids",
        "described_transaction",
        ("transactional_id", *_TRANSACTION, "topic", "partition"),
    ),
    Listing("DescribeProducers", "partitions", "producer", ("topic", "partition", *_PRODUCER)),
)
"""Listings with keys: the keys are listed first, and each request goes to the node of its keys."""

Landed = Mapping[tuple[str, str], Sequence[Page]]
"""The pages of each walk, by RPC and scope."""


def landed(census: Operator) -> Landed:
    """The pages that count of the newest census of a lake: those that the plan of a census has asked for."""
    newest = census.rows(landed_table()).agg(F.max("census_id")).collect()[0][0]
    pages = read_pages(census.spark, lake_of(census.lake), newest).that_count({one.name for one in RPCS})
    found: dict[tuple[str, str], list[Page]] = defaultdict(list)
    for row in pages.collect():
        answer = {name: row[name] for name in ("paging", "error_code", "error_message", "attempts")}
        chain, rows = Chain(row.node_id, row.chain_id, None), tuple(row[items_column(row.rpc)] or ())
        page = Page(chain, row.page_no, None, row.requested_at, row.received_at, rows=rows, **answer)
        found[row.rpc, row.scope].append(page)
    return found


def ingested(census: Operator) -> Landed:
    ran = census.run("ingest")
    assert (ran.code, ran.error) == (0, ""), ran.err[-3000:]
    return landed(census)


def pages(
    servers: str,
    name: str,
    scope: str,
    keys: tuple[str, ...] = (),
    collect: CollectSettings = QUICK,
    at: Endpoint | None = None,
    sasl: Sasl | None = None,
) -> list[Page]:
    """Every page of a walk without keys, as a census plans it; or those of `keys` at one broker.

    `at` is that broker, which may be down; by default the first. `sasl` authenticates over plain text.
    """
    protocol = "SASL_PLAINTEXT" if sasl else "PLAINTEXT"
    settings = ClusterSettings("test", tuple(servers.split(",")), security_protocol=protocol, sasl=sasl)
    view = bootstrap(settings, collect)
    if keys:
        at = at or view.brokers[0]
        chains = [Chain(at.node_id, scope, at, keys)]
    else:
        brokers = Brokers(tuple(Node(one.node_id, one, "alive") for one in view.brokers), view.controller_id)
        chains = [asked(request._asdict())[1] for request in owed([walk_named(name, scope)], brokers, ())]
    return list(Fetcher(name, scope, settings, collect).pages(iter(chains)))


def items(listing: Listing, got: Iterable[Page]) -> Counter[tuple[Any, ...]]:
    """The items of pages in the compared columns, with their counts; an error fails."""
    rows = [row for page in got for row in named(page, listing)]
    assert [page.error_message for page in got if page.error_code] == []
    assert [row for row in rows if row.get("error_code")] == []
    return Counter(_columns(row, listing) for row in rows)


def named(page: Page, listing: Listing) -> list[dict[str, Any]]:
    names = [field.name for field in rpc(listing.rpc, listing.scope).item]
    return [dict(zip(names, row, strict=True)) for row in page.rows]


Said = Mapping[str, Counter[tuple[Any, ...]]]
"""The items of the Java AdminClient in the columns of ours, by listing."""


def in_columns(rows: Iterable[Mapping[str, Any]], listings: Iterable[Listing]) -> Said:
    of = {listing.kind: listing for listing in listings}
    found: dict[str, Counter[tuple[Any, ...]]] = {listing.name: Counter() for listing in of.values()}
    for row in rows:
        listing = of[row["kind"]]
        whole = _entity(row) if row["kind"] == "quota" else row
        found[listing.name][_columns(whole, listing)] += 1
    return found


def said(servers: str, listings: Iterable[Listing]) -> Said:
    of = {listing.kind: listing for listing in listings}
    return in_columns(ask(servers, *of), of.values())


def _columns(row: Mapping[str, Any], listing: Listing) -> tuple[Any, ...]:
    return tuple(_content(row.get(name)) for name in listing.columns)


def _content(value: Any) -> Any:
    """Lists as sorted tuples: partitions of an assignment have no order. Pairs keep their order."""
    if isinstance(value, list):
        return tuple(sorted(_pair(one) for one in value))
    return value


def _pair(one: Any) -> Any:
    """(topic, [partition, ...]), or a plain value."""
    return (one[0], _content(one[1])) if isinstance(one, list | tuple) else one


def _entity(row: Mapping[str, Any]) -> dict[str, Any]:
    """A quota's entity as columns: Java has null for the default entity."""
    names = {kind: "<default>" if name is None else name for kind, name in row["entity"].items()}
    return {**row, "user": names.get("user"), "client_id": names.get("client-id"), "ip": names.get("ip")}
