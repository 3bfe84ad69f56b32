"""Landed pages without a cluster: rows of `landing/pages` as brokers would have answered them.

A page is a tuple in page order; `page()` fills columns that do not matter to a test. The `healthy` census has three
brokers, two topics (and `__consumer_offsets`), three groups and one reassignment; tests change single pages of it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import Any

from pyspark.sql.types import StructField, StructType

from harness.few_tables import FEW_TABLES
from harness.small_lake import NOON, append
from kafka_census.census.gate.gate import Judgement, TableJudgement
from kafka_census.declarations.audit import ROUTES
from kafka_census.declarations.census import Census
from kafka_census.declarations.levels import walks_for
from kafka_census.declarations.pages import items_column, pages_table
from kafka_census.declarations.table import Table
from kafka_census.kafka.rpc import RPCS
from kafka_census.lake.lake import Lake
from kafka_census.landing.fetch.schema import item_type
from kafka_census.pages.header import Header

BROKERS = (1, 2, 3)
Page = dict[str, Any]
Pages = dict[tuple[str, str], list[Page]]

ITEMS = {
    "DescribeCluster": "node_id host port rack is_fenced controller_id cluster_authorized_operations",
    "Metadata": "topic topic_id is_internal partition_count error_code min_insync_replicas",
    "DescribeTopicPartitions": "topic topic_id is_internal error_code partition leader_id leader_epoch replicas isr "
    "eligible_leader_replicas last_known_elr offline_replicas elr_known partition_error_code",
    "DescribeConfigs": "resource_type resource_name error_code error_message name value source is_sensitive",
    "ListPartitionReassignments": "topic partition replicas adding_replicas removing_replicas",
    "DescribeLogDirs": "log_dir error_code total_bytes usable_bytes topic partition size offset_lag is_future",
    "ListGroups": "group_id protocol_type group_state group_type",
    "ListTransactions": "transactional_id producer_id transaction_state",
    "DescribeTransactions": "transactional_id error_code",
    "DescribeAcls": "resource_type resource_name pattern_type principal operation permission error_code",
    "FindCoordinator": "key error_code error_message node_id host port",
}
"""The columns of items that tests give, by RPC, in their order."""

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
    operations = 1 << 8 | 1 << 10  # to describe the cluster, and its configs
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


def land(
    lake: Lake,
    censuses: Mapping[Census, Pages],
    routed: Iterable[tuple[Any, ...]] | None = None,
    items: Mapping[str, str] = ITEMS,
    *,
    whole: bool = False,
) -> None:
    """Append all pages and routes of some censuses, in one commit each, without a cluster and Spark.

    items  the columns of the items, by RPC that has a column
    whole  items have all columns that this release lands, null where they are not given
    """
    given = {rpc: StructType([_WHOLE[rpc][name] for name in names.split()]) for rpc, names in items.items()}
    landed = pages_table({rpc: bare(item) for rpc, item in (_WHOLE if whole else given).items()})
    absent = {name: None for name in landed.columns if name.startswith("items_")}
    pages = [
        absent
        | _full(made, rpc, scope, {name: value for name, value in one.items() if name != "items"})
        | {items_column(rpc): [dict(zip(items[rpc].split(), item, strict=True)) for item in one["items"]]}
        for made, by_walk in censuses.items()
        for (rpc, scope), some in by_walk.items()
        for one in some
    ]
    append(Path(str(lake.root)), landed, pages, landed.partitioned_by)
    owing = [
        {"census_id": made.census_id, "cluster_id": made.cluster_id, "host": "h", "port": 1, "why": "alive"}
        | {"rpc": rpc, "scope": scope, "broker_id": node, "alive": alive}
        for made in censuses
        for rpc, scope, node, alive in (routes() if routed is None else routed)
    ]
    append(Path(str(lake.root)), ROUTES, owing)
