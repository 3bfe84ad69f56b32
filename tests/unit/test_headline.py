"""The first ten lines: what is wrong, one line per cause, and what to type next."""

from dataclasses import replace

import pytest

from kafka_census.census.gate.causes import Cause
from kafka_census.lake.lake import Lake
from kafka_census.reading.report.headline import LINES, refusal_headline, report_headline, table_lines
from kafka_census.reading.report.problems import REFUSED, ReportedProblem
from kafka_census.tables.problems import UNKNOWN
from kafka_census.terminal.columns import WIDTH, cells_of
from unit.test_report import REFUSAL, REPORT, SECTION, VERDICT

TABLES = tuple(f"table_{number:02}" for number in range(15))
OFFLINE = ReportedProblem("offline", 1, "1 partition is offline: __consumer_offsets-5; 1,234 groups cannot commit")
LAG = ReportedProblem("lag_unknown", 203, "203 groups have unknown lag: a, b, c, ...")
DEAD = ReportedProblem("unreachable", 1, "broker 3 did not answer (BROKER_NOT_ALIVE)", ("3",), TABLES, (LAG,))
CAUSE = Cause("broker 3 did not answer", ("ListGroups",), ("brokers",), root="broker")
FULL = "All of it: kafka-census report --cluster local --full"
TITLE = f"Census {REPORT.census_id} of cluster local"


@pytest.mark.parametrize("number", [1, 5, 7, 8, 40])
def test_a_headline_has_at_most_ten_lines_of_80_columns(number: int) -> None:
    lines = report_headline(replace(REPORT, problems=(DEAD,) * number))
    assert len(lines) <= LINES
    assert [line for line in lines if cells_of(line) > WIDTH and "kafka-census" not in line] == []
    named = sum("broker 3" in line for line in lines)
    assert f"- and {number - named} more" in lines or named == number


WARNED = replace(VERDICT, rule="dir_is_online", kind="expectation", outcome="warn", examples=())


def test_a_rule_of_the_gate_that_warns_is_no_all_clear() -> None:
    sql = f"FROM verdicts WHERE census_id = '{REPORT.census_id}' AND outcome = 'warn'"
    report = replace(REPORT, problems=(), verdicts=(WARNED, replace(WARNED, rule="other")))
    assert report_headline(report) == [
        f"{TITLE}: 2 warnings",
        f'Next: kafka-census sql -e "SELECT table_name, rule, failed_rows, message {sql}"',
        FULL,
    ]
    assert report_headline(replace(REPORT, problems=(), verdicts=())) == [f"{TITLE}: nothing is wrong", FULL]
    silent = replace(WARNED, kind="completeness", examples=("broker=3, error=BROKER_NOT_ALIVE",))
    both = report_headline(replace(report, verdicts=(WARNED, silent), problems=(OFFLINE,)))
    assert both[0].endswith(": 1 problem, 1 warning")
    catalog = Lake(catalog="main.kafka")
    assert report_headline(replace(report, lake=catalog))[1:] == [FULL]
    assert report_headline(replace(report, problems=(OFFLINE,), lake=catalog))[2:] == [FULL]


def test_what_is_not_known_is_no_all_clear() -> None:
    unknown = ReportedProblem("not_known", 2, "2 log dirs are not known to be well: 1:/a, 2:/a", table="log_dir_usage")
    first, line, command, _ = report_headline(replace(REPORT, problems=(unknown,), verdicts=()))
    assert (first, line) == (f"{TITLE}: not all is known", f"- {unknown.text}")
    assert command.endswith(f'FROM current_log_dir_usage WHERE {UNKNOWN["log_dir_usage"].where}"')
    assert report_headline(replace(REPORT, problems=(OFFLINE, unknown), verdicts=()))[0] == f"{TITLE}: 1 problem"


def test_a_risk_is_no_problem_yet() -> None:
    skewed = ReportedProblem("skewed", 3, "3 coordinators are part of a spread that chance does not explain")
    assert report_headline(replace(REPORT, problems=(skewed,), verdicts=()))[0] == f"{TITLE}: 1 risk"
    both = report_headline(replace(REPORT, problems=(OFFLINE, skewed), verdicts=()))
    assert both[0] == f"{TITLE}: 1 problem, 1 risk"


def test_commands_name_the_configuration_that_the_job_was_given() -> None:
    """A broker that is silent is a matter for the doctor; names are quoted for a shell."""
    lines = report_headline(replace(REPORT, cluster="my cluster", problems=(DEAD,)), "conf/demo.yaml")
    of = "--config conf/demo.yaml --cluster 'my cluster'"
    assert lines[-2:] == [f"Next: kafka-census doctor {of}", f"All of it: kafka-census report {of} --full"]


def test_a_name_of_any_length_leaves_room_for_the_state() -> None:
    (first, *_) = report_headline(replace(REPORT, cluster="c" * 200, problems=(OFFLINE,)))
    assert first.endswith("c…: 1 problem")
    assert cells_of(first) == WIDTH


def test_a_refused_census_says_so_first() -> None:
    rule = ReportedProblem(REFUSED, 1, "quotas: 3 of 3 rows: no gap", blinds=("quotas",))
    dead = replace(DEAD, blinds=("brokers",), unseen=(), advice="start it")
    refusal = replace(REFUSAL, causes=(CAUSE,), problems=(dead, rule, OFFLINE), still_published="before")
    assert refusal_headline(refusal) == [
        f"NOT PUBLISHED: census {REPORT.census_id} of cluster local: refused",
        "- broker 3 did not answer (BROKER_NOT_ALIVE); blinds 1 table: brokers; start it",
        "- quotas: 3 of 3 rows: no gap",
        "- 1 partition is offline: __consumer_offsets-5; 1,234 groups cannot commit",
        "Readers still see census before.",
        "Next: kafka-census doctor --cluster local",
        "All of it: kafka-census report --cluster local --unpublished --full",
    ]
    (asked,) = [line for line in refusal_headline(replace(refusal, problems=(OFFLINE,))) if line.startswith("Next")]
    assert f"FROM candidate_under_min_isr_partitions WHERE census_id = '{REPORT.census_id}' AND" in asked


def test_a_census_that_nothing_refuses_is_published_by_a_command() -> None:
    lines = refusal_headline(replace(REFUSAL, problems=(OFFLINE,) * 40))
    assert lines[0] == f"NOT PUBLISHED: census {REPORT.census_id} of cluster local: not refused"
    assert f"It can be published: kafka-census publish --cluster local --census-id {REPORT.census_id}" in lines
    assert len(lines) == LINES
    # A lake in which nothing was published has no view to ask.
    assert not any(line.startswith("Next") for line in lines)


def test_a_table_is_a_line() -> None:
    failed = replace(SECTION, table="quotas", is_complete=True, totals=(), failed=("no_gap",), row_count=12345)
    lines = table_lines((SECTION, failed), "NOT PUBLISHED ")
    assert max(map(cells_of, lines)) <= WIDTH
    assert [" ".join(line.split()) for line in lines] == [
        "NOT PUBLISHED table rows complete what it says",
        "reassignment_backlog 2 NO 2 move; at least 5.0 MB left to copy",
        "quotas 12,345 yes REFUSED by no_gap; nothing moves",
    ]
