"""The audit rows of a census of the whole cluster, and its report."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from e2e.operator import Operator
from kafka_census.tables import TABLES
from kafka_census.tables.audit import CALLS, CENSUS_RUNS, VERDICTS
from trouble.conftest import Surveyed

BROKERS = {1, 2, 3}
MOST_COMMITS = 37


@pytest.fixture(scope="module")
def audit(lake: Operator, whole: Surveyed) -> Mapping[str, DataFrame]:
    """The rows of this census, by table."""
    (census_id,) = {row["census_id"] for row in whole.rows["publications"]}
    return {
        table.name: lake.rows(table).where(F.col("census_id") == census_id) for table in (CALLS, CENSUS_RUNS, VERDICTS)
    }


def test_a_whole_census_says_that_it_is_complete(whole: Surveyed, audit: Mapping[str, DataFrame]) -> None:
    """One publication row per table, visible, proven, nothing missing; every verdict is in the audit tables."""
    reported = {
        row["table_name"]: (row["is_complete"], row["visibility"], len(row["missing"]))
        for row in whole.rows["publications"]
    }
    assert reported == {table.name: (True, "proven", 0) for table in TABLES}
    assert len(whole.rows["publications"]) == len(TABLES)
    verdicts = audit["verdicts"]
    assert verdicts.where("outcome = 'refuse'").isEmpty()
    assert verdicts.select("kind").distinct().count() == 4
    events = [row.event for row in audit["census_runs"].orderBy("at").collect()]
    assert events == ["started", "landed", "staged", "gated", "published"]


def test_a_census_of_all_tables_is_few_commits(lake: Operator, whole: Surveyed) -> None:
    """A commit costs as much as all requests to a small cluster: one per level and table, the rest for audit tables."""
    (census_id,) = {row["census_id"] for row in whole.rows["publications"]}
    commits = [log for log in Path(lake.lake).rglob("_delta_log/*.json") if census_id in log.read_text("utf-8")]
    assert len(commits) <= MOST_COMMITS


def test_every_call_is_in_the_audit_tables(whole: Surveyed, audit: Mapping[str, DataFrame]) -> None:
    """Batches of coordinators, one listing per broker, no error."""
    calls = audit["calls"].collect()
    asked = defaultdict(set)
    for row in calls:
        asked[row.rpc, row.scope].add(row.broker_id)
    every = (("ListGroups", "groups"), ("DescribeLogDirs", "log_dirs"), ("DescribeConfigs", "brokers"))
    assert {walk: asked[walk] for walk in every} == dict.fromkeys(every, BROKERS)
    found = [row for row in calls if (row.rpc, row.scope) == ("FindCoordinator", "groups")]
    assert sum(row["items"] for row in found) == len(whole.said["group"])
    assert sum(row.requests for row in found) <= len(BROKERS)
    assert [row for row in calls if row.errors] == []


def test_the_report_fits_a_terminal(lake: Operator, whole: Surveyed) -> None:
    """80 columns, every table, a SQL line at its end; problems in at most ten lines before."""
    ran = lake.run("report", "--full")
    assert (ran.code, ran.error) == (0, "")
    # All lines except commands, which are one line so that they can be pasted.
    assert [line for line in ran.out.splitlines()[:-1] if len(line) > 80 and "kafka-census " not in line] == []
    assert [name for name in whole.rows if name not in ran.out] == ["publications"]
    assert 2 <= ran.out.splitlines().index("") <= 10
