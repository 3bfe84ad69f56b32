"""docs/report.md: what it shows is what is printed of such a census, and its words are those that `--fail-on` takes."""

import re
from dataclasses import replace

from harness.documented import ROOT, block_with
from kafka_census.pages.missing_read import read_back
from kafka_census.quality.causes import gathered
from kafka_census.report.found import Sighting
from kafka_census.report.kinds import KINDS
from kafka_census.report.problems import problems
from kafka_census.report.render import short_report_lines
from kafka_census.report.summary import Report
from unit.test_report import REPORT, SECTION

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
        "offline": Sighting(1, (5, 0), ("__consumer_offsets-17",)),
        "under_min_isr": Sighting(4, (0, 0), ("audit-1", "payments-0", "payments-1", "payments-2")),
        "unreachable": Sighting(1, (), ("3",)),
        "lag_unknown": Sighting(5, (), ("billing", "nightly", "orders", "prices", "words")),
    }
    sections = tuple(
        replace(SECTION, table=name, row_count=rows, is_complete=complete, totals=(said,))
        for name, rows, complete, said in TABLES
    )
    causes = [replace(cause, advice="") for cause in gathered(lacking)]
    return replace(REPORT, cluster="prod", sections=sections, problems=problems(seen, causes))


def test_what_the_page_shows_is_printed() -> None:
    assert block_with(PAGE, "Census").text.splitlines() == short_report_lines(example())


def test_the_page_has_every_word() -> None:
    reported = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert reported == [
        (kind.word, kind.meaning, f"`{kind.rows.table}`" if kind.rows else "all of them") for kind in KINDS
    ]
