"""A census of an emulated cluster that is large and in trouble: every published table is what is so, row by row.

The world is described twice: by its event log, and by itself, as the data dictionary puts it (`harness.world_truth`, in
plain Python). It stays as it is, so that all rows must be there and no other. Not compared by value are sentences,
the census' own times, ages up to them, and a hash; and rates, of which a first census has none.
"""

from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any
from uuid import UUID

import pytest
from pyspark.sql import SparkSession

import kafka_census
from emulator.large_census import LargeCensus
from harness.both_engines import by_duckdb, by_spark, comparable
from harness.documented import SQL, block_with
from harness.known_world import Row
from harness.truthful import Value, untruths
from harness.world_truth import TRUTHS, differences, published_rows, true_rows
from kafka_census.tables import TABLES
from kafka_census.tables.changes import CHANGES
from kafka_census.tables.table import Table
from kafka_emulator.truth import sometime

Reported = Mapping[str, Value]


@pytest.fixture(scope="module")
def census(large: LargeCensus) -> LargeCensus:
    """One census of the large world, with all tables."""
    return large


@pytest.fixture(scope="module")
def views(spark: SparkSession, census: LargeCensus) -> None:
    """Its views in Spark: whoever registered another lake since has taken their names."""
    kafka_census.register(spark, census.lake)


def test_the_world_is_large(census: LargeCensus) -> None:
    """As large as it is said to be: a hundred times the clusters of tests/trouble."""
    known = census.known
    assert len(known.states) >= 5000
    assert len(known.groups) >= 3500
    assert len(known.transactions) >= 1000


@pytest.mark.parametrize(
    ("table", "column", "values"),
    [
        ("under_min_isr_partitions", "status", {"OFFLINE", "UNDER", "AT", "UNDER_REPLICATED", "OK"}),
        ("reassignment_backlog", "kind", {"move", "remove", "log_dir_move"}),
        ("reassignment_backlog", "bytes_left_reason", {True, False}),
        ("consumer_lag", "range", {"in_range", "before_start", "after_end", "no_commit", "unknown"}),
        ("consumer_lag", "assigned", {True, False, None}),
        ("deletable_groups", "verdict", {"deletable", "in_use", "undecided", "unknown"}),
        ("hanging_transactions", "verdict", {"held", "hanging", "unknown"}),
        ("log_dir_usage", "state", {"online", "offline"}),
        ("config_drift", "kind", {"not_default", "between_brokers"}),
        ("quorum", "role", {"voter", "observer"}),
    ],
)
def test_the_world_is_in_trouble(census: LargeCensus, table: str, column: str, values: set[Any]) -> None:
    """Of each kind: tables are held against rows of every sort that one census of a calm cluster can have."""
    assert {row[column] for row in TRUTHS[table](census.known)} == values


@pytest.mark.parametrize("table", [table for table in TABLES if table is not CHANGES], ids=attrgetter("name"))
def test_a_published_table_is_what_is_so(census: LargeCensus, table: Table) -> None:
    """Every row is there, and no other; in all of their columns."""
    published = published_rows(table, census.rows[table.name])
    assert differences(published, true_rows(table, census.known)) == []
    assert published
    assert census.complete[table.name]


def test_a_first_census_has_no_changes(census: LargeCensus) -> None:
    """There is none before; tests/emulator/test_changes.py has two."""
    assert census.rows[CHANGES.name] == []
    assert census.complete[CHANGES.name]


@pytest.mark.parametrize("table", TABLES, ids=attrgetter("name"))
def test_sql_without_spark_shows_the_same_rows(census: LargeCensus, table: Table) -> None:
    """Every column of every row."""
    assert by_duckdb(census.lake, f"SELECT * FROM current_{table.name}") == comparable(census.rows[table.name])


QUESTIONS = {question.text: question.sql for table in TABLES for question in table.questions}
IN_DUCKDB = {
    "If broker 3 were lost, which brokers would take over its groups and transactional ids?": block_with(
        SQL, "current_coordinator_load"
    ).text
}
"""Of questions in Spark's own dialect: how docs/sql.md asks them."""


@pytest.mark.usefixtures("views")
@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_have_the_same_answer_without_spark(spark: SparkSession, census: LargeCensus, question: str) -> None:
    """Those of the data dictionary, as they stand there."""
    asked = IN_DUCKDB.get(question, QUESTIONS[question])
    assert by_duckdb(census.lake, asked) == by_spark(spark, QUESTIONS[question])


def _brokers(rows: Iterable[Row]) -> Reported:
    return {
        str(row["broker_id"]): {"alive": row["state"] == "alive", "fenced": row["state"] == "fenced"} for row in rows
    }


def _topics(rows: Iterable[Row]) -> Reported:
    return {
        row["topic"]: {
            "topic_id": str(UUID(bytes=urlsafe_b64decode(row["topic_id"] + "=="))),
            "partitions": row["partitions"],
        }
        for row in rows
    }


def _partitions(rows: Iterable[Row]) -> Reported:
    return {
        f"{row['topic']}/{row['partition']}": {
            "leader": -1 if row["leader_id"] is None else row["leader_id"],
            "replicas": row["replicas"],
            "isr": row["isr"],
            "elr": row["eligible_leader_replicas"],
            "adding": row["adding_replicas"],
            "removing": row["removing_replicas"],
        }
        for row in rows
    }


def _groups(rows: Iterable[Row]) -> Reported:
    names = {"type": "group_type", "state": "group_state", "coordinator": "found_coordinator"}
    return {row["group_id"]: {fact: row[name] for fact, name in names.items()} for row in rows}


def _transactional_ids(rows: Iterable[Row]) -> Reported:
    names = {"producer_id": "producer_id", "state": "transaction_state", "coordinator": "found_coordinator"}
    return {row["transactional_id"]: {fact: row[name] for fact, name in names.items()} for row in rows}


@pytest.mark.parametrize(
    ("kind", "table", "reported"),
    [
        ("broker", "brokers", _brokers),
        ("topic", "topic_readiness", _topics),
        ("partition", "under_min_isr_partitions", _partitions),
        ("group", "group_coordinator_placement", _groups),
        ("transactional_id", "transaction_coordinator_placement", _transactional_ids),
    ],
)
def test_the_event_log_says_the_same(
    census: LargeCensus, kind: str, table: str, reported: Callable[[Iterable[Row]], Reported]
) -> None:
    """Every fact that held all the time is reported, and no fact that never held, by the same emulator."""
    assert sometime(census.facts, kind, *census.during)
    assert list(untruths(reported(census.rows[table]), census.facts, kind, *census.during))[:3] == []


def test_a_fingerprint_tells_offsets_apart(census: LargeCensus) -> None:
    """Groups with the same committed offsets have the same one, and no others do."""
    offsets: dict[str, set[tuple[str, int, int]]] = {row["group_id"]: set() for row in census.rows["deletable_groups"]}
    for row in census.rows["consumer_lag"]:
        if row["committed_offset"] is not None:
            offsets[row["group_id"]].add((row["topic"], row["partition"], row["committed_offset"]))
    prints = {row["group_id"]: row["offsets_fingerprint"] for row in census.rows["deletable_groups"]}
    known = {(frozenset(offsets[group_id]), one) for group_id, one in prints.items() if one is not None}
    assert len(known) == len({of for of, _ in known}) == len({one for _, one in known}) > 1
