"""Landed pages become items, and keys that items name: from the pages that count, all parts, one walk."""

from dataclasses import replace
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, IntegerType, StringType, StructType
from pyspark.testing import assertDataFrameEqual

from kafka_census.declarations.pages import PAGE
from kafka_census.landing.fetch.schema import wave_schema
from kafka_census.pages.header import Header
from kafka_census.pages.item_columns import brokers, replica_ids
from kafka_census.pages.named_keys import NamedKeys
from kafka_census.pages.read import LandedPages, Part
from spark import fake_lake
from spark.fake_lake import bare
from spark.landed_items import NOON, local_frame

ITEM = StructType().add("group_id", StringType()).add("node_id", IntegerType()).add("error_code", IntegerType())
PAGES = bare(PAGE).add("items_list_groups", ArrayType(ITEM))


def page(*groups: str, over: bool = False, **columns: Any) -> dict[str, Any]:
    """A page of ListGroups by broker 7; each item has its own node_id, like those of FindCoordinator.

    Every page but the first has a request cursor, unless it starts its chain `over`.
    """
    number = columns.get("page_no", 0)
    cursors = {"request_cursor": "[1]" if number and not over else None, "next_cursor": f"[{number + 1}]"}
    items = [(group, 9, 15) for group in groups]
    plain = fake_lake.page(7, items, chain_id="node-1", received_at=NOON, **cursors)
    whose = {"census_id": "c", "cluster_id": "k", "rpc": "ListGroups", "scope": "groups", "items_list_groups": items}
    return plain | whose | columns


def landed(spark: SparkSession, *pages: dict[str, Any]) -> LandedPages:
    """These pages, read like those of a lake."""
    part = Part(spark.createDataFrame([tuple(one.get(name) for name in PAGES.names) for one in pages], PAGES))
    return LandedPages(spark, (part,), part.headers())


def test_items_carry_their_columns_then_those_of_their_page(spark: SparkSession) -> None:
    """An item keeps its own node_id; asked_node_id is the broker that answered. Other walks are left out.

    DescribeConfigs of topics and of brokers share a column and chain ids, but are two walks; another RPC is, too.
    """
    others = page("b", scope="brokers", try_no=1), page("c", rpc="FindCoordinator", try_no=1)
    exploded = landed(spark, page("a"), *others).items_of("ListGroups", "groups")
    expected = spark.createDataFrame(
        [("a", 9, 15, "c", "k", 7, NOON, "4.3")],
        "group_id STRING, node_id INT, error_code INT, census_id STRING, cluster_id STRING, asked_node_id INT, "
        "received_at TIMESTAMP, release_at_least STRING",
    )
    assertDataFrameEqual(exploded, expected)


PARTS = [page(name, part_no=number) for number, name in enumerate("xyz")]
OVER = [page("a"), page("b", page_no=1), page("a", page_no=2, over=True), page("c", page_no=3)]
COUNT = {
    "the highest try of a page": ([page("a"), page("b", page_no=1), page("c", page_no=1, try_no=2)], "ac"),
    "a chain that starts over": (OVER, "ac"),
    "another chain beside it": ([*OVER, page("d", chain_id="node-2")], "acd"),
    "all parts of the highest try": ([*PARTS, page("a", part_no=0, try_no=1), page("b", part_no=1, try_no=1)], "ab"),
    "a later refusal": ([page("a"), page(try_no=1)], ""),
    "each chain": ([page("a"), page("b", chain_id="node-2", try_no=1)], "ab"),
    "an empty page": ([page()], ""),
}


def test_pages_that_count_give_the_items(spark: SparkSession) -> None:
    scoped = [one | {"scope": case} for case, (pages, _) in COUNT.items() for one in pages]
    that_count = landed(spark, *scoped).that_count(["ListGroups"])
    found = that_count.selectExpr("scope", "inline(items_list_groups)").collect()
    assert {case: "".join(sorted(row.group_id for row in found if row.scope == case)) for case in COUNT} == {
        case: expected for case, (_, expected) in COUNT.items()
    }


def test_pages_in_several_parts_are_read_as_one(spark: SparkSession) -> None:
    first, second = landed(spark, page("a")), landed(spark, page("b", chain_id="node-2", rpc="FindCoordinator"))
    parts = (Part(first.parts[0].frame, ["ListGroups"]), Part(second.parts[0].frame, ["FindCoordinator"]))
    both = LandedPages(spark, parts, [*first.headers, *second.headers])
    assert [row.chain_id for row in both.of("ListGroups").collect()] == ["node-1"]
    assert sorted(row.chain_id for row in both.those(both.headers).collect()) == ["node-1", "node-2"]
    one = LandedPages(spark, parts[:1], first.headers)
    assert one.that_count(["FindCoordinator"]).collect() == []


def test_pages_of_a_later_wave_are_read_too(spark: SparkSession) -> None:
    """Though a walk was read before: its frame is kept for as long as no pages come."""
    first, second = landed(spark, page("a")), landed(spark, page("b", chain_id="node-2"))
    assert first.of_walk("ListGroups", "groups") is first.of_walk("ListGroups", "groups")
    both = replace(first, parts=first.parts + second.parts, headers=[*first.headers, *second.headers])
    assert sorted(row.group_id for row in both.items_of("ListGroups", "groups").collect()) == ["a", "b"]


def test_a_header_tells_of_lists_what_is_asked_of_them(spark: SparkSession) -> None:
    (header,) = landed(spark, page("a", "b") | {"open_keys": ["x", "y"]}).headers
    assert isinstance(header, Header)
    assert (list(header.item_codes or ()), header.open_key_count, list(header.internal or ())) == ([15], 2, [])


RPCS = ("DescribeCluster", "DescribeTopicPartitions", "ListGroups")
SCHEMA = wave_schema(RPCS)
LISTED: dict[str, list[dict[str, Any]]] = {
    # An item with an error has no list: the brokers of the other items owe answers all the same.
    "items_describe_topic_partitions": [{"topic": "a", "replicas": one} for one in ([1, 2], None, [2, 7], [])],
    # Only version 2 of DescribeCluster reports that a broker is fenced.
    "items_describe_cluster": [
        {"node_id": 1, "host": "a", "port": 9092},
        {"node_id": 2, "host": "b", "port": 9093, "is_fenced": True},
    ],
    "items_list_groups": [{"group_id": "g"}],
}


def test_a_header_has_the_brokers_of_its_page_and_the_ids_of_its_replicas(spark: SparkSession) -> None:
    frame = local_frame(spark, bare(SCHEMA), [{column: listed} for column, listed in LISTED.items()])
    partitions, cluster, groups = frame.select(brokers(SCHEMA), replica_ids(SCHEMA)).collect()
    assert (partitions[0], sorted(partitions[1])) == (None, [1, 2, 7])
    assert ([tuple(one) for one in cluster[0]], cluster[1]) == ([(1, "a", 9092, False), (2, "b", 9093, True)], None)
    assert tuple(groups) == (None, None)
    other = wave_schema(["ListGroups"])
    [row] = spark.range(1).select(brokers(other), replica_ids(other)).collect()
    assert tuple(row) == (None, None)


ITEMS = "array(named_struct('group_id', 'g', 'node', 1), named_struct('group_id', 'g', 'node', 2))"
WALK = ("OffsetFetch", "groups")


def named(spark: SparkSession, named: NamedKeys) -> list[tuple[object, ...]]:
    rows = spark.sql(f"SELECT {ITEMS} AS items").selectExpr(f"inline({named.rows('items')})")
    assert rows.columns == ["key", *named.values]
    return sorted(map(tuple, rows.collect()))


def test_an_item_is_a_row_only_where_it_says_more_than_its_key(spark: SparkSession) -> None:
    """The offsets of a group all answer it: millions of items are some thousand rows.

    Not so where items have the broker of the key, or where the key has several columns.
    """
    assert named(spark, NamedKeys(WALK, "item.group_id", {"asked": "0L", "answered": "4L"})) == [("g", 0, 4)]
    assert named(spark, NamedKeys(WALK, "item.group_id", {"at": "item.node"})) == [("g", 1), ("g", 2)]
    both = NamedKeys(WALK, "concat(item.group_id, '/', item.node)", {"asked": "1L"})
    assert named(spark, both) == [("g/1", 1), ("g/2", 1)]
