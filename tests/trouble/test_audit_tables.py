"""The audit rows of a census of the whole cluster."""

from collections import defaultdict
from operator import itemgetter
from pathlib import Path

from e2e.operator import Operator
from kafka_census.declarations.audit import CALLS, CENSUS_RUNS, VERDICTS
from kafka_census.tables.all_tables import TABLES
from trouble.conftest import Surveyed

BROKERS = {1, 2, 3}
MOST_COMMITS = 40


def test_a_whole_census_is_complete_and_every_verdict_and_call_is_in_the_audit_tables(
    lake: Operator, whole: Surveyed
) -> None:
    """One publication row per table, visible, proven, nothing missing."""
    reported = {
        row["table_name"]: (row["is_complete"], row["visibility"], len(row["missing"]))
        for row in whole.rows["publications"]
    }
    assert reported == {table.name: (True, "proven", 0) for table in TABLES}
    assert len(whole.rows["publications"]) == len(TABLES)
    calls, runs, verdicts = (
        [row for row in lake.stored(table) if row["census_id"] == whole.census_id]
        for table in (CALLS, CENSUS_RUNS, VERDICTS)
    )
    assert "refuse" not in {row["outcome"] for row in verdicts}
    assert len({row["kind"] for row in verdicts}) == 4
    events = [row["event"] for row in sorted(runs, key=itemgetter("at"))]
    assert events == ["started", "landed", "staged", "gated", "published"]
    asked = defaultdict(set)
    for row in calls:
        asked[row["rpc"], row["scope"]].add(row["broker_id"])
    every = (("ListGroups", "groups"), ("DescribeLogDirs", "log_dirs"), ("DescribeConfigs", "brokers"))
    assert {walk: asked[walk] for walk in every} == dict.fromkeys(every, BROKERS)
    found = [row for row in calls if (row["rpc"], row["scope"]) == ("FindCoordinator", "groups")]
    assert sum(row["items"] for row in found) == len(whole.said["group"])
    assert sum(row["requests"] for row in found) <= len(BROKERS)
    assert [row for row in calls if row["errors"]] == []


def test_a_census_of_all_tables_is_few_commits(lake: Operator, whole: Surveyed) -> None:
    """A commit costs as much as all requests to a small cluster: one per level and table, the rest for audit tables."""
    logs = Path(lake.lake).rglob("_delta_log/*.json")
    commits = [log for log in logs if whole.census_id in log.read_text("utf-8")]
    assert len(commits) <= MOST_COMMITS
