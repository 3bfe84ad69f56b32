"""A report as text, and what is printed of hostile names: widths, escapes, numbers, the words for what is missing."""

import io
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import Row
from pyspark.sql.types import TimestampType

from harness.documented import ROOT, block_with
from harness.hostile import CLUSTER_ID, HOSTILE, assert_harmless
from kafka_census.census.gate.causes import gathered
from kafka_census.declarations.view import View
from kafka_census.deletion import text as deletion_text
from kafka_census.deletion.history import Window
from kafka_census.deletion.plans import Plan as DeletionPlan
from kafka_census.deletion.plans import Spent
from kafka_census.deletion.rules import DeletionRules
from kafka_census.lake.lake import Lake
from kafka_census.pages.missing_read import read_back
from kafka_census.reading.newer import Event
from kafka_census.reading.report.found import Found
from kafka_census.reading.report.problems import ProblemCount, ReportedProblem, problems
from kafka_census.reading.report.render import report_lines, short_report_lines
from kafka_census.reading.report.section import Section, section_of
from kafka_census.reading.report.source import value
from kafka_census.reading.report.summary import Refusal, Report
from kafka_census.reading.report.verdicts import Verdict
from kafka_census.tables.partitions.columns import HISTORY
from kafka_census.tables.views import VIEWS
from kafka_census.terminal.columns import WIDTH, Shown, cells_of, fit, table, wrapped
from kafka_census.terminal.display import printable, printable_lines, write_lines
from kafka_census.terminal.human import counted, human_bytes, human_time
from kafka_census.upkeep.maintenance.plan import Plan
from kafka_census.upkeep.maintenance.text import plan_lines

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LOST = (read_back("DescribeLogDirs", 3, "BROKER_NOT_ALIVE", "broker 3 has no endpoint"), ("reassignment_backlog",))
HIDDEN = (read_back("ListGroups", None, "NOT_VISIBLE", "an ACL may hide groups"), ("group_coordinator_placement",))
VERDICT = Verdict("t", "no_gap", "completeness", "refuse", 5000, 1200, ("a=1", "a=2", "a=3"), "start broker 3")
SECTION = Section(
    table="reassignment_backlog",
    headline="what is still moving",
    is_complete=False,
    missing=("DescribeLogDirs of broker 3",),
    visibility="proven",
    totals=("2 replicas: 2 move", "at least 5.0 MB left to copy"),
    columns=(Shown("topic"), Shown("left", 9, right=True)),
    row_count=2,
    rows=(("a" * 200, "5.0 MB"), ("日本語" * 40, "?[1]")),
    notes=("broker 3 did not answer DescribeLogDirs",),
    shown_rows=1234,
    calm="nothing moves",
    counted_by="kind",
    rows_are="replicas",
)
REPORT = Report(
    census_id="20261121T120000000Z-00000a",
    cluster="local",
    cluster_id="kraft-id",
    observed_from=NOON,
    observed_to=NOON + timedelta(seconds=7),
    published_at=NOON + timedelta(seconds=20),
    sections=(SECTION,),
    missing=(LOST, HIDDEN),
    verdicts=(VERDICT,),
    passed=31,
    lake=Lake(root="/lake"),
    problems=(ReportedProblem("unreachable", 1, "broker 3 did not answer", ("3",), ("reassignment_backlog",)),),
)
REFUSAL = Refusal(REPORT.census_id, "local", REPORT.cluster_id, (), (), (), None, REPORT.lake, ())


def test_a_broker_that_is_down_is_reported_once_however_many_tables_and_rules_lack_it() -> None:
    tables = tuple(f"table_{number:02}" for number in range(19))
    dead = [(read_back(rpc, 3, "BROKER_NOT_ALIVE", "no endpoint"), tables) for rpc in ("ListGroups", "DescribeLogDirs")]
    sections = tuple(replace(SECTION, table=table, notes=(), missing=("ListGroups of broker 3",)) for table in tables)
    reported = ("broker=3, error=BROKER_NOT_ALIVE",)
    verdicts = [replace(VERDICT, table=table, outcome="warn", examples=reported) for table in tables]
    own = replace(VERDICT, rule="own", kind="expectation", outcome="warn", examples=(), message="a rule of its own")
    report = replace(REPORT, missing=tuple(dead), sections=sections, verdicts=(*verdicts, own))
    text = "\n".join(report_lines(report))
    assert text.count("broker 3") == 2
    assert text.count("INCOMPLETE: see (1) above") == 19
    assert "    not read: DescribeLogDirs, ListGroups\n    lacking in 19 tables: table_00, " in text
    assert "31 rules passed, 20 rules did not pass" in text
    assert "19 rules because the brokers above did not answer" in text
    assert "a rule of its own" in text


_LEAST: Mapping[str, Any] = {"array": [], "string": "", "integer": 0, "long": 0, "boolean": False}


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.table.name)
def test_a_view_shows_columns_that_its_table_has_and_fits_80_columns_whatever_is_in_it(view: View) -> None:
    never_null = {field.name for field in view.table.schema if not field.nullable} | set(view.table.key)
    values = {name: _LEAST[view.table.schema[name].dataType.typeName()] for name in never_null}
    row = Row(*view.table.columns)(*(values.get(name) for name in view.table.columns))
    judged = {"is_complete": True, "missing": [], "visibility": "proven"}
    section = section_of(view, judged, Found({}, dict.fromkeys((name for name, _ in view.sums), 0), 1, [row], {}), ())
    # A column that a census of ours never leaves null may be null in a lake.
    [cells] = section.rows
    assert len(cells) == len(view.columns)
    assert cells[view.noted] in ("-", "?")
    assert section.notes == ()
    assert len(table(section.columns, section.rows)) == 2
    assert view.group_by in view.table.columns
    of_view = {"table": view.table.name, "headline": view.headline, "columns": view.columns, "calm": view.calm}
    for rows in ((), (("x" * 100,) * len(view.columns),)):
        lines = report_lines(replace(REPORT, sections=(replace(SECTION, rows=rows, **of_view),)))
        assert [line for line in lines[:-1] if cells_of(line) > 80] == []


def test_a_table_lines_up() -> None:
    """Numbers stand right, titles may be alone, and the widest flexible column gives way."""
    numbers = table((Shown("name"), Shown("n", right=True)), [("a", "1"), ("bb", "10")], 60)
    assert numbers == ["name   n", "a      1", "bb    10"]
    assert table((Shown("a"), Shown("b")), [], 60) == ["a  b"]
    wide = table((Shown("a"), Shown("b"), Shown("c", 5)), [("x" * 100, "y" * 20, "z" * 9)], 60)
    assert wide == [f"a{' ' * 32}b{' ' * 21}c", f"{'x' * 30}…  {'y' * 20}  zzzz…"]


def test_a_time_in_a_struct_is_the_same_from_both_engines() -> None:
    """Spark gives it as JSON has it, in the zone of the session, DuckDB as a datetime; at the top it is a number."""
    [(at, _)] = value([{"at": "2026-11-30T09:30:00.125+01:00", "end_offset": 7}], HISTORY)
    there = datetime(2026, 11, 30, 8, 30, 0, 125_000, tzinfo=UTC)
    assert at == value([{"at": there}], HISTORY)[0].at == value(1_796_027_400_125_000, TimestampType()) == there


def test_fit_counts_terminal_cells_and_wrapped_keeps_its_indent() -> None:
    fits = {("abc", 3): "abc", ("abcd", 3): "ab…", ("日本語", 5): "日本…", ("日本語", 4): "日…"}
    fits |= {("e\u0301\ufe0f", 1): "e\u0301\ufe0f", ("e\u0301tude", 5): "e\u0301tude"}
    assert {given: fit(*given) for given in fits} == fits

    assert wrapped("word " * 20, "[1] ", width=40)[1].startswith("    word")
    assert wrapped("", "  - ") == ["  -"]


PAGE = ROOT / "docs" / "report.md"
TABLES = (
    ("under_min_isr_partitions", 57, True, "57 partitions: 1 OFFLINE, 4 UNDER, 52 OK"),
    ("group_coordinator_placement", 246, False, "246 groups: 5 no_coordinator, 241 agree"),
    ("reassignment_backlog", 2, False, "2 replicas: 2 move"),
    ("group_lag", 246, False, "246 groups: at least 1,200 offsets behind"),
    ("brokers", 3, True, "3 brokers: 1 not_alive, 2 alive"),
    ("log_dir_usage", 3, False, "3 log dirs: 1 not_read, 2 online"),
)


def example() -> Report:
    lacking = [
        (read_back(rpc, 3, "BROKER_NOT_ALIVE", "broker 3 has no endpoint"), name)
        for rpc in ("DescribeLogDirs", "ListGroups")
        for name, _, complete, _ in TABLES
        if not complete
    ]
    seen = {
        "offline": ProblemCount(1, (), ("__consumer_offsets-17",)),
        "unable_to_commit": ProblemCount(1, (5, 0), ("__consumer_offsets-17",)),
        "under_min_isr": ProblemCount(4, (), ("audit-1", "payments-0", "payments-1", "payments-2")),
        "unreachable": ProblemCount(1, (), ("3",)),
        "lag_unknown": ProblemCount(5, (), ("billing", "nightly", "orders", "prices", "words")),
    }
    none, unable = ProblemCount(0, (), ()), seen["unable_to_commit"]
    explained = {"offline": [seen["offline"], none], "under_min_isr": [seen["under_min_isr"], none]}
    explained |= {"unable_to_commit": [unable, replace(none, impact=(0, 0))]}
    sections = tuple(
        replace(SECTION, table=name, row_count=rows, is_complete=complete, totals=(said,))
        for name, rows, complete, said in TABLES
    )
    causes = [replace(cause, advice="") for cause in gathered(lacking)]
    return replace(REPORT, cluster="prod", sections=sections, problems=problems(seen, causes, explained))


def test_what_the_page_shows_is_printed() -> None:
    assert block_with(PAGE, "4 problems").text.splitlines() == short_report_lines(example())
    refused = Event("20261121T150000000Z-00000c", "refused", NOON + timedelta(hours=3), "broker 3 did not answer")
    now = NOON + timedelta(hours=3, minutes=5, seconds=20)
    old = replace(REPORT, cluster="prod", problems=(), newer=refused, now=now)
    assert block_with(PAGE, "nothing was wrong").text.splitlines() == short_report_lines(old)[:4]


def written(lines: Iterable[str]) -> str:
    out = io.StringIO()
    write_lines(lines, out)
    return out.getvalue()


def test_what_is_not_printable_is_shown_as_its_escape() -> None:
    """And a second time changes nothing, so that every way out may do it again."""
    texts = {"\x1b[31m": r"\x1b[31m", "a\nb": r"a\nb", "a\tb\r": r"a\tb\r", "é😀": "é😀", r"\x1b": r"\x1b"}
    texts |= {"\x9b2J\x7f": r"\x9b2J\x7f", "\u202e\u2066\u2028": r"\u202e\u2066\u2028", "\ud800": r"\ud800"}
    assert {text: printable(text) for text in texts} == texts
    assert [printable(shown) for shown in texts.values()] == [*texts.values()]
    # Lines of our own making stay lines.
    assert printable_lines("Traceback\n  \x1bFile\n") == "Traceback\n  \\x1bFile\n"
    assert written(["a\nerror: forged", "b"]) == "a\\nerror: forged\nb\n"


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_text_is_cut_at_the_width_at_which_it_is_shown(hostile: str) -> None:
    shown = fit(hostile * 40, WIDTH)
    assert cells_of(shown) <= WIDTH
    assert printable(shown) == shown


def test_what_maintenance_and_deletion_tell_is_harmless() -> None:
    plan = DeletionPlan("p", CLUSTER_ID, "local", REPORT.census_id, 9, NOON, 1, 1, 0)
    window = Window(CLUSTER_ID, (REPORT.census_id,), CLUSTER_ID, shows_offsets=True)
    rules = DeletionRules(timedelta(days=2), 3, (), timedelta(hours=6), 10)
    group = {"risk": 0, "group_id": CLUSTER_ID, "group_type": CLUSTER_ID, "seconds": 1, "committed_partitions": 1}
    group |= {"lag": 2, "coordinator": 3}
    reported = [
        *plan_lines(Plan(CLUSTER_ID, ("local",), 1, (), (), ())),
        *deletion_text.plan_lines(plan, window, rules, {CLUSTER_ID: 1}, (), [Row(**group)], ""),
        *deletion_text.dry_lines(plan, 1, 0, Spent(0, 0), 10),
        *deletion_text.outcome_lines({("refused", CLUSTER_ID): 1}),
    ]
    shown = written(reported)
    assert_harmless(shown)
    # The rows of the table stand under their titles, whatever is in them.
    titles, row = next(pair for pair in itertools.pairwise(shown.splitlines()) if pair[0].startswith("risk "))
    assert row.index("pwned") >= titles.index("group")
    assert row.split()[-2:] == ["2", "3"]
    assert cells_of(row) <= WIDTH


def test_numbers_and_times_are_short() -> None:
    sizes = {None: "?", 0: "0 B", 999: "999 B", 1000: "1.0 kB", 999_960: "1.0 MB", 5 * 10**18: "5000.0 PB"}
    assert {count: human_bytes(count) for count in sizes} == sizes
    times = {0: "0s", 61: "1m 1s", 90_061: "1d 1h", 3600: "1h"}
    assert {seconds: human_time(seconds) for seconds in times} == times
    assert (human_time(None), human_time(timedelta(seconds=61))) == ("?", "1m 1s")
    found = [counted(1, "group"), counted(2000, "group"), counted(2, "entry", "entries")]
    assert found == ["1 group", "2,000 groups", "2 entries"]
