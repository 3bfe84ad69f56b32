"""The gate lets a whole census pass, refuses an incomplete one with a line that names the gap, and obeys its policy."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from harness.few_tables import FEW_TABLES
from kafka_census.census.gate.causes import causes
from kafka_census.census.gate.gate import Judgement, judge, judge_answers
from kafka_census.census.gate.policy import GatePolicy
from kafka_census.declarations.audit import VERDICTS
from kafka_census.declarations.census import Census
from kafka_census.declarations.rules import Suite
from kafka_census.declarations.table import Table
from kafka_census.lake.lake import Lake
from kafka_census.pages.landed_census import read_landed_census
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.tables.suites import SUITES
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS
from kafka_census.terminal.progress import NullProgress
from spark.fake_lake import Pages, census, healthy, land, page, refusal
from spark.planted_tables import HEALTHY, stage_healthy

WHOLE, DEAD, HIDDEN, CUT, LOST, UNSTAGED, EMPTY = (census(number) for number in range(1, 8))
UNDESCRIBED, RETRIABLE, DENIED = (census(number) for number in range(8, 11))
STRICT, ACCEPTING = GatePolicy(), GatePolicy(visibility="accept_unknown")
INCOMPLETE = GatePolicy(unreachable_brokers="publish_incomplete")
LENIENT = GatePolicy("publish_incomplete", "accept_unknown")


TOPICS, NAMES = ("DescribeTopicPartitions", "topics"), ("Metadata", "names")
MOVES, DIRS = ("ListPartitionReassignments", "cluster"), ("DescribeLogDirs", "log_dirs")
FOUND = ("FindCoordinator", "groups")
GROUPS = GROUP_COORDINATOR_PLACEMENT.name
OF_BROKERS = (("ListGroups", "groups"), ("ListTransactions", "transactions"), DIRS, ("DescribeConfigs", "brokers"))


def but(walk: tuple[str, str], change: Callable[[list[Any]], list[Any]]) -> Pages:
    """The healthy census with other items in the first page of a walk, as computed from its own."""
    pages = healthy()
    pages[walk][0]["items"] = change(pages[walk][0]["items"])
    return pages


def answered(code: int) -> Pages:
    """FindCoordinator refuses two of three groups."""
    return but(FOUND, lambda rows: [row if row[0] == "g-2" else (row[0], code, *[None] * 4) for row in rows])


NO_BROKER_3 = [refusal(3, -100, "BROKER_NOT_ALIVE", "broker 3 is not alive (known by a replica list)")]
PLACED = [(group, 0, None, 1, "host-1", 9092) for group in ("g-1", "g-2")]
# KRaft's own log does not count.
UNLISTED = [("/d", 0, 100, 50, name, 0, 1, 0, False) for name in ("secret", "__cluster_metadata")]
CENSUSES = {
    WHOLE: healthy(),
    DEAD: healthy() | {walk: healthy()[walk][:2] + NO_BROKER_3 for walk in OF_BROKERS} | {FOUND: [page(1, PLACED)]},
    HIDDEN: but(DIRS, lambda rows: rows + UNLISTED),
    CUT: healthy() | {TOPICS: healthy()[TOPICS][::2]},
    LOST: but(FOUND, lambda rows: rows[:-1]),
    UNSTAGED: healthy(),
    EMPTY: healthy()
    | {walk: [page(1)] for walk in (NAMES, MOVES)}
    | {walk: [] for walk in (TOPICS, ("DescribeConfigs", "topics"), FOUND)}
    | {DIRS: [page(node, [("/d", 0, 100, 50, *[None] * 5)]) for node in (1, 2, 3)]}
    | {OF_BROKERS[0]: [page(node) for node in (1, 2, 3)]},
    # One of the two partitions of __consumer_offsets.
    UNDESCRIBED: but(NAMES, lambda rows: [(*row[:3], 2, *row[4:]) if row[2] else row for row in rows]),
    RETRIABLE: answered(15),
    DENIED: answered(30),
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    filled = Lake(root=str(tmp_path_factory.mktemp("gate") / "lake"))
    land(filled, CENSUSES)
    stage_healthy(filled, WHOLE, *FEW_TABLES)
    stage_healthy(filled, HIDDEN, REASSIGNMENT_BACKLOG)
    # Broker 3 alone listed g-3.
    stage_healthy(filled, DEAD, *FEW_TABLES, rows=HEALTHY | {GROUPS: HEALTHY[GROUPS][:2]})
    return filled


def judge_tables(
    spark: SparkSession,
    lake: Lake,
    made: Census,
    tables: tuple[Table, ...],
    policy: GatePolicy,
    suites: tuple[Suite, ...] = SUITES,
) -> Judgement:
    landed = read_landed_census(spark, lake, made.census_id, tables)
    return judge(spark, lake, made, tables, policy, landed, NullProgress(), suites)


@pytest.fixture(scope="module")
def dead(spark: SparkSession, lake: Lake) -> Judgement:
    """That of the census without broker 3."""
    return judge_tables(spark, lake, DEAD, FEW_TABLES, STRICT)


def test_many_tasks_judge_as_one_does_and_the_same_judgement_again_adds_no_verdicts(
    spark: SparkSession, lake: Lake, dead: Judgement, monkeypatch: pytest.MonkeyPatch
) -> None:
    for size in ("ONE_TASK", "LARGE"):
        monkeypatch.setattr(f"kafka_census.spark.size.{size}", 0)
    assert judge_tables(spark, lake, DEAD, FEW_TABLES, STRICT) == dead
    assert verdicts_by_time(lake, DEAD) == [len(dead.verdicts)]


def test_stopped_broker_refuses_with_its_name_and_the_rpc(dead: Judgement) -> None:
    assert dead.outcome == "refuse"
    why = "(BROKER_NOT_ALIVE: broker 3 is not alive (known by a replica list))"
    what_to_do = "publish anyway with completeness.unreachable_brokers: publish_incomplete"
    [line] = dead.refusals
    assert line == (
        f"broker 3 did not answer {why}; not read: DescribeLogDirs, ListGroups; "
        f"lacking in group_coordinator_placement, reassignment_backlog; {what_to_do}"
    )
    optional = [v for v in dead.verdicts if v.table_name == UNDER_MIN_ISR_PARTITIONS.name and v.outcome != "pass"]
    assert {(v.rule, v.severity, v.outcome) for v in optional if v.kind == "completeness"} == {
        ("DescribeConfigs/brokers is complete", "warning", "warn"),
        ("ListGroups/groups is complete", "warning", "warn"),
        ("ListTransactions/transactions is complete", "warning", "warn"),
    }


def test_another_policy_adds_its_own_verdicts(spark: SparkSession, lake: Lake) -> None:
    first, accepted = (
        judge_tables(spark, lake, HIDDEN, (REASSIGNMENT_BACKLOG,), policy) for policy in (STRICT, ACCEPTING)
    )
    assert (first.outcome, accepted.outcome) == ("refuse", "publish")
    assert any("log dirs hold 1 topics that Metadata did not list, such as secret" in line for line in first.refusals)
    for judgement in (first, accepted):
        assert [(table.is_complete, table.visibility) for table in judgement.tables] == [(False, "partial")]
    assert verdicts_by_time(lake, HIDDEN) == [len(first.verdicts), len(accepted.verdicts)]


def verdicts_by_time(lake: Lake, made: Census) -> list[int]:
    """The number of verdicts that each judgement of a census wrote."""
    times = [("census_id", "=", made.census_id)]
    rows = DeltaTable(lake.path("audit", VERDICTS.name)).to_pyarrow_table(columns=["judged_at"], filters=times)
    return [number for _, number in sorted(Counter(rows["judged_at"].to_pylist()).items())]


ANSWERED = "2 of 3 were answered {}, such as g-1"
LACKS = {
    # No setting publishes a census whose own reading went wrong.
    CUT: (REASSIGNMENT_BACKLOG, LENIENT, "proven", None,
          ("DescribeTopicPartitions of broker 1: page 2 follows page 0 (BROKEN_CHAIN); "
           "not read: DescribeTopicPartitions; lacking in reassignment_backlog; run the census again")),
    LOST: (GROUP_COORDINATOR_PLACEMENT, LENIENT, "proven", None, "1 listed keys were not answered, such as g-3"),
    # Every broker answered, but groups are missing: the partition is named, as a lost broker would be.
    UNDESCRIBED: (GROUP_COORDINATOR_PLACEMENT, ACCEPTING, "proven",
                  ("ListGroups", None, "NOT_DESCRIBED", ("partition 1 of __consumer_offsets was not described: "
                   "whether a broker tells its groups is not known")), "publish_incomplete"),
    RETRIABLE: (GROUP_COORDINATOR_PLACEMENT, STRICT, "proven",
                ("FindCoordinator", None, "COORDINATOR_NOT_AVAILABLE", ANSWERED.format("COORDINATOR_NOT_AVAILABLE")),
                "completeness.unreachable_brokers: publish_incomplete"),
    DENIED: (GROUP_COORDINATOR_PLACEMENT, INCOMPLETE, "partial",
             ("FindCoordinator", None, "GROUP_AUTHORIZATION_FAILED", ANSWERED.format("GROUP_AUTHORIZATION_FAILED")),
             "completeness.visibility: accept_unknown"),
}  # fmt: skip
"""By census: a table that lacks something, the policy, the visibility, the missing answer if told, what refuses it."""


@pytest.mark.parametrize("made", LACKS, ids=["cut", "lost", "undescribed", "retriable", "denied"])
def test_what_is_lacking_is_missing_and_refuses(spark: SparkSession, lake: Lake, made: Census) -> None:
    """A table's answers alone say so: the gate says the same before it reads rows."""
    table, policy, visibility, lacking, line = LACKS[made]
    landed = read_landed_census(spark, lake, made.census_id, (table,))
    judged = judge_answers((table,), policy, landed)[table.name]
    refusals = "\n".join(cause.line for cause in causes((table,), landed.missing_reads, judged.verdicts, policy))
    assert (bool(judged.missing), judged.visibility) == (True, visibility)
    if lacking:
        assert [(one.rpc, one.broker_id, one.error, one.reason) for one in judged.missing] == [lacking]
        assert any(line in refusal and lacking[3] in refusal for refusal in refusals.splitlines())
    assert line in refusals


def test_nothing_staged_refuses(spark: SparkSession, lake: Lake) -> None:
    judgement = judge_tables(spark, lake, UNSTAGED, (UNDER_MIN_ISR_PARTITIONS,), LENIENT)
    refused = {(v.rule, v.failed_rows) for v in judgement.verdicts if v.outcome == "refuse"}
    assert refused == {("row_count", 3), ("topic_count", 3)}


def test_empty_cluster_is_a_whole_census(spark: SparkSession, lake: Lake) -> None:
    judgement = judge_tables(spark, lake, EMPTY, FEW_TABLES, STRICT)
    assert (judgement.outcome, judgement.refusals) == ("publish", ())
    assert [table.row_count for table in judgement.tables] == [0, 0, 0]
    assert all(table.is_complete for table in judgement.tables)


SUITE = next(suite for suite in SUITES if suite.table is REASSIGNMENT_BACKLOG)


def test_planted_rows_and_rules_that_cannot_be_judged_refuse_and_hide_no_other(spark: SparkSession, lake: Lake) -> None:
    """A rule that cannot be judged refuses whatever its severity; a row that breaks one is named by its key."""
    dividing = replace(SUITE.rules[0], name="divides", predicate="1 / (replica_id - replica_id) > 0")
    broken, warning = replace(SUITE.rules[0], predicate="replica_id > 1"), replace(SUITE.rules[-1], predicate="false")
    planted = replace(SUITE, rules=(dividing, broken, *SUITE.rules[1:-1], warning))
    judgement = judge_tables(spark, lake, WHOLE, (REASSIGNMENT_BACKLOG,), STRICT, (planted,))
    unjudged = [re.match(r"reassignment_backlog: (\w+): could not be judged: [^\n]+$", of) for of in judgement.refusals]
    assert [of[1] for of in unjudged if of] == ["divides"]
    refused = {verdict.rule: verdict for verdict in judgement.verdicts if verdict.outcome == "refuse"}
    assert refused.keys() == {"divides", broken.name}
    assert refused[broken.name].failing_keys == ("topic=b, partition=0, replica_id=1, kind=move",)
    assert (refused[broken.name].checked_rows, refused[broken.name].failed_rows) == (1, 1)
    assert judgement.tables[0].warnings == 1
    assert {rule.name for rule in SUITE.rules} <= {verdict.rule for verdict in judgement.verdicts}
