"""A damaged table never reads as a table in which nothing is wrong: each reader without Spark ends in one line."""

import shutil
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from deltalake import DeltaTable

import kafka_census
from harness.damage import DAMAGE, cut, damageable, forget, spoil, strip
from harness.documented import ROOT, block_with
from harness.page_lake import BAD_DAY, write_census
from harness.small_lake import NOON, append, census_id, note, publish, stage
from kafka_census.cli.command import command
from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS, QUARANTINE, VERDICTS
from kafka_census.errors import CorruptLake
from kafka_census.lake.promised import damage
from kafka_census.reading.html.markdown import as_markdown
from kafka_census.reading.html.page import as_html
from kafka_census.reading.html.read import read_page
from kafka_census.reading.sql.session import Session
from kafka_census.reading.sql.views import AUDIT_TABLES
from kafka_census.tables.all_tables import AUDIT_TABLES as DECLARED
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS as PARTITIONS
from kafka_census.terminal.log import Redactor
from unit.configuring import ran

FOLDERS = {table.name: table.folder for table in DECLARED}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with every audit table; the last commit of its published table is of a published census."""
    return damageable(tmp_path_factory.mktemp("whole") / "lake")


@pytest.fixture
def lake(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "lake"))


def ask(lake: Path, statement: str) -> int:
    [rows] = [list(result.rows) for result in Session(str(lake)).results(statement)]
    return len(rows)


READERS: dict[str, Callable[[Path], object]] = {
    "sql": lambda lake: ask(lake, "SELECT * FROM current_quotas"),
    "the history": lambda lake: ask(lake, "SELECT count(*) FROM history_quotas"),
    "a time": lambda lake: ask(lake, "SELECT * FROM quotas_as_of(now())"),
    "Python": lambda lake: kafka_census.current(str(lake), "quotas"),
    "the report": lambda lake: command(["report", "--lake", str(lake)], Redactor()),
    "diff": lambda lake: command(["diff", "--lake", str(lake), census_id(3), census_id(5)], Redactor()),
}


@pytest.mark.parametrize("harm", DAMAGE)
@pytest.mark.parametrize("table", ["published/quotas", "audit/publications"])
def test_no_reader_shows_less_than_was_published(
    lake: Path, table: str, harm: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever was lost of a table, or of the table that says what there is; the line names it, and what to do."""
    DAMAGE[harm](lake / table)
    for read in READERS.values():
        with pytest.raises(CorruptLake, match=rf"^[^\n]*{table.rpartition('/')[2]}[^\n]*restore[^\n]*$"):
            read(lake)
    assert capsys.readouterr().out == ""


def test_publications_that_lost_a_commit_are_not_the_last_census_before(lake: Path) -> None:
    """`census_runs` says what was published; what it says was retired is not missed."""
    forget(lake / "audit/publications")
    with pytest.raises(CorruptLake, match=f"does not have census {census_id(5)} .of 1 such., which audit/census_runs"):
        READERS["sql"](lake)
    append(lake, CENSUS_RUNS, [{"census_id": census_id(5), "event": "retired", "at": NOON}])
    assert ask(lake, "SELECT * FROM current_quotas") == 2


def test_damage_of_an_older_census_is_that_of_its_history(lake: Path) -> None:
    lost = next((lake / "published/quotas").glob(f"census_id={census_id(2)}/*.parquet"))
    rewrite = DeltaTable(str(lake / "published/quotas"))
    rewrite.delete(f"census_id = '{census_id(2)}'")
    assert lost.exists()
    assert ask(lake, "SELECT * FROM current_quotas") == 2
    for statement in (
        "SELECT * FROM history_quotas",
        f"SELECT * FROM history_quotas WHERE census_id = '{census_id(5)}'",
        f"SELECT * FROM quotas_as_of(TIMESTAMPTZ '{NOON + timedelta(hours=2)}')",
    ):
        with pytest.raises(CorruptLake, match=f"of census {census_id(2)} it does not hold as many rows as audit/pub"):
            ask(lake, statement)


HARMED = [
    (name, harm)
    for name in AUDIT_TABLES
    for harm in DAMAGE
    if name != "publications" and (name == "verdicts" or harm == "its log is removed")
]
"""All that may be done to one of them; to each that it looks as if nothing had been written there yet."""


@pytest.mark.parametrize(("name", "harm"), HARMED)
def test_a_damaged_audit_table_is_one_line(lake: Path, name: str, harm: str) -> None:
    DAMAGE[harm](lake / FOLDERS[name])
    with pytest.raises(CorruptLake, match=r"^[^\n]+$"):
        ask(lake, f"SELECT * FROM {name}")
    if name != "census_runs":
        assert ask(lake, "SELECT * FROM current_quotas") == 2


def test_quarantine_that_lost_a_commit_is_told_by_the_verdicts(lake: Path) -> None:
    """Of each rule that has failing keys; one that passes in spite of some has no rows in quarantine."""
    judged = {"table_name": "quotas", "kind": "expectation", "outcome": "warn", "failing_keys": ["entity=a"]}
    of_last = {"census_id": census_id(5), **judged}
    passed = of_last | {"rule": "mostly", "outcome": "pass"}
    append(lake, VERDICTS, [of_last | {"rule": "one"}, of_last | {"rule": "two"}, passed])
    for rule in ("one", "two"):
        append(lake, QUARANTINE, [{"census_id": census_id(5), "table_name": "quotas", "rule": rule}])
    assert ask(lake, "SELECT * FROM quarantine") == 3
    forget(lake / "audit/quarantine")
    with pytest.raises(CorruptLake, match=f"it has none of census {census_id(5)} that failed quotas.two, though"):
        ask(lake, "SELECT * FROM quarantine")


def test_what_is_left_out_of_a_list_is_said(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = ask(lake, "SHOW TABLES")
    strip(lake / "audit/verdicts")
    assert ask(lake, "SHOW TABLES") == before - 2
    reported = capsys.readouterr().err.splitlines()
    lost = f"is left out: {lake}/audit/verdicts is lost: it is not there, and"
    assert [line.partition(lost)[0] for line in reported] == ["warning: verdicts ", "warning: quarantine "]


def test_rows_are_counted_in_the_files_where_the_log_does_not_count_them(lake: Path) -> None:
    """As other writers of Delta leave it."""
    for entry in (lake / "published/quotas/_delta_log").glob("*.json"):
        entry.write_text(entry.read_text().replace('"stats"', '"unknown"'))
    assert DeltaTable(str(lake / "published/quotas")).get_add_actions(flatten=True)["num_records"].null_count == 5
    assert ask(lake, "SELECT * FROM current_quotas") == 2


def test_a_number_that_is_not_known_is_no_number() -> None:
    """A null promises nothing that could be kept; more rows than were published are damage, too."""
    assert damage("t", {"a": 1, "b": 0}, {"a": 1, "c": 9}) is None
    assert "but 2; restore" in (damage("t", {"a": 1, "b": 0}, {"a": 2}) or "")
    assert "a number that was published" in (damage("t", {"a": None}, {"a": 2}) or "")
    assert ", nor of 1 more; " in (damage("t", {"a": 1, "b": 1}, {}) or "")


@pytest.mark.parametrize("harm", [forget, cut])
def test_a_page_of_a_damaged_lake_never_says_that_nothing_is_wrong(
    tmp_path: Path, harm: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    lake = tmp_path / "lake"
    rows = {PARTITIONS.name: BAD_DAY[PARTITIONS.name], BROKERS.name: [{"broker_id": 1, "state": "alive"}]}
    for number in (1, 2):
        write_census(lake, number, rows, (PARTITIONS, BROKERS), outcome="pass")
    harm(lake / PARTITIONS.folder)
    page = read_page(str(lake))
    assert page.wrong == []
    assert page.damage
    html, lines = as_html(page), as_markdown(page)
    for text in (html, "\n".join(lines)):
        assert "Nothing is wrong" not in text
        assert "lake is damaged" in text
    assert lines[1].startswith("1 of 1 brokers alive")
    assert ran("report", "--md", "--html", str(tmp_path / "page.html"), "--lake", str(lake)) == 1
    reported = capsys.readouterr()
    assert (reported.out.startswith(lines[0]), (tmp_path / "page.html").exists()) == (True, True)
    assert reported.err.startswith("error: ")
    assert reported.err.count("\n") == 1
    assert "this is a bug" not in reported.err
    assert PARTITIONS.name in reported.err


COPY_LOGS, COPY_FILES = 'mkdir -p "$copy"', "--exclude=./locks"
RESTORE, PUT_OVER, REPLACE = 'mv "$lake" ', 'cp -R "$copy/$table/."', 'mv "$lake/$table" '


def perform(words: str, lake: Path, table: str = "published/quotas") -> None:
    """Run the commands of docs/backup.md that have these words; the copy is beside the lake."""
    text = block_with(ROOT / "docs" / "backup.md", words).text.replace("/data/lake", str(lake))
    text = text.replace("/backup/2026-11-30", f"{lake}.copy").replace("table=published/quotas", f"table={table}")
    subprocess.run(["/bin/sh", "-euc", text], check=True)


def published(lake: Path) -> list[tuple[object, ...]]:
    [rows] = [list(result.rows) for result in Session(str(lake)).results("FROM history_quotas ORDER BY census_id")]
    return rows


def publish_sixth(lake: Path) -> None:
    stage(lake, QUOTAS, 6, entity="user 6", value=6.0)
    note(lake, 6)
    publish(lake, 6)


@pytest.mark.parametrize("harm", DAMAGE)
@pytest.mark.parametrize("table", ["published/quotas", "audit/publications"])
def test_a_table_is_restored_from_a_copy(lake: Path, table: str, harm: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By the commands of docs/backup.md; a damaged checkpoint is in no copy, and stays until the table is replaced."""
    before = published(lake)
    perform(COPY_LOGS, lake)
    perform(COPY_FILES, lake)
    DAMAGE[harm](lake / table)
    perform(REPLACE if DAMAGE[harm] is spoil else PUT_OVER, lake, table)
    assert published(lake) == before
    ask(lake, "SHOW TABLES")
    assert capsys.readouterr().err == ""


def test_a_copy_of_a_lake_in_use_is_whole_and_restores_the_state_of_its_logs(
    lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is published while files are copied does not count; nor does a name of a checkpoint that was not copied."""
    before = published(lake)
    DeltaTable(str(lake / QUOTAS.folder)).create_checkpoint()
    last = lake / QUOTAS.folder / "_delta_log" / "_last_checkpoint"
    named = last.read_text()
    last.write_text(named.replace('"version":', '"version":9'))
    perform(COPY_LOGS, lake)
    last.write_text(named)
    publish_sixth(lake)
    perform(COPY_FILES, lake)
    strip(lake / "published/quotas")
    perform(RESTORE, lake)
    assert list((lake / "published/quotas").glob(f"census_id={census_id(6)}/*.parquet"))
    assert published(lake) == before
    ask(lake, "SHOW TABLES")
    assert capsys.readouterr().err == ""


def test_a_census_published_since_the_copy_is_kept_or_named(lake: Path) -> None:
    """Files put over a table keep what was written since; a replaced table lacks the census, until it is retired."""
    perform(COPY_LOGS, lake)
    perform(COPY_FILES, lake)
    before = published(lake)
    publish_sixth(lake)
    since = published(lake)
    next((lake / "published/quotas").glob(f"census_id={census_id(5)}/*.parquet")).unlink()
    perform(PUT_OVER, lake)
    assert published(lake) == since
    perform(REPLACE, lake)
    with pytest.raises(CorruptLake, match=f"of census {census_id(6)} it does not hold .* maintain .* {census_id(6)}"):
        published(lake)
    append(lake, CENSUS_RUNS, [{"census_id": census_id(6), "event": "retired", "at": NOON}])
    DeltaTable(str(lake / PUBLICATIONS.folder)).delete(f"census_id = '{census_id(6)}'")
    assert published(lake) == before
