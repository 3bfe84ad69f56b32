"""Problems as tables declare them: a null in a condition is reported, and every reader has each. Questions likewise."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest

from harness.compared import DUCKDB, Row, arrow, rows_of
from harness.documented import QUESTIONS, blocks
from kafka_census.alerts.metrics import METRICS, metric_of
from kafka_census.alerts.states import STATES
from kafka_census.cli.arguments import parser
from kafka_census.declarations.problem import Problem
from kafka_census.private.arrow import arrow_schema
from kafka_census.reading.html.checks import CHECKS
from kafka_census.reading.report.problems import ProblemCount, counts, problems, unknown_of
from kafka_census.tables import NAMES, part
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.problems import INCOMPLETE, NOT_KNOWN, PROBLEM, PROBLEMS, REMEDY, UNKNOWN, WORDS
from kafka_census.tables.risks.columns import RISK_WORDS
from tools.alert_rules import rules
from tools.problems import reference

SCHEMAS = {table.name: table.schema for table in TABLES}
WELL: Mapping[str, Mapping[str, object]] = {
    "under_min_isr_partitions": {"status": "OK"},
    "brokers": {"state": "alive"},
    "quorum": {"role": "voter", "caught_up": True},
    "log_dir_usage": {"state": "online", "usable_bytes": 10, "total_bytes": 100},
    "reassignment_backlog": {"kind": "move", "stalled": False},
    "hanging_transactions": {"verdict": "held"},
    "transaction_coordinator_placement": {"described_state": "Ongoing", "over_timeout": False},
    "group_lag": {"group_state": "Stable", "partitions_missed": 1, "partitions_without_commit": 1}
    | {"partitions_not_draining": 0},
    "group_coordinator_placement": {"agreement": "agree"},
    "consumer_lag": {"range": "in_range"},
    "config_drift": {"kind": "not_default"},
    "coordinator_load": {"groups_skew": "fair", "transactional_ids_expected": 0.0},
    "risks": {"risk": "one_replica", "state": "accepted"},
    "failure_impact": {"kind": "broker", "verdict": "safe"},
}
"""A healthy row of each table; columns that are not given are null."""
NOT_READ: Mapping[str, tuple[Mapping[str, object], ...]] = {
    "under_min_isr_partitions": ({"status": "UNKNOWN"}, {"status": "UNDER", "groups_unable_to_commit_reason": "?"}),
    "coordinator_load": ({"groups_skew": "fair"},),
    "failure_impact": ({"kind": "broker", "verdict": "unknown"},),
    "quorum": ({"role": "unknown"},),
    "log_dir_usage": ({"state": "not_read"}, {"state": "online"}, {"state": "online", "total_bytes": 100}),
    "reassignment_backlog": ({"kind": "move", "bytes_left": 5}, {"kind": "log_dir_move", "bytes_left": 0}),
    "hanging_transactions": ({"verdict": "unknown"}, {"verdict": "hanging", "confidence": "low"}),
    "transaction_coordinator_placement": ({"described_state": "PrepareCommit"},),
    "group_lag": ({"group_type": "streams", "partitions_missed": 0, "partitions_without_commit": 0},),
    "group_coordinator_placement": ({"agreement": "unknown"},),
    "consumer_lag": ({"range": "unknown", "topic_state": "exists"},),
    "config_drift": ({"kind": "not_read"},),
    "risks": ({"risk": "one_rack", "state": "unknown"},),
}
"""Rows whose values, as the transforms give them, leave a problem open."""
READ: Mapping[str, tuple[Mapping[str, object], ...]] = {
    # Nothing is left that could stall, or be late, or be outside of a log.
    "reassignment_backlog": ({"kind": "move", "bytes_left": 0, "in_isr": True},),
    "consumer_lag": ({"range": "unknown", "topic_state": "gone"},),
    # A rack whose loss is not known is no broker.
    "failure_impact": ({"kind": "rack", "verdict": "unknown"},),
    "transaction_coordinator_placement": ({"described_state": "CompleteAbort"},),
}
"""Rows that look so and do not."""
BAD: Mapping[str, tuple[Mapping[str, object], ...]] = {
    "offline": ({"status": "OFFLINE"},),
    "under_min_isr": ({"status": "UNDER"},),
    "unable_to_commit": (
        {"status": "OFFLINE", "groups_unable_to_commit": 5},
        {"status": "UNDER", "transactional_ids_unable_to_commit": 1},
    ),
    "broker_loss": tuple({"kind": "broker", "verdict": word} for word in ("loses_availability", "stops_writes")),
    "unreachable": ({"state": "fenced"}, {"state": "not_alive"}),
    "voters_behind": ({"role": "voter", "caught_up": False}, {"role": "voter", "caught_up": None}),
    "log_dir_offline": ({"state": "offline"},),
    "under_replicated": ({"status": "AT"}, {"status": "UNDER_REPLICATED"}),
    "disk_low": ({"state": "online", "usable_bytes": 9, "total_bytes": 100},),
    "stalled": ({"kind": "move", "stalled": True},),
    "hanging": ({"verdict": "hanging", "confidence": "high"},),
    "transaction_late": ({"described_state": "PrepareCommit", "over_timeout": True},),
    "streams_not_ready": ({"group_state": "NotReady", "partitions_missed": 0, "partitions_without_commit": 0},),
    "coordinators_disagree": ({"agreement": "formula_differs"}, {"agreement": "no_coordinator"}),
    "out_of_range": ({"range": "after_end"}, {"range": "before_start"}),
    "not_desired": ({"kind": "not_desired"},),
    "not_draining": ({"partitions_not_draining": 1, "lag_total": 5, "partitions_without_rate": 0},),
    "skewed": (
        {"groups_skew": "wrong", "transactional_ids_expected": 0.0},
        {"groups_expected": 0.5, "transactional_ids_skew": "wrong"},
    ),
    **{word: ({"risk": word, "state": "open"},) for word in RISK_WORDS},
    "lag_unknown": ({"partitions_missed": 2, "partitions_without_commit": 1}, {"offsets_reason": "why"}),
}
"""Rows that show each problem."""


def holds(rows: Problem, condition: str, row: Mapping[str, object]) -> bool:
    """Whether a condition is true of a row of the table of these rows; columns that are not given are null."""
    schema = pa.schema([field.with_nullable(True) for field in arrow_schema(SCHEMAS[rows.table])])
    DUCKDB.register("planted", pa.Table.from_pylist([dict(row)], schema))
    return bool(rows_of(f"SELECT * FROM planted WHERE {condition}"))


@pytest.mark.parametrize("word", PROBLEM)
def test_a_row_shows_a_problem_or_does_not_or_leaves_it_open(word: str) -> None:
    """A row that tells nothing never passes."""
    rows = PROBLEM[word]
    assert holds(rows, f"({rows.where}) OR ({rows.unknown})", {})
    assert holds(rows, UNKNOWN[rows.table].where, {}) or holds(rows, rows.where, {})
    assert [each for each in BAD[word] if not holds(rows, rows.where, each)] == []
    assert [each for each in BAD[word] if holds(rows, rows.unknown, each)] == []
    assert not holds(rows, f"({rows.where}) OR ({UNKNOWN[rows.table].where})", WELL[rows.table])


@pytest.mark.parametrize("table", NOT_READ)
def test_what_was_not_read_is_not_known(table: str) -> None:
    rows = UNKNOWN[table]
    assert [each for each in NOT_READ[table] if not holds(rows, rows.where, each)] == []
    assert [each for each in READ.get(table, ()) if holds(rows, rows.where, each)] == []


def test_every_table_says_what_its_rows_show_and_a_word_is_of_one_problem() -> None:
    shown = [problem for name in NAMES for problem in part(name, "problems", "_PROBLEMS").shown]
    assert {problem.table for problem in shown} == set(UNKNOWN)
    assert all(problem.table in NAMES for problem in shown)
    assert sorted(WORDS) == sorted({INCOMPLETE, NOT_KNOWN, *(problem.word for problem in shown)})
    assert len(WORDS) == len(shown) + 2
    assert WORDS[-1] == NOT_KNOWN


@pytest.mark.parametrize("word", WORDS)
def test_each_word_is_in_each_output(word: str) -> None:
    """Terminal, `--fail-on`, page and Markdown (which has the page's checks), metrics, states, rules and runbook.

    What to do is a command that a row fills.
    """
    shown = {word: ProblemCount(2, (0,) * len(PROBLEM[word].impact), ("a", "b"))} if word in PROBLEM else {}
    shown |= {unknown_of(table): ProblemCount(2, (), ("a", "b")) for table in UNKNOWN} if word == NOT_KNOWN else {}
    assert counts(problems(shown, ()), 2)[word] >= 2
    spelled = f"risk:{word}" if word in PROBLEM and PROBLEM[word].severity == "risk" else word
    assert parser("census").parse_args(["--cluster", "c", "--fail-on", spelled]).fail_on == (word,)
    checked = {(check.word, check.sql) for check in CHECKS if check.word == word}
    assert len(checked) == (len(UNKNOWN) if word == NOT_KNOWN else 1)
    metric = f"{metric_of(word)}_tables" if word == INCOMPLETE else metric_of(word)
    assert metric in {each.name for each in METRICS}
    [state] = [state for state in STATES if state.name == word]
    assert state.metric == metric
    assert f"- alert: {state.alert}\n        expr: {metric} > 0\n" in rules()
    _, _, section = reference()["README.md"].partition(f"\n## {word}\n")
    remedy, columns = REMEDY[word], SCHEMAS[PROBLEM[word].table].names if word in PROBLEM else []
    assert remedy.text in section.partition("\n## ")[0]
    assert f"```sh\n{remedy.command}\n```" in section.partition("\n## ")[0]
    assert state.runbook == f"docs/problems/README.md#{word}"
    assert set(remedy.fills) <= set(columns)
    assert remedy.command.startswith(("kafka-", "kafka-census "))
    assert [name for name in remedy.fills if name.upper() in remedy.filled(dict.fromkeys(columns, "-"))] == []
    assert remedy.filled(dict.fromkeys(columns)) == remedy.command


@pytest.mark.parametrize(
    "problem", [*PROBLEMS, *UNKNOWN.values()], ids=lambda problem: f"{problem.word} {problem.table}"
)
def test_readers_have_the_condition_that_is_declared(problem: Problem) -> None:
    of = f"FROM current_{problem.table}\n"
    [check] = [check for check in CHECKS if check.word == problem.word and of in check.sql]
    assert f"({problem.where})" in check.sql
    [metric] = [metric for metric in METRICS if metric.name == metric_of(problem.word)]
    assert f"count_if({problem.where})" in metric.sql[problem.table]  # type: ignore[union-attr]


def test_a_name_of_a_cluster_stays_one_word_of_a_command() -> None:
    row = {"group_id": "it's $(TOPIC)", "topic": "orders", "partition": 0}
    words = shlex.split(REMEDY["out_of_range"].filled(row))
    assert words[words.index("--group") + 1] == "it's $(TOPIC)"
    assert words[words.index("--topic") + 1] == "orders:0"
    row |= {"partition": None}
    assert "orders:PARTITION" in REMEDY["out_of_range"].filled(row)


ASKED = [block.text for block in blocks(QUESTIONS) if block.language == "sql"]


def answer(number: int, **tables: Sequence[Row]) -> list[Mapping[str, Any]]:
    """The rows that answer a question, from the rows of `current_<table>`; other columns are null."""
    for table in TABLES:
        if table.name in tables:
            DUCKDB.register(f"current_{table.name}", arrow(table, tables[table.name]))
    return rows_of(ASKED[number - 1])


def test_a_coordinator_that_takes_over_below_the_minimum_isr() -> None:
    """Two in sync of which one is lost, and a minimum of two; of a third group the minimum is not known."""
    heirs = [{"broker_id": 2, "groups": 4, "transactional_ids": 0}]
    busiest = {"cluster_id": "c", "broker_id": 1, "groups": 4, "groups_stranded": 0, "if_lost": heirs}
    led = [
        {"cluster_id": "c", "topic": "__consumer_offsets", "partition": partition, "leader_id": leader}
        | {"isr_size": isr_size, "min_isr_effective": min_isr}
        for partition, (leader, isr_size, min_isr) in enumerate(((1, 2, 2), (1, 3, 2), (1, 2, None), (2, 2, 2)))
    ]
    held = [{"cluster_id": "c", "group_id": group, "offsets_partition": at} for at, group in enumerate("abcd")]
    [row] = answer(8, coordinator_load=[busiest], under_min_isr_partitions=led, group_coordinator_placement=held)
    assert (row["cannot_commit"], row["not_known"], row["takes_over"], row["groups"]) == (1, 1, 2, 4)


def test_how_many_controllers_may_fail_is_not_known_without_a_quorum() -> None:
    """ZooKeeper has none: the answer is not -1. Of three voters that are caught up, one may fail."""
    unread = {"cluster_id": "z", "cluster": "old", "role": "unknown", "replica_id": -1, "reason": "not offered"}
    voter = {"cluster_id": "k", "cluster": "new", "role": "voter"}
    voters = [voter | {"replica_id": number, "caught_up": caught} for number, caught in enumerate((True, True, None))]
    found = {row["cluster"]: row for row in answer(19, quorum=[unread, *voters, voters[0] | {"role": "observer"}])}
    assert {name: (row["voters"], row["may_fail"], row["not_known"], row["reason"]) for name, row in found.items()} == {
        "old": (0, None, 0, "not offered"),
        "new": (3, 0, 1, None),
    }
