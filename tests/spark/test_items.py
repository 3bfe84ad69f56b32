"""Landed pages become items: the highest try of each page, all of its parts, one scope."""

from typing import Any

from pyspark.sql import SparkSession
from pyspark.testing import assertDataFrameEqual

from kafka_census.transforms import items
from spark.landed_items import NOON

DDL = (
    "census_id STRING, cluster_id STRING, scope STRING, node_id INT, chain_id STRING, page_no INT, part_no INT, "
    "try_no INT, request_cursor STRING, error_code INT, received_at TIMESTAMP, release_at_least STRING, "
    "items ARRAY<STRUCT<group_id STRING, node_id INT>>"
)


def page(
    *groups: str,
    scope: str = "groups",
    chain: str = "node-1",
    page: int = 0,
    part: int = 0,
    tries: int = 0,
    over: bool = False,
) -> Any:
    """A page of ListGroups by broker 7; each item has a node_id of its own, as FindCoordinator's have.

    Every page but the first has a request cursor, unless it starts its chain `over`.
    """
    cursor = "[1]" if page and not over else None
    return "c", "k", scope, 7, chain, page, part, tries, cursor, 0, NOON, "4.3", [(group, 9) for group in groups]


def group_ids(spark: SparkSession, *pages: Any) -> list[str]:
    """The group ids of the items of these pages, sorted."""
    return sorted(row.group_id for row in items(spark.createDataFrame(list(pages), DDL), "groups").collect())


def test_items_carry_their_columns_then_those_of_their_page(spark: SparkSession) -> None:
    """An item keeps its own node_id; the broker that was asked is asked_node_id."""
    exploded = items(spark.createDataFrame([page("a")], DDL), "groups")
    expected = spark.createDataFrame(
        [("a", 9, "c", "k", 7, NOON, "4.3")],
        "group_id STRING, node_id INT, census_id STRING, cluster_id STRING, asked_node_id INT, received_at TIMESTAMP, "
        "release_at_least STRING",
    )
    assertDataFrameEqual(exploded, expected)


def test_the_highest_try_of_a_page_counts(spark: SparkSession) -> None:
    """A page that was asked again replaces its earlier answer, and only that page's."""
    first, second, again = page("a"), page("b", page=1), page("c", page=1, tries=2)
    assert group_ids(spark, first, second, again) == ["a", "c"]


def test_a_chain_that_starts_over_leaves_out_what_came_before(spark: SparkSession) -> None:
    """Everything is told again by the page without a request cursor, and by those that follow it."""
    pages = [page("a"), page("b", page=1), page("a", page=2, over=True), page("c", page=3)]
    assert group_ids(spark, *pages) == ["a", "c"]
    assert group_ids(spark, *pages, page("d", chain="node-2")) == ["a", "c", "d"]


def test_all_parts_of_the_highest_try_are_kept(spark: SparkSession) -> None:
    """A page landed in parts is one page; the parts of its earlier try are gone, however many they were."""
    earlier = [page(name, part=number) for number, name in enumerate("xyz")]
    later = [page("a", part=0, tries=1), page("b", part=1, tries=1)]
    assert group_ids(spark, *earlier, *later) == ["a", "b"]


def test_a_later_refusal_replaces_an_earlier_answer(spark: SparkSession) -> None:
    """The highest try counts even when it holds nothing: its gap says why."""
    assert group_ids(spark, page("a"), page(tries=1)) == []


def test_chains_do_not_replace_each_other(spark: SparkSession) -> None:
    """Page 0 of two brokers are two pages, whatever their tries."""
    assert group_ids(spark, page("a"), page("b", chain="node-2", tries=1)) == ["a", "b"]


def test_other_scopes_are_left_out(spark: SparkSession) -> None:
    """DescribeConfigs of topics and of brokers share a table and chain ids, and are two walks."""
    assert group_ids(spark, page("a"), page("b", scope="brokers", tries=1)) == ["a"]


def test_empty_pages_give_no_items(spark: SparkSession) -> None:
    """A broker without groups has a page and no items."""
    assert group_ids(spark, page()) == []
