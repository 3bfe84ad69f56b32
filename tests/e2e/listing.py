"""Our items and Kafka's own, of one RPC on one live cluster, for comparison.

`landed` has the pages that a census planned, `pages` those of requests of a test's own; `said` turns the oracle's rows
into the same columns. A difference is a row that only one of them has; the order inside a list is ignored.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from confluent_kafka.admin import PartitionMetadata
from pyspark.sql import functions as F

from e2e.operator import Operator
from harness import workload
from harness.broker import LATEST
from harness.oracle import ask
from kafka_census.census.publish.views import lake_of
from kafka_census.declarations.pages import items_column
from kafka_census.declarations.walks import WALKS, walk_named
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.settings import ClusterSettings, Sasl
from kafka_census.kafka.rpc import RPCS, rpc
from kafka_census.landing.chains import first_requests
from kafka_census.landing.fetch.fetch import Fetcher, asked
from kafka_census.landing.fetch.schema import landed_table
from kafka_census.landing.request import Brokers
from kafka_census.landing.route import Node
from kafka_census.pages.landed_census import read_pages

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


def _listing(rpc: str, scope: str, kind: str, columns: str) -> Listing:
    return Listing(rpc, scope, kind, tuple(columns.split()))


_ACL = "resource_type resource_name pattern_type principal host operation permission"

LISTINGS = (
    _listing("ListTransactions", "transactions", "transaction", "transactional_id producer_id transaction_state"),
    _listing("DescribeAcls", "acls", "acl", _ACL),
    _listing("DescribeClientQuotas", "quotas", "quota", "user client_id ip key value"),
    _listing("DescribeUserScramCredentials", "scram_users", "scram_user", "user mechanism iterations"),
    _listing("ListConfigResources", "config_resources", "config_resource", "resource_type resource_name"),
    _listing("DescribeQuorum", "quorum", "quorum", "leader_id leader_epoch replica_id replica_directory_id is_voter"),
)
"""Listings without keys, in addition to those that the tables of the end-to-end tests prove."""

_MEMBER = "member_id client_id client_host"
_OF_GROUP = f"group_id group_state group_epoch assignment_epoch {_MEMBER} rack_id member_epoch"
_CLASSIC = f"group_id group_state protocol_type protocol {_MEMBER} group_instance_id assignment"
_CONSUMER = f"{_OF_GROUP} assignor_name instance_id assignment target_assignment"
_STREAMS = (
    f"{_OF_GROUP} topology_epoch source_topics assignor_name instance_id process_id active_tasks standby_tasks "
    "warmup_tasks"
)
_OFFSET = "group_id topic partition committed_offset leader_epoch metadata"
_TRANSACTION = (
    "transactional_id transaction_state transaction_timeout_ms transaction_start_time_ms producer_id producer_epoch "
    "topic partition"
)
_PRODUCER = (
    "topic partition producer_id producer_epoch last_sequence last_timestamp coordinator_epoch current_txn_start_offset"
)

KEYED = (
    _listing("FindCoordinator", "groups", "group_coordinator", "key node_id"),
    _listing("FindCoordinator", "transactional_ids", "transaction_coordinator", "key node_id"),
    _listing("OffsetFetch", "groups", "group_offset", _OFFSET),
    _listing("DescribeGroups", "groups", "classic_member", _CLASSIC),
    _listing("ConsumerGroupDescribe", "groups", "consumer_member", _CONSUMER),
    _listing("ShareGroupDescribe", "groups", "share_member", f"{_OF_GROUP} assignment"),
    _listing("StreamsGroupDescribe", "groups", "streams_member", _STREAMS),
    # Java drops the leader epoch where the start offset is unknown.
    _listing("DescribeShareGroupOffsets", "groups", "share_offset", "group_id topic partition start_offset lag"),
    *(
        _listing("ListOffsets", scope, scope, "topic partition offset leader_epoch")
        for scope in ("earliest", "latest", "last_stable")
    ),
    _listing("ListOffsets", "max_timestamp", "max_timestamp", "topic partition offset timestamp leader_epoch"),
    _listing("DescribeTransactions", "transactional_ids", "described_transaction", _TRANSACTION),
    _listing("DescribeProducers", "partitions", "producer", _PRODUCER),
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
    census.done("ingest")
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
        chains = [asked(request._asdict())[1] for request in first_requests([walk_named(name, scope)], brokers, ())]
    return list(Fetcher(name, scope, settings, collect).pages(iter(chains)))


def rows_of(servers: str, name: str, scope: str, *keys: str) -> list[dict[str, Any]]:
    """The rows of the pages of a walk without keys, or of those of `keys` at the first broker."""
    return rows_in(pages(servers, name, scope, keys), name, scope)


def rows_in(got: Iterable[Page], name: str, scope: str) -> list[dict[str, Any]]:
    names = [field.name for field in rpc(name, scope).item]
    return [dict(zip(names, row, strict=True)) for page in got for row in page.rows]


def await_rest(servers: str, shared: str, partitions: Collection[int]) -> None:
    """Wait until no group rebalances, and a share group has read these partitions to their ends."""
    deadline = time.monotonic() + 60
    while unrest := [
        *(row for row in rows_of(servers, "ListGroups", "groups") if row["group_state"] not in ("Stable", "Empty")),
        *(
            row
            for row in rows_of(servers, "DescribeShareGroupOffsets", "groups", shared)
            if row["partition"] in partitions and row["lag"] != 0
        ),
    ]:
        assert time.monotonic() < deadline, unrest
        time.sleep(0.05)


def topics(servers: str) -> set[str]:
    return {topic for topic, _ in partitions(servers)}


def partitions(servers: str) -> Mapping[tuple[str, int], PartitionMetadata]:
    found = workload.admin(servers).list_topics(timeout=20).topics
    return {(name, number): one for name, topic in found.items() for number, one in topic.partitions.items()}


def await_partitions(servers: str, holds: Callable[[tuple[str, int], PartitionMetadata], bool]) -> None:
    deadline = time.monotonic() + 60
    while other := [one for one in partitions(servers).items() if not holds(*one)]:
        assert time.monotonic() < deadline, other
        time.sleep(0.1)


def items(listing: Listing, got: Collection[Page]) -> Counter[tuple[Any, ...]]:
    """The items of pages in the compared columns, with their counts; an error fails."""
    rows = rows_in(got, *listing.walk)
    assert [page.error_message for page in got if page.error_code] == []
    assert [row for row in rows if row.get("error_code")] == []
    return Counter(_columns(row, listing) for row in rows)


Said = Mapping[str, Counter[tuple[Any, ...]]]
"""The items of the Java AdminClient in the columns of ours, by listing."""


def in_columns(rows: Iterable[Mapping[str, Any]], listings: Iterable[Listing]) -> Said:
    of = {listing.kind: listing for listing in listings}
    found: dict[str, Counter[tuple[Any, ...]]] = {listing.name: Counter() for listing in of.values()}
    for row in rows:
        listing, whole = of[row["kind"]], row
        if row["kind"] == "quota":
            # Java has null for the default entity.
            names = {kind: "<default>" if name is None else name for kind, name in row["entity"].items()}
            whole = {**row, "user": names.get("user"), "client_id": names.get("client-id"), "ip": names.get("ip")}
        found[listing.name][_columns(whole, listing)] += 1
    return found


def said(servers: str, listings: Iterable[Listing], version: str = LATEST) -> Said:
    of = {listing.kind: listing for listing in listings}
    return in_columns(ask(servers, *of, version=version), of.values())


def assert_as_the_java_client_says(census: Operator, servers: str, version: str = LATEST) -> None:
    """Each partition once, with its leader and the replicas in sync; each group once, with its coordinator."""
    told = ask(servers, "partition", "coordinator", version=version)
    partitions, groups = (census.read(name) for name in ("under_min_isr_partitions", "group_coordinator_placement"))
    assert sorted(
        (row["topic"], row["partition"], row["leader_id"], sorted(row["isr"])) for row in partitions
    ) == sorted(
        (row["topic"], row["partition"], row["leader"], sorted(row["isr"]))
        for row in told
        if row["kind"] == "partition"
    )
    assert sorted((row["group_id"], row["found_coordinator"], row["expected_coordinator"]) for row in groups) == sorted(
        (row["group_id"], *[row["coordinator"]] * 2) for row in told if row["kind"] == "coordinator"
    )


def _columns(row: Mapping[str, Any], listing: Listing) -> tuple[Any, ...]:
    return tuple(_content(row.get(name)) for name in listing.columns)


def _content(value: Any) -> Any:
    """Lists as sorted tuples: partitions of an assignment have no order. Pairs keep their order."""
    if isinstance(value, list):
        return tuple(sorted((one[0], _content(one[1])) if isinstance(one, list | tuple) else one for one in value))
    return value
