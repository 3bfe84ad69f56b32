"""A census of an emulated cluster that is large and in trouble: every published table is what is so, row by row.

The world is told twice: by its event log, and by itself, as the data dictionary puts it (`harness.world_truth`, in
plain Python). It stays as it is, so that all rows must be there and no other. Not compared by value are sentences,
the census' own times, ages up to them, and a hash; and rates, of which a first census has none.
"""

import json
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from signal import SIGINT
from typing import Any
from uuid import UUID

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from e2e.operator import Operator
from emulator.commanding import running
from harness.both_engines import by_duckdb, by_spark, comparable
from harness.documented import SQL, block_with
from harness.known_world import KnownWorld, Row
from harness.large_world import large_world
from harness.truthful import Value, untruths
from harness.world_truth import TRUTHS, differences, published_rows, true_rows
from kafka_census.tables import TABLES
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.changes import CHANGES
from kafka_census.tables.table import Table
from kafka_emulator.scenario import read
from kafka_emulator.truth import Fact, sometime
from kafka_emulator.truth import read as facts_of
from kafka_emulator.world import World

Told = Mapping[str, Value]


@dataclass(frozen=True)
class Census:
    """What one census published, and what was so.

    lake       its root; the views are in the session
    rows       of every table
    complete   whether each was published as complete, by name
    facts      of the event log
    during     from the first question to the last answer
    """

    lake: str
    known: KnownWorld
    rows: Mapping[str, list[Row]]
    complete: Mapping[str, bool]
    facts: list[Fact]
    during: tuple[datetime, datetime]


@pytest.fixture(scope="module")
def census(operator: Callable[..., Operator], tmp_path_factory: pytest.TempPathFactory) -> Census:
    """One census of the large world, with all tables."""
    folder: Path = tmp_path_factory.mktemp("large-world")
    scenario, truth = folder / "large_world.yaml", folder / "truth.jsonl"
    scenario.write_text(json.dumps(large_world(), ensure_ascii=False), encoding="utf-8")
    with running("--scenario", str(scenario), "--truth", str(truth)) as (emulator, servers):
        taken = operator(",".join(servers), "large")
        taken.tables = TABLES
        ran = taken.run("census", "--no-report")
        assert (ran.code, ran.error) == (0, ""), ran.err[-2000:]
        emulator.send_signal(SIGINT)
        assert emulator.wait(10) == 0, emulator.stderr.read() if emulator.stderr else ""
    rows = {name: [row.asDict(recursive=True) for row in frame.collect()] for name, frame in taken.published().items()}
    columns = "table_name", "is_complete", F.unix_micros("observed_from"), F.unix_micros("observed_to")
    names, complete, begins, ends = zip(*taken.rows(PUBLICATIONS).select(*columns).collect(), strict=True)
    ports = {number: int(server.rpartition(":")[2]) for number, server in enumerate(servers, 1)}
    return Census(
        taken.lake,
        KnownWorld(World(read(scenario)), ports),
        rows,
        dict(zip(names, complete, strict=True)),
        facts_of(truth),
        (datetime.fromtimestamp(min(begins) / 1e6, UTC), datetime.fromtimestamp(max(ends) / 1e6, UTC)),
    )


def test_the_world_is_large(census: Census) -> None:
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
def test_the_world_is_in_trouble(census: Census, table: str, column: str, values: set[Any]) -> None:
    """Of each kind: tables are held against rows of every sort that one census of a calm cluster can have."""
    assert {row[column] for row in TRUTHS[table](census.known)} == values


@pytest.mark.parametrize("table", [table for table in TABLES if table is not CHANGES], ids=attrgetter("name"))
def test_a_published_table_is_what_is_so(census: Census, table: Table) -> None:
    """Every row is there, and no other; in all of their columns."""
    published = published_rows(table, census.rows[table.name])
    assert differences(published, true_rows(table, census.known)) == []
    assert published
    assert census.complete[table.name]


def test_a_first_census_has_no_changes(census: Census) -> None:
    """There is none before; tests/emulator/test_changes.py has two."""
    assert census.rows[CHANGES.name] == []
    assert census.complete[CHANGES.name]


@pytest.mark.parametrize("table", TABLES, ids=attrgetter("name"))
def test_sql_without_spark_shows_the_same_rows(census: Census, table: Table) -> None:
    """Every column of every row."""
    assert by_duckdb(census.lake, f"SELECT * FROM current_{table.name}") == comparable(census.rows[table.name])


QUESTIONS = {question.text: question.sql for table in TABLES for question in table.questions}
IN_DUCKDB = {
    "If broker 3 were lost, which brokers would take over its groups and transactional ids?": block_with(
        SQL, "current_coordinator_load"
    ).text
}
"""Of questions in Spark's own dialect: how docs/sql.md asks them."""


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_have_the_same_answer_without_spark(spark: SparkSession, census: Census, question: str) -> None:
    """Those of the data dictionary, as they stand there."""
    asked = IN_DUCKDB.get(question, QUESTIONS[question])
    assert by_duckdb(census.lake, asked) == by_spark(spark, QUESTIONS[question])


def _brokers(rows: Iterable[Row]) -> Told:
    return {str(row["node_id"]): {"alive": row["state"] == "alive", "fenced": row["state"] == "fenced"} for row in rows}


def _topics(rows: Iterable[Row]) -> Told:
    return {
        row["topic"]: {
            "topic_id": str(UUID(bytes=urlsafe_b64decode(row["topic_id"] + "=="))),
            "partitions": row["partitions"],
        }
        for row in rows
    }


def _partitions(rows: Iterable[Row]) -> Told:
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


def _groups(rows: Iterable[Row]) -> Told:
    names = {"type": "group_type", "state": "group_state", "coordinator": "found_coordinator"}
    return {row["group_id"]: {fact: row[name] for fact, name in names.items()} for row in rows}


def _transactional_ids(rows: Iterable[Row]) -> Told:
    names = {"producer_id": "producer_id", "state": "transaction_state", "coordinator": "found_coordinator"}
    return {row["transactional_id"]: {fact: row[name] for fact, name in names.items()} for row in rows}


@pytest.mark.parametrize(
    ("kind", "table", "told"),
    [
        ("broker", "brokers", _brokers),
        ("topic", "topic_readiness", _topics),
        ("partition", "under_min_isr_partitions", _partitions),
        ("group", "group_coordinator_placement", _groups),
        ("transactional_id", "transaction_coordinator_placement", _transactional_ids),
    ],
)
def test_the_event_log_says_the_same(
    census: Census, kind: str, table: str, told: Callable[[Iterable[Row]], Told]
) -> None:
    """What was so all the time is told, and nothing that never was: by the emulator that was asked, not by a copy."""
    assert sometime(census.facts, kind, *census.during)
    assert list(untruths(told(census.rows[table]), census.facts, kind, *census.during))[:3] == []


def test_a_fingerprint_tells_offsets_apart(census: Census) -> None:
    """Groups with the same committed offsets have the same one, and no others do."""
    offsets: dict[str, set[tuple[str, int, int]]] = {row["group_id"]: set() for row in census.rows["deletable_groups"]}
    for row in census.rows["consumer_lag"]:
        if row["committed_offset"] is not None:
            offsets[row["group_id"]].add((row["topic"], row["partition"], row["committed_offset"]))
    prints = {row["group_id"]: row["offsets_fingerprint"] for row in census.rows["deletable_groups"]}
    known = {(frozenset(offsets[group_id]), one) for group_id, one in prints.items() if one is not None}
    assert len(known) == len({of for of, _ in known}) == len({one for _, one in known}) > 1
