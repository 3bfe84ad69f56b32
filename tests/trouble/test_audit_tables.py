"""The audit rows of a census of the whole cluster."""

from collections import defaultdict
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path

import pytest

from e2e.operator import Operator
from kafka_census.declarations.audit import CALLS, CENSUS_RUNS, VERDICTS
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.tables.all_tables import TABLES
from trouble.conftest import Row, Surveyed

BROKERS = {1, 2, 3}
MOST_COMMITS = 40
AUDIT = CALLS, CENSUS_RUNS, VERDICTS


@pytest.fixture(scope="module")
def audit(lake: Operator, whole: Surveyed) -> Mapping[str, list[Row]]:
    rows = {table.name: PublishedLake(lake.lake).opened(table.folder).to_table().to_pylist() for table in AUDIT}
    return {name: [row for row in found if row["census_id"] == whole.census_id] for name, found in rows.items()}


def test_a_whole_census_says_that_it_is_complete(whole: Surveyed, audit: Mapping[str, list[Row]]) -> None:
    """One publication row per table, visible, proven, nothing missing; every verdict is in the audit tables."""
    reported = {
        row["table_name"]: (row["is_complete"], row["visibility"], len(row["missing"]))
        for row in whole.rows["publications"]
    }
    assert reported == {table.name: (True, "proven", 0) for table in TABLES}
    assert len(whole.rows["publications"]) == len(TABLES)
    assert "refuse" not in {row["outcome"] for row in audit["verdicts"]}
    assert len({row["kind"] for row in audit["verdicts"]}) == 4
    events = [row["event"] for row in sorted(audit["census_runs"], key=itemgetter("at"))]
    assert events == ["started", "landed", "staged", "gated", "published"]


def test_a_census_of_all_tables_is_few_commits(lake: Operator, whole: Surveyed) -> None:
    """A commit costs as much as all requests to a small cluster: one per level and table, the rest for audit tables."""
    logs = Path(lake.lake).rglob("_delta_log/*.json")
    commits = [log for log in logs if whole.census_id in log.read_text("utf-8")]
    assert len(commits) <= MOST_COMMITS


def test_every_call_is_in_the_audit_tables(whole: Surveyed, audit: Mapping[str, list[Row]]) -> None:
    calls = audit["calls"]
    asked = defaultdict(set)
    for row in calls:
        asked[row["rpc"], row["scope"]].add(row["broker_id"])
    every = (("ListGroups", "groups"), ("DescribeLogDirs", "log_dirs"), ("DescribeConfigs", "brokers"))
    assert {walk: asked[walk] for walk in every} == dict.fromkeys(every, BROKERS)
    found = [row for row in calls if (row["rpc"], row["scope"]) == ("FindCoordinator", "groups")]
    assert sum(row["items"] for row in found) == len(whole.said["group"])
    assert sum(row["requests"] for row in found) <= len(BROKERS)
    assert [row for row in calls if row["errors"]] == []
