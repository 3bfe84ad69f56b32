"""Landed pages without a cluster: rows of `landing/pages` as brokers would have answered them.

A page is a tuple in page order; `page()` fills columns that do not matter to a test. The `healthy` census has three
brokers, two topics (and `__consumer_offsets`), three groups and one reassignment; tests change single pages of it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import Any

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StructField, StructType

from harness.few_tables import FEW_TABLES
from kafka_census.census.gate.gate import Judgement, TableJudgement
from kafka_census.declarations.audit import ROUTES
from kafka_census.declarations.census import Census
from kafka_census.declarations.levels import walks_for
from kafka_census.declarations.pages import PAGE, items_column, pages_table
from kafka_census.declarations.table import Table
from kafka_census.kafka.rpc import RPCS
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.landing.fetch.schema import item_type
from kafka_census.pages.header import Header

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BROKERS = (1, 2, 3)
Page = dict[str, Any]
Pages = dict[tuple[str, str], list[Page]]

ITEMS = {
    "DescribeCluster": "node_id INT, host STRING, port INT, rack STRING, is_fenced BOOLEAN, controller_id INT, "
    "cluster_authorized_operations INT",
    "Metadata": "topic STRING, topic_id STRING, is_internal BOOLEAN, partition_count INT, error_code INT, "
    "min_insync_replicas INT",
    "DescribeTopicPartitions": "topic STRING, topic_id STRING, is_internal BOOLEAN, error_code INT, partition INT, "
    "leader_id INT, leader_epoch INT, replicas ARRAY<INT>, isr ARRAY<INT>, eligible_leader_replicas ARRAY<INT>, "
    "last_known_elr ARRAY<INT>, offline_replicas ARRAY<INT>, elr_known BOOLEAN, partition_error_code INT",
    "DescribeConfigs": "resource_type STRING, resource_name STRING, error_code INT, error_message STRING, name STRING, "
    "value STRING, source INT, is_sensitive BOOLEAN",
    "ListPartitionReassignments": "topic STRING, partition INT, replicas ARRAY<INT>, adding_replicas ARRAY<INT>, "
    "removing_replicas ARRAY<INT>",
    "DescribeLogDirs": "log_dir STRING, error_code INT, total_bytes BIGINT, usable_bytes BIGINT, topic STRING, "
    "partition INT, size BIGINT, offset_lag BIGINT, is_future BOOLEAN",
    "ListGroups": "group_id STRING, protocol_type STRING, group_state STRING, group_type STRING",
    "ListTransactions": "transactional_id STRING, producer_id BIGINT, transaction_state STRING",
    "DescribeTransactions": "transactional_id STRING, error_code INT",
    "DescribeAcls": "resource_type STRING, resource_name STRING, pattern_type STRING, principal STRING, "
    "operation STRING, permission STRING, error_code INT",
    "FindCoordinator": "key STRING, error_code INT, error_message STRING, node_id INT, host STRING, port INT",
}

DESCRIBE = 1 << 8

_WHOLE = {rpc.name: item_type(rpc) for rpc in RPCS}


def census(number: int = 1, tables: tuple[str, ...] = ()) -> Census:
    """The census with that number; later numbers start later."""
    started = NOON + timedelta(minutes=number)
    return Census(f"{started:%Y%m%dT%H%M%S}000Z-{number:06x}", "kraft-id", "test", started, tables)


def page(node: int, items: Iterable[tuple[Any, ...]] = (), **columns: Any) -> Page:
    """The only page of its own chain, unless `columns` say otherwise."""
    rows = list(items)
    return {
        "node_id": node,
        "chain_id": f"node-{node}",
        "page_no": 0,
        "part_no": 0,
        "parts": 1,
        "wave": 0,
        "try_no": 0,
        "item_count": len(rows),
        "error_code": 0,
        "attempts": 1,
        "release_at_least": "4.3",
        "paging": "whole",
        "requested_at": NOON,
        "received_at": NOON + timedelta(seconds=1),
        "open_keys": [],
        "items": rows,
    } | columns


def refusal(node: int, code: int, error: str, message: str, **columns: Any) -> Page:
    """A page that holds an error."""
    return page(node, error_code=code, error=error, error_message=message, **columns)


def _described(topic: str, partition: int, replicas: list[int]) -> tuple[Any, ...]:
    head = topic, f"id-{topic}", topic[0] == "_", 0, partition, replicas[0], 0
    return *head, replicas, replicas, [], [], [], True, 0


def _config(kind: str, name: str, value: str) -> tuple[Any, ...]:
    return (kind, name, 0, None, "min.insync.replicas", value, 5, False)


def healthy() -> Pages:
    """Every page of a census in which nothing is wrong; a fresh copy each time."""
    topics = ("__consumer_offsets", "a", "b")
    groups = {1: "g-1", 2: "g-2", 3: "g-3"}
    dirs = {node: [("/d", 0, 100, 50, topic, 0, 10 * node, 0, False) for topic in topics] for node in BROKERS}
    operations = DESCRIBE | 1 << 10
    return {
        ("DescribeCluster", "cluster"): [
            page(1, [(node, f"host-{node}", 9092, None, False, 1, operations) for node in BROKERS])
        ],
        ("Metadata", "names"): [page(1, [(topic, f"id-{topic}", topic[0] == "_", 1, 0, None) for topic in topics])],
        ("DescribeTopicPartitions", "topics"): [
            page(1, [_described(topics[0], 0, [1, 2, 3])], next_cursor='"a"', paging="cursor"),
            page(1, [_described(topics[1], 0, [1, 2, 3])], page_no=1, request_cursor='"a"', next_cursor='"b"'),
            page(1, [_described(topics[2], 0, [2, 3, 1])], page_no=2, request_cursor='"b"'),
        ],
        ("DescribeConfigs", "topics"): [page(1, [_config("topic", topic, "2") for topic in topics])],
        ("DescribeConfigs", "brokers"): [page(node, [_config("broker", str(node), "1")]) for node in BROKERS],
        ("ListPartitionReassignments", "before"): [page(1)],
        ("ListPartitionReassignments", "cluster"): [page(1, [("b", 0, [2, 3, 1], [1], [])])],
        ("DescribeLogDirs", "log_dirs"): [page(node, rows) for node, rows in dirs.items()],
        ("ListGroups", "groups"): [
            page(node, [(group, "consumer", "Empty", "classic")]) for node, group in groups.items()
        ],
        ("ListTransactions", "transactions"): [page(node) for node in BROKERS],
        ("DescribeTransactions", "probe"): [page(1, [("nobody", 105)])],
        ("DescribeAcls", "acls"): [page(1)],
        ("FindCoordinator", "groups"): [page(1, [(group, 0, None, 1, "host-1", 9092) for group in groups.values()])],
    }


def routes() -> list[tuple[Any, ...]]:
    """(rpc, scope, node, alive) of the three brokers, or null as the node where any broker may answer."""
    return [
        (walk.rpc, walk.scope, node, True)
        for walk in walks_for(FEW_TABLES)
        for node in (BROKERS if walk.asks_all_brokers else (None,))
    ]


def bare(data_type: StructType) -> StructType:
    """The schema with every field nullable, so that a test may plant invalid rows."""
    return StructType([StructField(field.name, field.dataType, nullable=True) for field in data_type.fields])


def headers(pages: Pages) -> list[Header]:
    """The headers of the pages, which the page chain judges."""
    return [
        Header(**{field.name: _full(census(), *walk, one).get(field.name) for field in fields(Header)})
        for walk, some in pages.items()
        for one in some
    ]


def passing(*row_counts: int, tables: tuple[Table, ...]) -> Judgement:
    """A judgement that publishes tables with these numbers of rows."""
    judged = (
        TableJudgement(table.name, True, (), "proven", 0, rows, NOON, NOON)
        for table, rows in zip(tables, row_counts, strict=True)
    )
    return Judgement("publish", tuple(judged), (), ())


def _full(made: Census, rpc: str, scope: str, one: Page) -> Page:
    return {"census_id": made.census_id, "cluster_id": made.cluster_id, "rpc": rpc, "scope": scope, "api": rpc} | one


def _with_all_fields(given: StructType, whole: StructType) -> Column:
    """The column `items`, of which only some fields are given; the others are null."""

    def item(one: Column) -> Column:
        return F.struct(
            *(
                (one[field.name] if field.name in given.names else F.lit(None).cast(field.dataType)).alias(field.name)
                for field in whole.fields
            )
        )

    return F.transform("items", item)


@dataclass(frozen=True)
class FakeLake:
    """A lake that is filled without a cluster.

    whole  items have all fields that this release lands
    items  fields of the items, by RPC that has a column
    """

    spark: SparkSession
    lake: Lake
    whole: bool = False
    items: Mapping[str, str] = field(default_factory=lambda: ITEMS)

    def land(self, censuses: Mapping[Census, Pages], routed: Iterable[tuple[Any, ...]] | None = None) -> None:
        """Append all pages and routes of some censuses, in one commit each."""
        given = {rpc: StructType.fromDDL(ddl) for rpc, ddl in self.items.items()}
        landed = pages_table(_WHOLE if self.whole else given)
        store.create(self.spark, self.lake, landed)
        frames = []
        for rpc, item in given.items():
            rows = [
                tuple(_full(made, name, scope, one).get(column) for column in [*PAGE.names, "items"])
                for made, pages in censuses.items()
                for (name, scope), some in pages.items()
                if name == rpc
                for one in some
            ]
            if not rows:
                continue
            frame = self.spark.createDataFrame(rows, bare(PAGE).add("items", ArrayType(item)))
            if self.whole:
                frame = frame.withColumn("items", _with_all_fields(item, _WHOLE[rpc]))
            frames.append(frame.withColumnRenamed("items", items_column(rpc)))
        pages = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)
        store.append(pages.coalesce(1), self.lake, landed, f"test/pages/{hash(tuple(censuses))}")
        owing = [
            (made.census_id, made.cluster_id, rpc, scope, node, alive, "h", 1, "alive")
            for made in censuses
            for rpc, scope, node, alive in (routes() if routed is None else routed)
        ]
        frame = self.spark.createDataFrame(owing, ROUTES.schema).coalesce(1)
        store.append(frame, self.lake, ROUTES, f"test/routes/{hash(tuple(censuses))}")
