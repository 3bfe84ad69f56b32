"""The gate's verdicts on rows: an operator's expectations, lost rows, gaps; failing rows are kept in quarantine."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from kafka_census.census.gate import expectations, row_counts
from kafka_census.census.gate.gate import Judgement, judge
from kafka_census.census.gate.own_suites import OwnSuite, own_suites
from kafka_census.census.gate.policy import GatePolicy
from kafka_census.census.gate.verdict import Verdict
from kafka_census.census.publish.promote import write_refusal
from kafka_census.declarations.audit import PUBLICATIONS, QUARANTINE, VERDICTS
from kafka_census.declarations.census import Census
from kafka_census.declarations.thresholds import Thresholds
from kafka_census.lake import store
from kafka_census.lake.before import Before
from kafka_census.lake.lake import Lake
from kafka_census.pages.landed_census import read_landed_census
from kafka_census.reading.report.in_duckdb import InDuckDB
from kafka_census.reading.report.render import refusal_lines
from kafka_census.reading.report.summary import refusal_of
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT as GROUPS
from kafka_census.tables.group_lag.rules import GROUP_LAG_SUITE
from kafka_census.tables.suites import SUITES
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS as PARTITIONS
from kafka_census.terminal.progress import NullProgress
from spark.fake_lake import census, healthy, land, refusal
from spark.faults import planted
from spark.planted_tables import HEALTHY, stage_healthy
from spark.report_lake import append, ids_of, publication

BEFORE, NOW, GAP, DEAD = (census(number) for number in range(1, 5))
DOCS = Path(__file__).parents[2] / "docs" / "quality.md"
ANY_SIZE = Thresholds(keep_rows_from=1)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Staged: a healthy census, a late copy of it in which topic `b` lacks partition 0, and one without broker 3.

    Before them, a census of nine groups and one partition was published.
    """
    filled = Lake(root=str(tmp_path_factory.mktemp("gate-rows") / "lake"))
    dead, late = healthy(), healthy()
    dead["ListGroups", "groups"][2] = refusal(3, -100, "BROKER_NOT_ALIVE", "broker 3 is not alive")
    dead["FindCoordinator", "groups"][0]["items"].pop()  # a group that was not listed has no FindCoordinator request
    for page in late["DescribeTopicPartitions", "topics"]:
        page["received_at"] += timedelta(seconds=90)
    land(filled, {NOW: healthy(), GAP: late, DEAD: dead})
    stage_healthy(filled, NOW, GROUPS, PARTITIONS)
    shifted = [row | {"partition": int(row["topic"] == "b")} for row in HEALTHY[PARTITIONS.name]]
    stage_healthy(filled, GAP, PARTITIONS, rows={PARTITIONS.name: shifted})
    stage_healthy(filled, DEAD, GROUPS, rows={GROUPS.name: HEALTHY[GROUPS.name][:2]})
    append(filled, VERDICTS, [ids_of(BEFORE) | {"table_name": GROUPS.name, "rule": "unique_key", "outcome": "pass"}])
    append(
        filled, PUBLICATIONS, [publication(BEFORE, table, rows, ()) for table, rows in ((GROUPS, 9), (PARTITIONS, 1))]
    )
    return filled


def judged(
    spark: SparkSession,
    lake: Lake,
    made: Census = NOW,
    thresholds: Thresholds = Thresholds(),  # noqa: B008 - frozen
    own: tuple[OwnSuite, ...] = (),
    tables: tuple[object, ...] = (GROUPS,),
) -> Judgement:
    """The judgement on some tables; a missing broker is accepted."""
    policy = GatePolicy(unreachable_brokers="publish_incomplete", thresholds=thresholds)
    landed = read_landed_census(spark, lake, made.census_id, tables)  # type: ignore[arg-type]
    return judge(spark, lake, made, tables, policy, landed, NullProgress(), own=own)  # type: ignore[arg-type]


def verdict(judgement: Judgement, rule: str, table: str = GROUPS.name) -> Verdict:
    """The only verdict of a rule on a table."""
    [found] = [one for one in judgement.verdicts if (one.table_name, one.rule) == (table, rule)]
    return found


def in_set(rule: str, *groups: str) -> dict[str, Any]:
    """The expectation that there are no other groups."""
    kwargs = {"column": "group_id", "value_set": list(groups)}
    return {"type": "expect_column_values_to_be_in_set", "kwargs": kwargs, "meta": {"rule": rule}}


ABSENT = {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "nope"}}
OPERATORS = (
    in_set("known_groups", "g-1", "g-2"),
    in_set("nobody_else", "nobody"),
    *(ABSENT | {"severity": each, "meta": {"rule": f"{each}_nope"}} for each in ("critical", "warning")),
    {"type": "expect_table_row_count_to_be_between", "kwargs": {"max_value": 2}, "severity": "warning"},
    {"type": "expect_table_columns_to_match_set", "kwargs": {"column_set": ["group_id"], "exact_match": False}},
)


@pytest.fixture(scope="module")
def operators(spark: SparkSession, lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Judgement:
    """The judgement with an operator's expectations; fewer rows than before are accepted."""
    accepting = replace(ANY_SIZE, accept_row_counts=True)
    folder = tmp_path_factory.mktemp("own")
    suite = {"name": "mine", "expectations": OPERATORS, "meta": {}}
    (folder / f"{GROUPS.name}.mine.json").write_text(json.dumps(suite), encoding="utf-8")
    suites = own_suites(folder, SUITES)
    return judged(spark, lake, thresholds=accepting, own=suites)


def test_operators_expectations_refuse_and_rows_are_in_quarantine(
    spark: SparkSession, lake: Lake, operators: Judgement
) -> None:
    """The row is in quarantine as JSON under the rule's name.

    An expectation that could not be judged refuses, even as a warning. One about the whole table has no failing rows;
    as a warning it refuses nothing; one that holds has a verdict as well.
    """
    [line, _, *others] = sorted(operators.refusals, key=lambda refusal: ("nope" in refusal, refusal))
    assert line.startswith(f"{GROUPS.name}: known_groups: 1 of 3 rows: ")
    assert line.endswith(": the rows are in audit/quarantine")
    assert "run the census again" not in line, "that is for rules of ours"
    for severity, other in zip(("critical", "warning"), others, strict=True):
        assert other.startswith(f"{GROUPS.name}: {severity}_nope: could not be judged: ")
    kept = store.read(spark, lake, QUARANTINE).where("rule = 'known_groups'").collect()
    assert [(row.census_id, row.table_name, row.severity, row.row_key) for row in kept] == [
        (NOW.census_id, GROUPS.name, "critical", "group_id=g-3")
    ]
    assert json.loads(kept[0].row)["group_id"] == "g-3"
    assert json.loads(kept[0].row)["listed_by"] == [3]
    warned = verdict(operators, "expect_table_row_count_to_be_between()")
    assert (warned.outcome, warned.failed_rows) == ("warn", 1)
    assert "3, more than 2" in warned.message
    assert verdict(operators, "expect_table_columns_to_match_set()").outcome == "pass"
    assert [cause.rule for cause in operators.causes if "expect_table" in (cause.rule or "")] == []


def test_what_the_lake_keeps_of_a_refusal_explains_it_as_the_gate_did(
    spark: SparkSession, lake: Lake, operators: Judgement
) -> None:
    write_refusal(spark, lake, NOW, operators)
    source, policy = InDuckDB(str(lake.root)), GatePolicy(unreachable_brokers="publish_incomplete")
    refusal = refusal_of(source, source.refusal(NOW.census_id), (), 5, policy)
    assert set(refusal.causes) == set(operators.causes)
    lines = refusal_lines(refusal)
    assert max(len(line) for line in lines if "kafka-census" not in line) <= 80
    start = lines.index(f"REFUSE {GROUPS.name}: nobody_else")
    assert "audit/quarantine" in " ".join(lines[start : start + 8])


def test_the_example_of_the_docs_does_what_it_says(spark: SparkSession, tmp_path: Path) -> None:
    """Groups beyond the limit are named; a group with unknown lag is not."""
    [example] = re.findall(r"```json\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "group_lag.json").write_text(example, encoding="utf-8")
    [suite] = own_suites(tmp_path, SUITES)
    lags = {"behind": 1_000_001, "near": 1_000_000, "unknown": None}
    rows = planted(spark, GROUP_LAG_SUITE, [{"group_id": group, "lag_total": lag} for group, lag in lags.items()])
    [outcome] = expectations.judge(GROUP_LAG_SUITE.subject(rows, NOW.census_id), len(lags), suite.expectations)
    assert (outcome.rule, outcome.severity, outcome.raised) == ("groups_keep_up", "warning", None)
    assert outcome.failing_keys == ("group_id=behind",)


def test_lost_rows_refuse_unless_accepted_for_one_run(spark: SparkSession, lake: Lake, operators: Judgement) -> None:
    """Nine groups were published, three are left: the line has both numbers, and the remedy."""
    [line] = judged(spark, lake, thresholds=ANY_SIZE).refusals
    assert line == (
        f"{GROUPS.name}: rows_are_kept: 3, fewer than 5: At least 50% of the 9 rows of census {BEFORE.census_id} "
        "are still there; if that is so, --accept-row-counts lets it pass."
    )
    kept = verdict(operators, "rows_are_kept")
    assert kept.outcome == "warn"
    assert "accepted by --accept-row-counts" in kept.message


def test_rows_may_go_within_the_thresholds() -> None:
    """Small tables, and tables that the configuration allows to vary, are not compared with the previous census."""
    before = Before(BEFORE.census_id, 9)
    for compared, thresholds in (
        (0, Thresholds(keep_rows_from=10)),
        (2, Thresholds(keep_rows_from=9)),
        (0, replace(ANY_SIZE, keep_rows_of={GROUPS.name: 0.0})),
    ):
        assert len(row_counts.bounds(GROUPS.name, before, thresholds)) == compared
    kept, grown = row_counts.bounds(GROUPS.name, before, replace(ANY_SIZE, keep_rows=0.3, grow_rows=1.5))
    assert (kept.least, grown.most) == (3, 13)


def test_rows_that_went_with_a_broker_only_warn(spark: SparkSession, lake: Lake) -> None:
    """The missing broker was accepted: its groups are not reported a second time."""
    judgement = judged(spark, lake, DEAD, ANY_SIZE)
    assert (judgement.outcome, judgement.refusals) == ("publish", ())
    assert verdict(judgement, "rows_are_kept").outcome == "warn"


def test_a_gap_between_partitions_refuses_sudden_growth_and_skew_warn(spark: SparkSession, lake: Lake) -> None:
    """Every single row is right, and so is their number; the check between rows names the topic.

    Three partitions instead of one; answers one second apart where no skew is allowed.
    """
    thresholds = replace(ANY_SIZE, grow_rows=2, max_skew=timedelta(0))
    judgement = judged(spark, lake, GAP, thresholds, tables=(PARTITIONS,))
    [line] = judgement.refusals
    assert line == (
        f"{PARTITIONS.name}: partitions_are_contiguous: 1 of 3: The partitions of a topic count from 0 without a gap; "
        "run the census again, and if it is refused again, report it: the rows are in audit/quarantine"
    )
    kept = store.read(spark, lake, QUARANTINE).where(f"census_id = '{GAP.census_id}'").collect()
    assert [(row.rule, row.row_key, row.row) for row in kept if row.severity == "critical"] == [
        ("partitions_are_contiguous", "topic=b: 1 partitions from 1 to 1", None)
    ]
    grown = verdict(judgement, "rows_grow_slowly", PARTITIONS.name)
    assert grown.outcome == "warn"
    assert grown.message.startswith("rows_grow_slowly: 3, more than 2: ")
    skew = verdict(judgement, "answers_are_of_one_time", PARTITIONS.name)
    assert skew.outcome == "warn"
    assert "within 1m 30s, more than gate.max_skew (0s)" in skew.message
    [(table, first, last)] = judgement.times
    assert (table, last - first) == (PARTITIONS.name, timedelta(seconds=90))
