"""The kinds of problems: a null in a condition is reported, and every reader of a census has the same conditions."""

import re
from collections.abc import Mapping

import pyarrow as pa
import pytest
from pyspark.sql.pandas.types import to_arrow_schema

from harness.compared import DUCKDB, rows_of
from kafka_census.alerts.metrics import COUNTS
from kafka_census.alerts.states import STATES
from kafka_census.declarations.kinds import KINDS, NOT_KNOWN, ROWS, UNKNOWN, WORDS, Rows
from kafka_census.reading.html.problems import PROBLEMS
from kafka_census.tables import TABLES

SCHEMAS = {table.name: table.schema for table in TABLES}
WELL: Mapping[str, Mapping[str, object]] = {
    "under_min_isr_partitions": {"status": "OK"},
    "brokers": {"state": "alive"},
    "quorum": {"role": "voter", "caught_up": True},
    "log_dir_usage": {"state": "online", "usable_bytes": 10, "total_bytes": 100},
    "reassignment_backlog": {"kind": "move", "stalled": False},
    "hanging_transactions": {"verdict": "held"},
    "transaction_coordinator_placement": {"described_state": "Ongoing", "over_timeout": False},
    "group_lag": {"group_state": "Stable", "partitions_missed": 1, "partitions_without_commit": 1},
    "group_coordinator_placement": {"agreement": "agree"},
    "consumer_lag": {"range": "in_range"},
    "config_drift": {"kind": "not_default"},
}
"""A healthy row of each table; columns that are not given are null."""
NOT_READ: Mapping[str, tuple[Mapping[str, object], ...]] = {
    "under_min_isr_partitions": ({"status": "UNKNOWN"},),
    "quorum": ({"role": "unknown"},),
    "log_dir_usage": ({"state": "not_read"}, {"state": "online"}, {"state": "online", "total_bytes": 100}),
    "reassignment_backlog": ({"kind": "move", "bytes_left": 5}, {"kind": "log_dir_move", "bytes_left": 0}),
    "hanging_transactions": ({"verdict": "unknown"}, {"verdict": "hanging", "confidence": "low"}),
    "transaction_coordinator_placement": ({"described_state": "PrepareCommit"},),
    "group_lag": ({"group_type": "streams", "partitions_missed": 0, "partitions_without_commit": 0},),
    "group_coordinator_placement": ({"agreement": "unknown"},),
    "consumer_lag": ({"range": "unknown", "topic_state": "exists"},),
    "config_drift": ({"kind": "not_read"},),
}
"""Rows whose values, as the transforms give them, leave a problem open."""
READ: Mapping[str, tuple[Mapping[str, object], ...]] = {
    # Nothing is left that could stall, or be late, or be outside of a log.
    "reassignment_backlog": ({"kind": "move", "bytes_left": 0, "in_isr": True},),
    "consumer_lag": ({"range": "unknown", "topic_state": "gone"},),
    "transaction_coordinator_placement": ({"described_state": "CompleteAbort"},),
}
"""Rows that look so and do not."""
BAD: Mapping[str, tuple[Mapping[str, object], ...]] = {
    "offline": ({"status": "OFFLINE"},),
    "under_min_isr": ({"status": "UNDER"},),
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
    "lag_unknown": ({"partitions_missed": 2, "partitions_without_commit": 1}, {"offsets_reason": "why"}),
}
"""Rows that show each kind."""


def holds(rows: Rows, condition: str, row: Mapping[str, object]) -> bool:
    """Whether a condition is true of a row of the table of these rows; columns that are not given are null."""
    schema = pa.schema([field.with_nullable(True) for field in to_arrow_schema(SCHEMAS[rows.table])])
    DUCKDB.register("planted", pa.Table.from_pylist([dict(row)], schema))
    return bool(rows_of(f"SELECT * FROM planted WHERE {condition}"))


@pytest.mark.parametrize("word", ROWS)
def test_a_row_that_tells_nothing_never_passes(word: str) -> None:
    rows = ROWS[word]
    assert holds(rows, f"({rows.where}) OR ({rows.unknown})", {})
    assert holds(rows, UNKNOWN[rows.table].where, {}) or holds(rows, rows.where, {})


@pytest.mark.parametrize("word", ROWS)
def test_a_row_shows_a_problem_or_does_not_or_leaves_it_open(word: str) -> None:
    rows = ROWS[word]
    assert [each for each in BAD[word] if not holds(rows, rows.where, each)] == []
    assert [each for each in BAD[word] if holds(rows, rows.unknown, each)] == []
    assert not holds(rows, f"({rows.where}) OR ({UNKNOWN[rows.table].where})", WELL[rows.table])


@pytest.mark.parametrize("table", NOT_READ)
def test_what_was_not_read_is_not_known(table: str) -> None:
    rows = UNKNOWN[table]
    assert [each for each in NOT_READ[table] if not holds(rows, rows.where, each)] == []
    assert [each for each in READ.get(table, ()) if holds(rows, rows.where, each)] == []


def test_every_table_of_a_kind_has_rows_that_are_not_known() -> None:
    assert set(UNKNOWN) == {rows.table for rows in ROWS.values()}
    assert WORDS[-1] == NOT_KNOWN


def test_the_terminal_the_html_file_alerts_and_fail_on_have_the_same_conditions() -> None:
    """The HTML file has a check for each word; a metric with a state counts each word but two.

    `incomplete` is counted without rows, and lag that is unknown is in the metrics of answers that are missing.
    """
    checked = [problem.word for problem in PROBLEMS]
    assert [word for word in WORDS if word not in checked] == []
    for problem in PROBLEMS:
        for rows in [ROWS[problem.word]] if problem.word in ROWS else []:
            assert rows.where in problem.sql
            assert re.search(rf"\bcurrent_{rows.table}\b", problem.sql)
    unknown = {table for problem in PROBLEMS if problem.word == NOT_KNOWN for table in UNKNOWN if table in problem.sql}
    assert unknown == set(UNKNOWN)
    counted = {kind.word for kind in KINDS if kind.rows for metric in COUNTS if f"({kind.rows.where})" in metric.sql}
    assert counted == set(ROWS) - {"lag_unknown"}
    opened = {state.metric.name for state in STATES}
    states = " ".join(metric.sql for metric in COUNTS if metric.name in opened)
    assert [word for word in counted if f"({ROWS[word].where})" not in states] == []
