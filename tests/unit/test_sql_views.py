"""The views of a lake in DuckDB: Spark's names, only what is published, and no file that they do not show."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from harness.small_lake import NOON, OF_CLUSTER, REFUSED, census_id, publish, small_lake, stage
from kafka_census.census.publish import views as of_spark
from kafka_census.errors import BadQuery, ConfigError, CorruptLake
from kafka_census.reading.sql.session import Session
from kafka_census.reading.sql.views import AUDIT_TABLES
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.tables.brokers.columns import BROKERS


def ask(lake: Path, statement: str, at: datetime | None = None) -> list[tuple[Any, ...]]:
    [rows] = [list(result.rows) for result in Session(str(lake), at).results(statement)]
    return rows


def censuses(lake: Path, source: str, at: datetime | None = None) -> list[int]:
    """The numbers of the censuses that a view shows: of each there is one quota."""
    return sorted(int(value) for (value,) in ask(lake, f"SELECT value FROM {source}", at))


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


def test_a_census_was_published_at_a_time(lake: Path) -> None:
    published = PublishedLake(str(lake))
    assert published.published_at(census_id(3)) == NOON.replace(hour=15)
    with pytest.raises(ConfigError, match=rf"^no census {census_id(REFUSED)} is published in "):
        published.published_at(census_id(REFUSED))


def test_audit_tables_and_landed_pages_are_there_by_the_names_that_spark_gives_them(lake: Path) -> None:
    """Every view can be asked, though only those that a statement names are made."""
    names = "calls candidate_quotas census_runs current_quotas history_quotas landed_describe_acls landed_list_groups"
    assert [name for (name,) in ask(lake, "SHOW TABLES")] == [*names.split(), "publications", "verdicts"]
    assert {table.name for table in of_spark._READ_BY_NAME} == set(AUDIT_TABLES)
    assert ask(lake, "SELECT DISTINCT rpc, pages FROM calls") == [("ListGroups", 2)]
    assert ask(lake, "SELECT count(*) FROM publications") == [(5,)]
    assert ask(lake, "SELECT node_id, unnest(items).group_id FROM landed_list_groups") == [(1, "g-1")]
    columns = [name for name, *_ in ask(lake, "DESCRIBE landed_describe_acls")]
    assert (columns[0], columns[-2:]) == ("census_id", ["open_keys", "items"])


def test_a_statement_opens_what_it_names(tmp_path: Path) -> None:
    lake = small_lake(tmp_path / "lake")
    stage(lake, BROKERS, 1)
    publish(lake, 1, table=BROKERS)
    for log in (lake / "published" / "brokers" / "_delta_log").iterdir():
        log.write_text("{", encoding="utf-8")
    assert censuses(lake, "current_quotas") == [4, 5]
    with pytest.raises(CorruptLake, match=r"published/brokers cannot be read: [^\n\x1b]+$"):
        ask(lake, "SELECT * FROM current_brokers")


def test_a_table_that_was_never_published_shows_nothing(tmp_path: Path) -> None:
    lake = small_lake(tmp_path / "lake")
    stage(lake, BROKERS, 1, broker_id=7)
    for view, rows in (("current_brokers", []), ("brokers_as_of(now())", []), ("candidate_brokers", [(7,)])):
        assert ask(lake, f"SELECT broker_id FROM {view}") == rows


def test_what_is_published_later_is_seen_by_the_next_statement(tmp_path: Path) -> None:
    """A prompt that stays open shows the lake as it is; the statements of one text see the same."""
    lake = small_lake(tmp_path / "lake")
    session = Session(str(lake))
    answers = []
    for _ in range(2):
        text = "SELECT value FROM current_quotas ORDER BY value; SELECT max(value) FROM current_quotas"
        answers += [list(result.rows) for result in session.results(text)]
        publish(lake, REFUSED)
    assert answers == [[(4.0,), (5.0,)], [(5.0,)], [(5.0,), (6.0,)], [(6.0,)]]


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
    }
    for name, hint in hints.items():
        with pytest.raises(BadQuery, match=f"^line 2, column 8: there is no table {name}; {hint}"):
            ask(lake, f"SELECT *\n  FROM {name}")
