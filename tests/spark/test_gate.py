"""The gate lets a whole census pass, refuses an incomplete one with a line that names the gap, and obeys its policy."""

import re
from dataclasses import replace
from functools import reduce

import great_expectations.expectations as gxe
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from harness.few_tables import FEW_TABLES
from kafka_census.census import Census
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.pages.landed_census import read_landed_census
from kafka_census.progress import NullProgress
from kafka_census.quality.gate import Judgement, judge
from kafka_census.quality.policy import GatePolicy
from kafka_census.quality.suite import Suite
from kafka_census.quality.suites import SUITES
from kafka_census.staging.stage import stage
from kafka_census.tables.audit import VERDICTS
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.reassignment_backlog import REASSIGNMENT_BACKLOG
from kafka_census.tables.table import Table
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS
from spark.fake_lake import DESCRIBE, FakeLake, Pages, census, healthy, page, refusal

WHOLE, DEAD, SHUT_OUT, HIDDEN, CUT, LOST, UNSTAGED, EMPTY = (census(number) for number in range(1, 9))
UNDESCRIBED, RETRIABLE, DENIED, DELETED = (census(number) for number in range(9, 13))
STRICT, INCOMPLETE = GatePolicy(), GatePolicy(unreachable_brokers="publish_incomplete")
ACCEPTING = GatePolicy(visibility="accept_unknown")
LENIENT = GatePolicy("publish_incomplete", "accept_unknown")
NO_MORE = {
    "item_count": 0,
    "error": "CLUSTER_AUTHORIZATION_FAILED",
    "error_code": 31,
    "error_message": "not authorized",
    "items": [],
}


def broker_3_is_dead() -> Pages:
    pages = healthy()
    for walk in (
        ("ListGroups", "groups"),
        ("ListTransactions", "transactions"),
        ("DescribeLogDirs", "log_dirs"),
        ("DescribeConfigs", "brokers"),
    ):
        pages[walk][2] = refusal(3, -100, "BROKER_NOT_ALIVE", "broker 3 is not alive (known by a replica list)")
    pages[("FindCoordinator", "groups")] = [page(1, [(g, 0, None, 1, "host-1", 9092) for g in ("g-1", "g-2")])]
    return pages


def cluster_is_not_shown() -> Pages:
    """The principal may not describe the cluster: no proof of groups, no log dirs, no reassignments."""
    pages = healthy()
    [brokers] = pages[("DescribeCluster", "cluster")]
    brokers["items"] = [(*row[:-1], row[-1] & ~DESCRIBE) for row in brokers["items"]]
    for walk in (("DescribeLogDirs", "log_dirs"), ("ListPartitionReassignments", "cluster")):
        pages[walk] = [one | NO_MORE for one in pages[walk]]
    return pages


def topic_is_hidden() -> Pages:
    """A broker holds a topic that Metadata did not list, and KRaft's own log, which does not count."""
    pages = healthy()
    first = pages[("DescribeLogDirs", "log_dirs")][0]
    first["items"] += [("/d", 0, 100, 50, name, 0, 1, 0, False) for name in ("secret", "__cluster_metadata")]
    return pages


def page_is_lost() -> Pages:
    pages = healthy()
    del pages[("DescribeTopicPartitions", "topics")][1]
    return pages


def group_is_lost() -> Pages:
    pages = healthy()
    [found] = pages[("FindCoordinator", "groups")]
    found["items"].pop()
    return pages


def offsets_partition_is_not_described() -> Pages:
    pages = healthy()
    [names] = pages[("Metadata", "names")]
    names["items"] = [(*row[:3], 2, *row[4:]) if row[2] else row for row in names["items"]]
    return pages


def coordinators_answer(code: int) -> Pages:
    pages = healthy()
    [found] = pages[("FindCoordinator", "groups")]
    found["items"] = [row if row[0] == "g-2" else (row[0], code, None, None, None, None) for row in found["items"]]
    return pages


def topic_was_deleted() -> Pages:
    pages = healthy()
    last = pages[("DescribeTopicPartitions", "topics")][-1]
    last["items"] = [("b", None, False, 3, None, None, None, [], [], [], [], [], True, None)]
    pages[("ListPartitionReassignments", "cluster")] = [page(1)]
    return pages


def nothing_there() -> Pages:
    return healthy() | {
        ("Metadata", "names"): [page(1)],
        ("DescribeTopicPartitions", "topics"): [],
        ("DescribeConfigs", "topics"): [],
        ("ListPartitionReassignments", "cluster"): [page(1)],
        ("DescribeLogDirs", "log_dirs"): [
            page(n, [("/d", 0, 100, 50, None, None, None, None, None)]) for n in (1, 2, 3)
        ],
        ("ListGroups", "groups"): [page(node) for node in (1, 2, 3)],
        ("FindCoordinator", "groups"): [],
    }


CENSUSES = {
    WHOLE: healthy(),
    DEAD: broker_3_is_dead(),
    SHUT_OUT: cluster_is_not_shown(),
    HIDDEN: topic_is_hidden(),
    CUT: page_is_lost(),
    LOST: group_is_lost(),
    UNSTAGED: healthy(),
    EMPTY: nothing_there(),
    UNDESCRIBED: offsets_partition_is_not_described(),
    RETRIABLE: coordinators_answer(15),
    DENIED: coordinators_answer(30),
    DELETED: topic_was_deleted(),
}
STAGED = {
    WHOLE: FEW_TABLES,
    DEAD: FEW_TABLES,
    SHUT_OUT: (GROUP_COORDINATOR_PLACEMENT, REASSIGNMENT_BACKLOG),
    HIDDEN: (REASSIGNMENT_BACKLOG,),
}
# The part of the whole census' rows in the others: broker 3 alone listed g-3, and without rights no move was listed.
COPIED = (
    (GROUP_COORDINATOR_PLACEMENT, DEAD, "group_id != 'g-3'"),
    (GROUP_COORDINATOR_PLACEMENT, SHUT_OUT, "true"),
    (UNDER_MIN_ISR_PARTITIONS, DEAD, "true"),
    (REASSIGNMENT_BACKLOG, DEAD, "true"),
    (REASSIGNMENT_BACKLOG, HIDDEN, "true"),
)


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    filled = Lake(root=str(tmp_path_factory.mktemp("gate") / "lake"))
    FakeLake(spark, filled).land(CENSUSES)
    landed = read_landed_census(spark, filled, WHOLE.census_id, FEW_TABLES)
    stage(spark, filled, WHOLE, FEW_TABLES, landed, NullProgress())
    for table in FEW_TABLES:
        rows = store.read(spark, filled, table)
        copies = [
            rows.where(condition).withColumn("census_id", F.lit(made.census_id))
            for of, made, condition in COPIED
            if of is table
        ]
        store.append(reduce(DataFrame.unionByName, copies), filled, table, f"test/{table.name}")
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


def tables_of(judgement: Judgement) -> dict[str, tuple[bool, str]]:
    return {table.table_name: (table.is_complete, table.visibility) for table in judgement.tables}


def test_whole_census_is_published_and_every_rule_leaves_a_verdict(spark: SparkSession, lake: Lake) -> None:
    judgement = judge_tables(spark, lake, WHOLE, STAGED[WHOLE], STRICT)
    assert (judgement.outcome, judgement.refusals) == ("publish", ())
    assert tables_of(judgement) == {table.name: (True, "proven") for table in FEW_TABLES}
    assert {table.row_count for table in judgement.tables} == {1, 3}
    assert all(table.observed_from < table.observed_to for table in judgement.tables)
    rows = store.read(spark, lake, VERDICTS).where(f"census_id = '{WHOLE.census_id}'").collect()
    assert len(rows) == len(judgement.verdicts)
    assert {row.kind for row in rows} == {"completeness", "visibility", "time", "expectation"}
    assert len({(row.table_name, row.rule) for row in rows}) == len(rows)
    assert {row.outcome for row in rows} <= {"pass", "warn"}


def test_many_tasks_judge_as_one_does(spark: SparkSession, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = judge_tables(spark, lake, DEAD, FEW_TABLES, LENIENT)
    monkeypatch.setattr("kafka_census.size.ONE_TASK", 0)
    assert judge_tables(spark, lake, DEAD, FEW_TABLES, LENIENT) == alone
    monkeypatch.setattr("kafka_census.size.LARGE", 0)
    assert judge_tables(spark, lake, DEAD, FEW_TABLES, LENIENT) == alone
    assert {verdict.outcome for verdict in alone.verdicts} == {"pass", "warn"}


def test_stopped_broker_refuses_with_its_name_and_the_rpc(spark: SparkSession, lake: Lake) -> None:
    judgement = judge_tables(spark, lake, DEAD, STAGED[DEAD], STRICT)
    assert judgement.outcome == "refuse"
    why = "(BROKER_NOT_ALIVE: broker 3 is not alive (known by a replica list))"
    what_to_do = "publish anyway with completeness.unreachable_brokers: publish_incomplete"
    [line] = judgement.refusals
    assert line == (
        f"broker 3 did not answer {why}; not read: DescribeLogDirs, ListGroups; "
        f"lacking in group_coordinator_placement, reassignment_backlog; {what_to_do}"
    )
    optional = [v for v in judgement.verdicts if v.table_name == UNDER_MIN_ISR_PARTITIONS.name and v.outcome != "pass"]
    assert {(v.rule, v.severity, v.outcome) for v in optional if v.kind == "completeness"} == {
        ("DescribeConfigs/brokers is complete", "warning", "warn"),
        ("ListGroups/groups is complete", "warning", "warn"),
        ("ListTransactions/transactions is complete", "warning", "warn"),
    }


def test_principal_without_the_cluster_refuses(spark: SparkSession, lake: Lake) -> None:
    judgement = judge_tables(spark, lake, SHUT_OUT, STAGED[SHUT_OUT], INCOMPLETE)
    assert judgement.outcome == "refuse"
    assert {table.visibility for table in judgement.tables} == {"unknown"}
    assert any("groups may be hidden" in line for line in judgement.refusals)
    assert any("log dirs of broker 1, 2, 3 were not shown" in line for line in judgement.refusals)
    assert any("CLUSTER_AUTHORIZATION_FAILED" in line and "accept_unknown" in line for line in judgement.refusals)


def test_principal_without_the_cluster_may_be_accepted(spark: SparkSession, lake: Lake) -> None:
    judgement = judge_tables(spark, lake, SHUT_OUT, STAGED[SHUT_OUT], ACCEPTING)
    assert (judgement.outcome, judgement.refusals) == ("publish", ())
    assert tables_of(judgement) == {table.name: (False, "unknown") for table in STAGED[SHUT_OUT]}
    backlog = next(table for table in judgement.tables if table.table_name == REASSIGNMENT_BACKLOG.name)
    errors = {(missing.rpc, missing.error) for missing in backlog.missing}
    assert ("ListPartitionReassignments", "CLUSTER_AUTHORIZATION_FAILED") in errors
    assert ("Metadata", "NOT_VISIBLE") in errors


def test_the_same_judgement_again_adds_no_verdicts_and_another_policy_adds_its_own(
    spark: SparkSession, lake: Lake
) -> None:
    first, _ = (judge_tables(spark, lake, HIDDEN, STAGED[HIDDEN], STRICT) for _ in range(2))
    accepted = judge_tables(spark, lake, HIDDEN, STAGED[HIDDEN], ACCEPTING)
    assert (first.outcome, accepted.outcome) == ("refuse", "publish")
    assert tables_of(first) == tables_of(accepted) == {REASSIGNMENT_BACKLOG.name: (False, "partial")}
    verdicts = store.read(spark, lake, VERDICTS).where(f"census_id = '{HIDDEN.census_id}'")
    by_time = verdicts.groupBy("judged_at").count().collect()
    assert [row["count"] for row in by_time] == [len(first.verdicts), len(accepted.verdicts)]


ANSWERED = "2 of 3 were answered {}, such as g-1"
LACKS = {
    # No setting publishes a census whose own reading went wrong.
    CUT: (REASSIGNMENT_BACKLOG, LENIENT, "proven", None,
          ("DescribeTopicPartitions of broker 1: page 2 follows page 0 (BROKEN_CHAIN); "
           "not read: DescribeTopicPartitions; lacking in reassignment_backlog; run the census again")),
    LOST: (GROUP_COORDINATOR_PLACEMENT, LENIENT, "proven", None, "1 listed keys were not answered, such as g-3"),
    HIDDEN: (REASSIGNMENT_BACKLOG, STRICT, "partial", None,
             "log dirs hold 1 topics that Metadata did not list, such as secret"),
    # Every broker answered, but groups are missing: the partition is named, as a lost broker would be.
    UNDESCRIBED: (GROUP_COORDINATOR_PLACEMENT, ACCEPTING, "proven",
                  ("ListGroups", None, "NOT_DESCRIBED", ("partition 1 of __consumer_offsets was not described: "
                   "whether a broker tells its groups is not known")), "publish_incomplete"),
    RETRIABLE: (GROUP_COORDINATOR_PLACEMENT, STRICT, "proven",
                ("FindCoordinator", None, "COORDINATOR_NOT_AVAILABLE", ANSWERED.format("COORDINATOR_NOT_AVAILABLE")),
                "completeness.unreachable_brokers: publish_incomplete"),
    DENIED: (GROUP_COORDINATOR_PLACEMENT, STRICT, "partial",
             ("FindCoordinator", None, "GROUP_AUTHORIZATION_FAILED", ANSWERED.format("GROUP_AUTHORIZATION_FAILED")),
             "completeness.visibility: accept_unknown"),
}  # fmt: skip
"""By census: a table that lacks something, the policy, the visibility, the missing answer if told, what refuses it."""


@pytest.mark.parametrize("made", LACKS, ids=["cut", "lost", "hidden", "undescribed", "retriable", "denied"])
def test_what_is_lacking_is_missing_and_refuses(spark: SparkSession, lake: Lake, made: Census) -> None:
    table, policy, visibility, lacking, line = LACKS[made]
    judgement = judge_tables(spark, lake, made, (table,), policy)
    [judged] = judgement.tables
    assert (judged.is_complete, judged.visibility) == (False, visibility)
    if lacking:
        assert [(one.rpc, one.broker_id, one.error, one.reason) for one in judged.missing] == [lacking]
        assert any(line in refusal and lacking[3] in refusal for refusal in judgement.refusals)
    assert any(line in refusal for refusal in judgement.refusals)


def test_nothing_staged_refuses(spark: SparkSession, lake: Lake) -> None:
    judgement = judge_tables(spark, lake, UNSTAGED, FEW_TABLES, LENIENT)
    refused = {(v.table_name, v.rule, v.failed_rows) for v in judgement.verdicts if v.outcome == "refuse"}
    assert refused == {
        ("group_coordinator_placement", "row_count", 3),
        ("under_min_isr_partitions", "row_count", 3),
        ("under_min_isr_partitions", "topic_count", 3),
        ("reassignment_backlog", "row_count", 1),
    }


def test_empty_cluster_is_a_whole_census(spark: SparkSession, lake: Lake) -> None:
    judgement = judge_tables(spark, lake, EMPTY, FEW_TABLES, STRICT)
    assert (judgement.outcome, judgement.refusals) == ("publish", ())
    assert [table.row_count for table in judgement.tables] == [0, 0, 0]
    assert all(table.is_complete for table in judgement.tables)


SUITE = next(suite for suite in SUITES if suite.table is REASSIGNMENT_BACKLOG)


def test_a_rule_that_cannot_be_judged_refuses_whatever_its_severity_and_hides_no_other(
    spark: SparkSession, lake: Lake
) -> None:
    raising = gxe.ExpectColumnValuesToNotBeNull(column="nope", severity="warning", meta={"rule": "raises"})
    dividing = replace(SUITE.rules[0], name="divides", predicate="1 / (replica_id - replica_id) > 0")
    planted = replace(
        SUITE,
        rules=(dividing, *SUITE.rules),
        expectations=lambda counted: (*SUITE.expectations(counted), raising),
    )
    judgement = judge_tables(spark, lake, WHOLE, (REASSIGNMENT_BACKLOG,), STRICT, (planted,))
    assert sorted(re.match(r"reassignment_backlog: (\w+): could not be judged: [^\n]+$", line)[1]
                  for line in judgement.refusals) == ["divides", "raises"]  # fmt: skip
    without = judge_tables(spark, lake, WHOLE, (REASSIGNMENT_BACKLOG,), STRICT)
    assert [verdict for verdict in judgement.verdicts if verdict.rule not in ("divides", "raises")] == list(
        without.verdicts
    )


def test_planted_row_refuses_with_its_key(spark: SparkSession, lake: Lake) -> None:
    wrong = (replace(SUITE.rules[0], predicate="replica_id > 1"), replace(SUITE.rules[-1], predicate="false"))
    planted = replace(SUITE, rules=wrong)
    judgement = judge_tables(spark, lake, WHOLE, (REASSIGNMENT_BACKLOG,), STRICT, (planted,))
    [refused] = [verdict for verdict in judgement.verdicts if verdict.outcome == "refuse"]
    assert refused.failing_keys == ("topic=b, partition=0, replica_id=1, kind=move",)
    assert (refused.checked_rows, refused.failed_rows) == (1, 1)
    assert judgement.tables[0].warnings == 1


def test_an_ordinary_answer_is_no_refused_item(spark: SparkSession, lake: Lake) -> None:
    [table] = judge_tables(spark, lake, DELETED, (REASSIGNMENT_BACKLOG,), STRICT).tables
    assert (table.is_complete, table.missing) == (True, ())
