"""Statements in DuckDB: which views of a lake they read, their limits, and the messages of errors."""

import re
import resource
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import kafka_census
from harness.small_lake import NOON, OF_CLUSTER, REFUSED, census_id, publish, small_lake, stage
from kafka_census.census.publish import views as of_spark
from kafka_census.errors import BadQuery, ConfigError, CorruptLake, OutOfResources
from kafka_census.reading.sql.limits import Limits
from kafka_census.reading.sql.only_queries import _is_known
from kafka_census.reading.sql.session import Session
from kafka_census.reading.sql.short_names import OTHERS
from kafka_census.reading.sql.views import AUDIT_TABLES
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.tables import NAMES
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.quotas.columns import QUOTAS


@cache
def opened(lake: Path) -> Session:
    """A prompt that stays open: each statement sees the lake as it is."""
    return Session(str(lake))


def ask(lake: Path, statement: str) -> list[tuple[Any, ...]]:
    [rows] = [list(result.rows) for result in opened(lake).results(statement)]
    return rows


def censuses(lake: Path, source: str) -> list[int]:
    return sorted(int(value) for (value,) in ask(lake, f"SELECT value FROM {source}"))


@contextmanager
def only_files_of(lake: Path, *numbers: int) -> Iterator[None]:
    """Take the files of all other censuses away: who opens one fails."""
    away = {}
    for number in set(OF_CLUSTER) - set(numbers):
        [file] = (lake / "published" / "quotas" / f"census_id={census_id(number)}").glob("*.parquet")
        away[file] = file.rename(file.with_suffix(".away"))
    try:
        yield
    finally:
        for file, there in away.items():
            there.rename(file)


@pytest.mark.parametrize(
    ("view", "shown"),
    [
        *(("current_quotas", [4, 5]), ("history_quotas", [1, 2, 3, 4, 5]), ("candidate_quotas", [REFUSED])),
        ("quotas_as_of(TIMESTAMP '2026-11-21 15:30')", [2, 3]),
    ],
)
def test_a_view_reads_no_file_but_those_of_the_censuses_that_it_shows(lake: Path, view: str, shown: list[int]) -> None:
    with only_files_of(lake, *shown):
        assert censuses(lake, view) == shown
        assert censuses(lake, f"{view.upper()} ORDER BY value LIMIT 10") == shown


def test_the_past_is_read_as_datasets(lake: Path) -> None:
    published = PublishedLake(str(lake))
    assert published.published_at(census_id(3)) == NOON.replace(hour=15)
    with pytest.raises(ConfigError, match=rf"^no census {census_id(REFUSED)} is published in "):
        published.published_at(census_id(REFUSED))
    at = NOON.replace(hour=15, minute=30)
    for found, shown in (
        (kafka_census.history(str(lake), QUOTAS.name), [1, 2, 3, 4, 5]),
        (kafka_census.as_of(str(lake), at, QUOTAS.name), [2, 3]),
    ):
        with only_files_of(lake, *shown):
            assert sorted(found[0].to_table()["value"].to_pylist()) == shown
    with pytest.raises(ConfigError, match=r"^the time 2026-11-21 15:30:00 has no zone: write datetime"):
        kafka_census.as_of(str(lake), at.replace(tzinfo=None), QUOTAS.name)


def test_audit_tables_and_landed_pages_are_there_by_the_names_that_spark_gives_them(lake: Path) -> None:
    """Every view can be asked, though only those that a statement names are made."""
    names = "calls candidate_quotas census_runs current_quotas freshness history_quotas landed_describe_acls "
    names += "landed_list_groups publications quotas verdicts"
    assert [name for (name,) in ask(lake, "SHOW TABLES")] == names.split()
    assert {table.name for table in of_spark._READ_BY_NAME} == set(AUDIT_TABLES)
    assert ask(lake, "SELECT DISTINCT rpc, pages FROM calls") == [("ListGroups", 2)]
    assert ask(lake, "SELECT count(*) FROM publications") == [(5,)]
    assert ask(lake, "SELECT node_id, unnest(items).group_id FROM landed_list_groups") == [(1, "g-1")]
    columns = [name for name, *_ in ask(lake, "DESCRIBE landed_describe_acls")]
    assert (columns[0], columns[-2:]) == ("census_id", ["open_keys", "items"])


def test_what_is_published_later_is_seen_by_the_next_statement(tmp_path: Path) -> None:
    """A prompt that stays open shows the lake as it is; the statements of one text see the same.

    A table that was never published shows nothing.
    """
    lake = small_lake(tmp_path / "lake")
    stage(lake, BROKERS, 1, broker_id=7)
    for view, rows in (("current_brokers", []), ("brokers_as_of(now())", []), ("candidate_brokers", [(7,)])):
        assert ask(lake, f"SELECT broker_id FROM {view}") == rows
    session = Session(str(lake))
    answers = []
    for _ in range(2):
        text = "SELECT value FROM current_quotas ORDER BY value; SELECT max(value) FROM quotas"
        answers += [list(result.rows) for result in session.results(text)]
        publish(lake, REFUSED)
    assert answers == [[(4.0,), (5.0,)], [(5.0,)], [(5.0,), (6.0,)], [(6.0,)]]


def test_a_short_name_is_a_current_view_where_it_is_a_table(lake: Path) -> None:
    """A column or a WITH of that name opens no table."""
    with only_files_of(lake, 4, 5):
        assert censuses(lake, "quotas") == censuses(lake, 'main."Quotas"') == [4, 5]
        assert ask(lake, "SELECT max(value) FROM quotas JOIN quotas AS other USING (value)") == [(5.0,)]
    with only_files_of(lake):
        for text in ("SELECT 7 AS quotas", "WITH quotas AS (SELECT 7) FROM quotas"):
            assert ask(lake, text) == [(7,)]
    assert {table for table, _ in OTHERS.values()} <= set(NAMES)
    assert not OTHERS.keys() & {*NAMES, *AUDIT_TABLES}


def test_a_file_that_is_gone_is_no_mistake_of_the_statement(lake: Path) -> None:
    """As when maintenance removed it while the query ran."""
    gone = r"^a file of the lake cannot be read .one of current_quotas"
    with only_files_of(lake), pytest.raises(CorruptLake, match=gone):
        ask(lake, "SELECT * FROM current_quotas")


def test_an_unknown_table_is_reported_with_what_there_is(lake: Path) -> None:
    hints = {
        "curent_quotas": "did you mean current_quotas",
        "orders": "see SHOW TABLES",
        "quarantine": "nothing was ever",
        "alerts": "nothing was ever",
        "members": "no census has published group_members in this lake",
        "history_brokers": "no census has published brokers in this lake",
    }
    with pytest.raises(BadQuery, match=r"there is no function quota_as_of; did you mean quotas_as_of\(time\)\?$"):
        ask(lake, "FROM quota_as_of(now())")
    for name, hint in hints.items():
        with pytest.raises(BadQuery, match=f"^line 2, column 8: there is no table {name}; {hint}"):
            ask(lake, f"SELECT *\n  FROM {name}")


SECRET = "a variable of Python"


@pytest.mark.parametrize(
    "statement",
    [
        *("SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM '/etc/passwd'", "SELECT * FROM glob('/*')"),
        *("SELECT * FROM read_parquet('published/quotas/*/*.parquet')", "SELECT * FROM SECRET"),
        *("COPY (SELECT 1) TO 'written.csv'", "COPY calls FROM '/etc/passwd'", "EXPORT DATABASE 'written'"),
        *("ATTACH 'written.db'", "INSTALL httpfs", "LOAD httpfs"),
        *("SET enable_external_access = true", "SET temp_directory = '/tmp'"),
    ],
)
def test_a_statement_cannot_leave_the_lake(
    lake: Path, statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadQuery):
        ask(lake, statement)
    assert list(tmp_path.iterdir()) == []


def test_statements_are_answered_in_their_order_and_none_unless_all_can_be_parsed(lake: Path) -> None:
    text = "FROM (VALUES (1), (NULL)) AS t(a) ORDER BY a; SELECT ';' -- end"
    answers = [list(result.rows) for result in Session(str(lake)).results(text)]
    assert answers == [[(None,), (1,)], [(";",)]]
    results = Session(str(lake)).results("SELECT 1;\nSELECT 2 FROM WHERE")
    with pytest.raises(BadQuery, match=r'^line 2, column 15: syntax error at or near "WHERE"$'):
        next(results)


@pytest.mark.parametrize(
    "statement",
    [
        *("SELECT 1", "FROM range(1)", "VALUES (1)", "TABLE publications", "WITH one AS (SELECT 1) FROM one"),
        *("DESCRIBE current_quotas", "SHOW TABLES", "SUMMARIZE current_quotas", "PRAGMA table_info('publications')"),
        *("EXPLAIN SELECT 1", "-- why\nEXPLAIN ANALYZE SELECT value FROM current_quotas"),
        *("EXPLAIN (FORMAT json) (SELECT 1)", "SELECT * FROM quotas_as_of(now())"),
        "PIVOT current_quotas ON value IN (4, 5) USING count(*)",
        "SELECT unnest([1]) UNION ALL SELECT json_extract('[1]', '$[0]')::INT",
    ],
)
def test_a_query_of_any_form_is_answered(lake: Path, statement: str) -> None:
    assert ask(lake, statement)


@pytest.mark.parametrize(
    "statement",
    [
        *("CALL enable_logging(storage = 'file', storage_path = 'log')", "CALL enable_profiling(save_location = 'p')"),
        *("CALL disable_logging()", "CHECKPOINT", "FORCE CHECKPOINT", "PRAGMA enable_profiling", "VACUUM"),
        *("SET threads = 1", "SET VARIABLE x = 1", "RESET threads", "USE memory", "BEGIN", "PREPARE q AS SELECT 1"),
        *("CREATE TABLE t AS SELECT 1", "CREATE MACRO m() AS 1", "CREATE SECRET s (TYPE s3)", "DROP VIEW calls"),
        *("INSERT INTO calls VALUES (1)", "DELETE FROM calls", "UPDATE calls SET a = 1", "DETACH memory"),
        *("EXPLAIN ANALYZE COPY (SELECT 1) TO 'written.csv'", "EXPLAIN CALL enable_logging()"),
        "EXPLAIN ANALYZE SELECT * FROM enable_logging()",
        *(f"SELECT * FROM {name}()" for name in ("enable_logging", "disable_logging", "enable_profiling")),
        *(f"SELECT (SELECT count(*) FROM system.main.{name}())" for name in ("checkpoint", "truncate_duckdb_logs")),
        "DESCRIBE SELECT * FROM enable_logging(storage = 'stdout')",
        "WITH a AS MATERIALIZED (FROM force_checkpoint()) SELECT 1",
        "SELECT * FROM query('SELECT * FROM enable_' || 'logging()')",
        "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
        "SELECT write_log('x')",
    ],
)
def test_what_is_no_query_is_refused_in_one_line(
    lake: Path, statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadQuery, match=r"^(a statement of the kind [A-Z ]+ is not run|the function \w+ cannot be)"):
        next(opened(lake).results(f"SELECT 1; {statement}"))
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")
    assert [list(result.rows) for result in opened(lake).results("SELECT 2")] == [[(2,)]]


def test_every_table_function_of_this_duckdb_is_known_to_read_or_is_refused(lake: Path) -> None:
    text = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'table'"
    names = {name for (name,) in ask(lake, text)}
    known = set(filter(_is_known, names))
    assert not {name for name in known if re.search("log(ging)?$|profiling|checkpoint|read_|scan|parquet|query$", name)}
    assert {"enable_logging", "read_csv", "glob", "arrow_scan", "query", "checkpoint"} <= names - known


_ENDLESS = "WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM t) SELECT count(*) FROM t"


@pytest.mark.parametrize(
    "statement", [_ENDLESS, "SELECT sleep_ms(60000)", "SELECT sum(range) FROM range(1::BIGINT << 40)"]
)
def test_a_statement_that_takes_too_long_is_interrupted(lake: Path, statement: str) -> None:
    session, began, threads = Session(str(lake), limits=Limits(seconds=0.5)), time.monotonic(), threading.enumerate()
    with pytest.raises(OutOfResources, match=r"^the query took longer than 0\.5 s: ask for less, or raise --timeout$"):
        list(next(session.results(statement)).rows)
    assert time.monotonic() - began < 20
    assert [list(result.rows) for result in session.results("SELECT 2")] == [[(2,)]]
    assert threading.enumerate() == threads


def test_the_time_of_a_reader_of_rows_does_not_count(lake: Path) -> None:
    [result] = Session(str(lake), limits=Limits(seconds=1)).results("SELECT * FROM range(50000)")
    time.sleep(1.2)
    assert sum(1 for _ in result.rows) == 50000


@pytest.mark.parametrize(
    "statement",
    ["SELECT repeat('x', 3000000000)", "SELECT length(repeat('x', 3000000000))", "SELECT list_sum(range(3000000000))"],
)
def test_a_statement_that_needs_too_much_memory_ends_in_one_line(lake: Path, statement: str) -> None:
    """Though it is one huge value, which DuckDB does not count; the process may grow as before afterwards."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(OutOfResources, match=r"^the query needs more memory than is available.*--memory-limit$"):
        list(next(Session(str(lake)).results(statement)).rows)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_a_size_is_written_as_duckdb_writes_sizes(lake: Path) -> None:
    sizes = {"2GB": 2 * 10**9, "512MiB": 512 * 2**20, "1.5 tb": 15 * 10**11}
    assert {text: Limits(memory=text).memory_bytes for text in sizes} == sizes
    for text in ("", "2", "0GB", "-1GB", "1e9B", "2 gigabytes", "2GB; SET threads = 1"):
        with pytest.raises(ConfigError, match=r"^--memory-limit .* is no size; one looks like 2GB or 512MiB$"):
            Session(str(lake), limits=Limits(memory=text))


def test_a_mistake_is_reported_with_its_position_in_one_line(lake: Path) -> None:
    for text, position in (
        ("SELECT 1;\n\nSELECT 'größe', wrong FROM calls", "line 3, column 17: "),
        ("SELECT 1 + CAST('a\nb' AS INT)", "line 1, column 12: "),
    ):
        with pytest.raises(BadQuery, match=rf"^{position}[^\n]+$"):
            ask(lake, text)


def test_times_are_utc_whatever_the_machine_says(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    here = "SELECT TIMESTAMP '2026-11-21 12:00'::TIMESTAMPTZ = '2026-11-21 12:00:00+00'::TIMESTAMPTZ"
    assert ask(lake, here) == [(True,)]
