"""What a broker wrote drives no terminal and forges no line, whichever way it goes out without Spark."""

import io
import itertools
import json
from collections.abc import Iterable
from datetime import timedelta

import pytest
from pyspark.sql import Row

from harness.hostile import CLUSTER_ID, HOSTILE, assert_harmless
from kafka_census.deletion import text as deletion_text
from kafka_census.deletion.history import Window
from kafka_census.deletion.plans import Plan as DeletionPlan
from kafka_census.deletion.plans import Spent
from kafka_census.deletion.rules import DeletionRules
from kafka_census.terminal.columns import WIDTH, cells_of, fit
from kafka_census.terminal.display import printable, printable_lines, write_lines
from kafka_census.terminal.human import counted, human_bytes, human_time
from kafka_census.terminal.log import Redactor, configure
from kafka_census.upkeep.maintenance.plan import Plan
from kafka_census.upkeep.maintenance.text import plan_lines
from unit.test_report import NOON, REPORT

pytestmark = pytest.mark.usefixtures("reached", "logging_as_it_was")


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


def test_lines_of_our_own_making_stay_lines() -> None:
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
    group |= {"lag": 1, "coordinator": 1}
    reported = [
        *plan_lines(Plan(CLUSTER_ID, ("local",), 1, (), (), ())),
        *deletion_text.plan_lines(plan, window, rules, {CLUSTER_ID: 1}, (), [Row(**group)]),
        *deletion_text.dry_lines(plan, 1, 0, Spent(0, 0), 10),
        *deletion_text.outcome_lines({("refused", CLUSTER_ID): 1}),
    ]
    shown = written(reported)
    assert_harmless(shown)
    # The rows of the table stand under their titles, whatever is in them.
    titles, row = next(pair for pair in itertools.pairwise(shown.splitlines()) if pair[0].startswith("risk "))
    assert row.index("pwned") >= titles.index("group")
    assert cells_of(row) <= WIDTH


def test_a_machine_reads_in_the_log_what_was_there() -> None:
    out = io.StringIO()
    configure("json", Redactor(), out)("landed", cluster_id=CLUSTER_ID)
    assert out.getvalue().isascii()
    assert json.loads(out.getvalue())["cluster_id"] == CLUSTER_ID


def test_numbers_and_times_are_short() -> None:
    sizes = {None: "?", 0: "0 B", 999: "999 B", 1000: "1.0 kB", 999_960: "1.0 MB", 5 * 10**18: "5000.0 PB"}
    assert {count: human_bytes(count) for count in sizes} == sizes
    times = {0: "0s", 61: "1m 1s", 90_061: "1d 1h", 3600: "1h"}
    assert {seconds: human_time(seconds) for seconds in times} == times
    assert (human_time(None), human_time(timedelta(seconds=61))) == ("?", "1m 1s")
    found = [counted(1, "group"), counted(2000, "group"), counted(2, "entry", "entries")]
    assert found == ["1 group", "2,000 groups", "2 entries"]
