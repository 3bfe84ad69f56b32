"""The route: every broker that owes an answer, alive or not.

The nodes of a census are those that DescribeCluster names, alive or fenced (v2), and every id in
any replica list. A stopped broker vanishes from Metadata; replica lists still name it, so that it owes
a page, which is landed as BROKER_NOT_ALIVE. A fenced broker that no replica list names owes nothing, once all lists
were read: without a replica it leads and coordinates nothing. A broker that only the previous census knew owes nothing
either: it was decommissioned, or is down and holds no replica. The table `brokers` reports it once.
The route is written once per census; the completeness gate compares the
landed chains with it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.declarations.audit import ROUTES
from kafka_census.declarations.census import Census
from kafka_census.declarations.walk import Walk
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.pages.header import Header, latest
from kafka_census.pages.page_chain import Owing

ANY = "any"
_REPLICAS = ("DescribeTopicPartitions", "topics")


@dataclass(frozen=True)
class Node:
    """A broker that owes answers; `endpoint` is None when it cannot be asked, `why` says how it is known."""

    node_id: int
    endpoint: Endpoint | None
    why: str


def written(spark: SparkSession, lake: Lake, census: Census) -> tuple[Node, ...]:
    """The nodes of a census in the audit table `routes`; none before they are written."""
    rows = (
        store.rows(spark, lake, ROUTES, census.census_id)
        .where(F.col("broker_id").isNotNull())
        .select("broker_id", "host", "port", "why")
        .distinct()
        .orderBy("broker_id")
        .collect()
    )
    return tuple(
        Node(row.broker_id, Endpoint(row.broker_id, row.host, row.port) if row.host is not None else None, row.why)
        for row in rows
    )


def write(
    spark: SparkSession, lake: Lake, census: Census, nodes: Sequence[Node], walks: Sequence[Walk], *, may_repeat: bool
) -> None:
    """Append the chains that are owed to the audit table `routes`; `may_repeat` as in `store.append`."""
    anyone = (True, None, None, ANY)
    by_id = {node.node_id: _columns(node) for node in nodes}
    rows = [(*chain, *(anyone if chain[2] is None else by_id[chain[2]])) for chain in owing(nodes, walks)]
    frame = local_frame(spark, [(census.census_id, census.cluster_id, *row) for row in rows], ROUTES.schema)
    store.append(frame, lake, ROUTES, f"{census.census_id}/routes", may_repeat=may_repeat)


def owing(nodes: Sequence[Node], walks: Sequence[Walk]) -> list[Owing]:
    """The chains that are owed: of each walk one of each node, or one without a broker where any of them may answer."""
    return [
        (walk.rpc, walk.scope, node_id)
        for walk in walks
        for node_id in ([node.node_id for node in nodes] if walk.asks_all_brokers else [None])
    ]


def _columns(node: Node) -> tuple[bool, str | None, int | None, str]:
    """`is_alive`, `host`, `port` and `why` of the audit table."""
    host, port = (node.endpoint.host, node.endpoint.port) if node.endpoint else (None, None)
    return node.endpoint is not None, host, port, node.why


def found(headers: Iterable[Header], known: Iterable[Node]) -> tuple[Node, ...]:
    """The nodes that the pages which count name, in order of id.

    known  the brokers that bootstrap named: where no page names any, because DescribeCluster has no answer, they owe
    """
    named: dict[int, Mapping[str, Any]] = {}
    listed: set[int] = set()
    chains = latest(headers)
    for header in (header for pages in chains.values() for header in pages):
        named.update({broker["node_id"]: broker for broker in header.brokers or ()})
        listed.update(header.replica_ids or ())
    described = [pages for (walk, _), pages in chains.items() if walk == _REPLICAS]
    is_whole = bool(described) and all(
        pages[-1].ended and not any(page.failed for page in pages) for pages in described
    )
    without_replicas = {node_id for node_id, one in named.items() if is_whole and one["is_fenced"]} - listed
    alive = {} if named else {node.node_id: node for node in known}
    ids = sorted({*named, *listed, *alive} - without_replicas)
    return tuple(alive.get(node_id) or _node(node_id, named.get(node_id)) for node_id in ids)


def _node(node_id: int, broker: Mapping[str, Any] | None) -> Node:
    """The node of a broker that DescribeCluster names, or that only replica lists name."""
    if broker is None:
        return Node(node_id, None, "in a replica list")
    if broker["is_fenced"]:
        return Node(node_id, None, "fenced")
    return Node(node_id, Endpoint(node_id, broker["host"], broker["port"]), "alive")
