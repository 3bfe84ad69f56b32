"""Statements in DuckDB: their limits, and the messages of errors."""

from pathlib import Path
from typing import Any

import pytest

from harness.small_lake import small_lake
from kafka_census.errors import BadQuery, OutOfResources
from kafka_census.sql.refusal import explained
from kafka_census.sql.session import Session

SECRET = "a variable of Python"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Any lake."""
    return small_lake(tmp_path_factory.mktemp("small") / "lake")


def ask(lake: Path, text: str) -> list[list[tuple[Any, ...]]]:
    """The rows of each result."""
    return [list(result.rows) for result in Session(str(lake)).results(text)]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_parquet('published/quotas/*/*.parquet')",
        "SELECT * FROM glob('/*')",
        "COPY (SELECT 1) TO 'written.csv'",
        "COPY calls FROM '/etc/passwd'",
        "EXPORT DATABASE 'written'",
        "ATTACH 'written.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET temp_directory = '/tmp'",
        "SELECT * FROM SECRET",
    ],
)
def test_a_statement_cannot_leave_the_lake(
    lake: Path, statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file, no extension, no other setting, and no variable of this process; nothing is written."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadQuery):
        ask(lake, statement)
    assert list(tmp_path.iterdir()) == []


def test_statements_are_answered_in_their_order(lake: Path) -> None:
    """Those that are no question have no answer."""
    text = "CREATE TABLE t AS SELECT 1 AS a; INSERT INTO t VALUES (NULL); SELECT a FROM t ORDER BY a; SELECT ';' -- end"
    assert ask(lake, text) == [[(None,), (1,)], [(";",)]]


def test_nothing_runs_unless_all_of_it_can_be_parsed(lake: Path) -> None:
    """The second statement is a mistake: the first has no answer."""
    results = Session(str(lake)).results("SELECT 1;\nSELECT 2 FROM WHERE")
    with pytest.raises(BadQuery, match=r'^line 2, column 15: syntax error at or near "WHERE"$'):
        next(results)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("SELECT 1;\n\nSELECT 'größe', wrong FROM calls", "line 3, column 17: "),
        ("SELECT 1 + CAST('a\nb' AS INT)", "line 1, column 12: "),
    ],
)
def test_a_mistake_is_reported_with_its_position_in_one_line(lake: Path, text: str, position: str) -> None:
    """In the whole text, counted in characters."""
    with pytest.raises(BadQuery) as refused:
        ask(lake, text)
    assert str(refused.value).startswith(position)
    assert "\n" not in str(refused.value)


def test_what_does_not_fit_into_memory_is_no_mistake_of_the_statement() -> None:
    """Exit code 1, as of all that the machine lacks."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '1MB'; SET temp_directory = ''; SET errors_as_json = true")
        with pytest.raises(duckdb.OutOfMemoryException) as refused:
            connection.execute("SELECT list(range) FROM range(1000000)").fetchall()
    reported = explained(refused.value, "", list)
    assert isinstance(reported, OutOfResources)
    assert str(reported).startswith("the query needs more memory than is available: ")


def test_times_are_utc_whatever_the_machine_says(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the session of Spark."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert ask(lake, "SELECT TIMESTAMP '2026-11-21 12:00'::TIMESTAMPTZ = '2026-11-21 12:00:00+00'::TIMESTAMPTZ") == [
        [(True,)]
    ]
