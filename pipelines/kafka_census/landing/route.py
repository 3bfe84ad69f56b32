"""Who owes an answer: every broker that should be there, whether or not it is.

The nodes of a census are those alive, those fenced (DescribeCluster v2), every id in
any replica list, and the brokers of the last published census. A stopped broker vanishes
from Metadata; by this union it still owes a page, and lands it as BROKER_NOT_ALIVE.
The route is written once a census, before the first node is asked, and is what the
completeness gate holds the landed chains against.
"""

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.census import Census
from kafka_census.landing.pages import landed_items
from kafka_census.protocol.connection import Endpoint
from kafka_census.tables import store
from kafka_census.tables.books import PUBLICATIONS, ROUTES
from kafka_census.tables.lake import Lake
from kafka_census.tables.landed import Landed
from kafka_census.tables.rows import local_frame

ANY = "any"


@dataclass(frozen=True)
class Node:
    """A broker that owes answers; `endpoint` None when it cannot be asked, `why` how it is known."""

    node_id: int
    endpoint: Endpoint | None
    why: str


def route(spark: SparkSession, lake: Lake, census: Census, walks: tuple[Landed, ...]) -> tuple[Node, ...]:
    """The nodes of this census: as written before, or found out now and written."""
    nodes = _nodes_of(store.rows(spark, lake, ROUTES, census.census_id))
    if nodes:
        return nodes
    nodes = _find(spark, lake, census)
    rows: list[tuple[object, ...]] = []
    for walk in walks:
        if not walk.every_node:
            rows.append((walk.rpc, walk.scope, None, True, None, None, ANY))
            continue
        for node in nodes:
            host, port = (node.endpoint.host, node.endpoint.port) if node.endpoint else (None, None)
            rows.append((walk.rpc, walk.scope, node.node_id, node.endpoint is not None, host, port, node.why))
    frame = local_frame(spark, [(census.census_id, census.cluster_id, *row) for row in rows], ROUTES.schema)
    store.append(frame, lake, ROUTES, f"{census.census_id}/routes")
    return nodes


def _nodes_of(written: DataFrame) -> tuple[Node, ...]:
    rows = (
        written.where(F.col("node_id").isNotNull())
        .select("node_id", "host", "port", "why")
        .distinct()
        .orderBy("node_id")
        .collect()
    )
    return tuple(
        Node(row.node_id, Endpoint(row.node_id, row.host, row.port) if row.host is not None else None, row.why)
        for row in rows
    )


def _find(spark: SparkSession, lake: Lake, census: Census) -> tuple[Node, ...]:
    """Few rows reach the driver: one a broker."""
    cluster = landed_items(spark, lake, census, "DescribeCluster", "cluster")
    known = {
        row.node_id: Node(
            row.node_id,
            None if row.is_fenced else Endpoint(row.node_id, row.host, row.port),
            "fenced" if row.is_fenced else "alive",
        )
        for row in cluster.select("node_id", "host", "port", "is_fenced").collect()
    }
    partitions = landed_items(spark, lake, census, "DescribeTopicPartitions", "topics")
    replicas = partitions.select(F.explode("replicas").alias("node_id"), F.lit("in a replica list").alias("why"))
    before = _last_census(spark, lake, census)
    others = (replicas if before is None else replicas.unionByName(before)).distinct()
    others = others.orderBy("node_id", F.desc("why"))
    for row in others.collect():
        known.setdefault(row.node_id, Node(row.node_id, None, row.why))
    return tuple(known[node_id] for node_id in sorted(known))


def _last_census(spark: SparkSession, lake: Lake, census: Census) -> DataFrame | None:
    """Brokers that the last published census of this cluster had on its route; None on a first census."""
    published = store.find(spark, lake, PUBLICATIONS)
    if published is None:
        return None
    routes = store.read(spark, lake, ROUTES)
    last = published.where(F.col("cluster_id") == census.cluster_id).agg(F.max("census_id").alias("census_id"))
    return (
        routes.join(last, on="census_id", how="left_semi")
        .where(F.col("node_id").isNotNull())
        .select("node_id", F.lit("in the last census").alias("why"))
    )
