"""Censuses of an emulated cluster that is large and in trouble: what is published is what brokers answered, row by row.

One has all tables and is computed by Spark Connect, one has a few and is computed by this process' Spark.
The world describes itself (`harness.world_truth`, in plain Python). It stays as it is, so that all rows must be there
and no other. Other tables and columns are held against real brokers alone (tests/trouble).
"""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

import pytest
from pyspark.sql import SparkSession

from emulator.incident import DURING, Incident
from emulator.large_census import LargeCensus
from harness.both_engines import IN_DUCKDB, Rows, all_by_duckdb, by_spark, comparable
from harness.world_truth import TRUE_TABLES, differences, published_rows, true_rows
from kafka_census.declarations.table import Table
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.changes.columns import CHANGES
from spark.landed_items import viewed

pytestmark = pytest.mark.timeout(1800)
"""Jobs on a cold server, all in one fixture."""


def test_the_world_is_large(large: LargeCensus) -> None:
    known = large.known
    assert len(known.states) >= 5000
    assert len(known.groups) >= 3500
    assert len(known.transactions) >= 1000


@pytest.mark.parametrize(
    ("table", "column", "values"),
    [
        ("under_min_isr_partitions", "status", {"OFFLINE", "UNDER", "AT", "UNDER_REPLICATED", "OK"}),
        ("reassignment_backlog", "kind", {"move", "remove", "log_dir_move"}),
        ("consumer_lag", "range", {"in_range", "before_start", "after_end", "no_commit", "unknown"}),
        ("consumer_lag", "assigned", {True, False, None}),
        ("deletable_groups", "verdict", {"deletable", "in_use", "undecided", "unknown"}),
    ],
)
def test_the_world_is_in_trouble(large: LargeCensus, table: str, column: str, values: set[Any]) -> None:
    """Of each kind: tables are held against rows of every sort that one census of a calm cluster can have."""
    assert {row[column] for row in large.rows[table]} == values


@pytest.mark.parametrize("table", TRUE_TABLES, ids=attrgetter("name"))
def test_a_published_table_is_what_is_so(large: LargeCensus, table: Table) -> None:
    assert differences(published_rows(table, large.rows[table.name]), true_rows(table, large.known)) == []


@pytest.mark.parametrize("table", [table for table in DURING if table in TRUE_TABLES], ids=attrgetter("name"))
def test_so_is_one_of_spark_in_this_process(after_incident: Incident, table: Table) -> None:
    rows = after_incident.now[table.name]
    assert differences(published_rows(table, rows), true_rows(table, after_incident.during)) == []


def test_every_table_is_complete_and_a_first_census_has_no_changes(large: LargeCensus) -> None:
    assert large.complete == {table.name: True for table in TABLES}
    assert [table.name for table in TABLES if not large.rows[table.name]] == [CHANGES.name]


@pytest.fixture(scope="module")
def without_spark(large: LargeCensus) -> Mapping[str, Rows]:
    asked = {table.name: f"SELECT * FROM current_{table.name}" for table in TABLES}
    asked |= IN_DUCKDB
    return dict(zip(asked, all_by_duckdb(large.lake, asked.values()), strict=True))


@pytest.mark.parametrize("table", TABLES, ids=attrgetter("name"))
def test_sql_without_spark_shows_the_same_rows(
    large: LargeCensus, without_spark: Mapping[str, Rows], table: Table
) -> None:
    assert without_spark[table.name] == comparable(large.rows[table.name])


def test_questions_have_the_same_answer_without_spark(
    spark: SparkSession, large: LargeCensus, without_spark: Mapping[str, Rows]
) -> None:
    """Spark's views are of the same rows: those that it registers of all tables are asked by notebooks."""
    asked = viewed(spark, large.rows)
    for question in IN_DUCKDB:
        assert without_spark[question] == by_spark(asked, question), question
