"""Whose a thing is: by the first pattern that matches; and what each owner, and nobody, has."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.census.staging.owner import owner_of
from kafka_census.declarations.owners import Owner
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.topics.columns import TOPICS
from kafka_census.tables.usage_by_owner.columns import USAGE_BY_OWNER
from kafka_census.tables.usage_by_owner.transform import usage_by_owner
from spark.landed_items import Item, at, published, rows_by, rows_of, transform_of

OWNERS = (
    Owner("pay", None, "4711", (("topics", "pay-*"), ("groups", "pay"), ("principals", "User:pay*"))),
    Owner("ship", "#ship", None, (("topics", "*"), ("groups", "pay"))),
    Owner("pay", "#pay", None, (("client_ids", "card"),)),
    Owner("idle"),
)
HEAD = published(1)


def test_the_first_pattern_that_matches_tells_the_owner(spark: SparkSession) -> None:
    names = {("pay", "other"): "pay", ("x", "pay-1"): "pay", ("payer", "pay"): "ship", (None, None): None}
    rows = spark.createDataFrame(list(names), "group_id string, topic string")
    found = rows.select("*", owner_of(CONSUMER_LAG, OWNERS).alias("owner")).collect()
    assert {(row.group_id, row.topic): row.owner for row in found} == names
    assert rows.select(owner_of(CONSUMER_LAG, ()).alias("owner")).distinct().collect() == [(None,)]


def test_thousands_of_names_are_one_lookup_and_a_name_behind_a_prefix_of_it_is_the_prefix_s(
    spark: SparkSession,
) -> None:
    listed = [Owner(f"team-{number % 7}", patterns=(("topics", f"t'{number}\\"),)) for number in range(5000)]
    owners = (listed[0], Owner("all of nine", patterns=(("topics", "t'9*"),)), *listed[1:])
    names = {"t'0\\": "team-0", "t'4999\\": "team-1", "t'9\\": "all of nine", "t'98": "all of nine", "t'": None}
    rows = spark.createDataFrame([(name,) for name in names], "topic string")
    found = rows.select("topic", owner_of(TOPICS, owners).alias("owner")).collect()
    assert {row.topic: row.owner for row in found} == names


def test_what_rows_are_about_are_columns_of_theirs(spark: SparkSession) -> None:
    owned = [table for table in TABLES if table.owned_by]
    assert len(owned) > 15
    for table in owned:
        frame = rows_of(spark, table, [])
        assert frame.select(owner_of(table, OWNERS).alias("owner")).schema["owner"].dataType.simpleString() == "string"


def topic(name: str, owner: str | None, **columns: Any) -> Item:
    known = {"partitions": 3, "replica_bytes": 30, "growth_bytes": 5, "growth_since": at(1 - 43_200)}
    return HEAD | {"topic": name, "owner": owner} | known | columns


def test_each_owner_and_nobody_has_a_row(spark: SparkSession) -> None:
    roles: dict[str, list[Item]] = {
        "topics": [
            topic("pay-1", "pay"),
            topic("pay-2", "pay", replica_bytes=None, growth_bytes=None, growth_since=None),
            topic("a", None, replica_bytes=10),
        ],
        "groups": [
            HEAD | {"group_id": "pay", "owner": "pay", "partitions": 2, "lag_total": 7, "lag_seconds": 60},
            HEAD | {"group_id": "g", "partitions": 2},
        ],
        "quotas": [HEAD | {"entity": "user pay", "quota": "producer_byte_rate", "owner": "pay"}],
    }
    inputs = transform_of(USAGE_BY_OWNER).inputs
    frames = {role: rows_of(spark, inputs[role], rows) for role, rows in roles.items()}
    rows = rows_by(usage_by_owner(**frames, owners=OWNERS, missing=()), "owner")
    columns = "contact cost_centre topics partitions replica_bytes topics_without_bytes share_of_bytes "
    columns += "growth_bytes_per_day topics_without_growth groups lag_total groups_without_lag lag_seconds quotas "
    columns += "transactional_ids producer_ids examples"
    assert {owner: tuple(row[name] for name in columns.split()) for owner, row in rows.items()} == {
        "pay": ("#pay", "4711", 2, 6, 30, 1, 0.75, 10.0, 1, 1, 7, 0, 60, 1, None, None, []),
        "ship": ("#ship", None, 0, 0, 0, 0, 0.0, None, 0, 0, 0, 0, None, 0, None, None, []),
        "idle": (None, None, 0, 0, 0, 0, 0.0, None, 0, 0, 0, 0, None, 0, None, None, []),
        "": (None, None, 1, 3, 10, 0, 0.25, 10.0, 0, 1, 0, 1, None, 0, None, None, ["group g", "topic a"]),
    }
