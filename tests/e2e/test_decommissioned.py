"""A broker without replicas that was stopped owes nothing; once unregistered it is reported once, and then no more."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from pyspark.sql import functions as F

from e2e.operator import Operator
from harness import workload
from harness.kafka_cluster import KafkaCluster
from harness.oracle import ask, command_line
from kafka_census.tables.audit import PUBLICATIONS, ROUTES, VERDICTS
from kafka_census.tables.brokers import BROKERS
from kafka_census.tables.config_drift import CONFIG_DRIFT
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.log_dir_usage import LOG_DIR_USAGE

GONE = 3
TABLES = (GROUP_COORDINATOR_PLACEMENT, BROKERS, LOG_DIR_USAGE, CONFIG_DRIFT)


@pytest.fixture(scope="module")
def censuses(operator: Callable[..., Operator]) -> tuple[Operator, list[str]]:
    """Four censuses: of three brokers, with the third stopped, and two once it was unregistered; their ids in order."""
    with KafkaCluster(brokers=3, broker_only=(GONE,)) as cluster:
        servers = cluster.admin_servers
        workload.create_topic(servers, "orders", assignment=[[GONE, 1], [1, 2]])
        workload.commit_offsets(servers, ["a", "b", "c"], "orders")
        census = replace(operator(cluster.bootstrap_servers, "decommissioned"), tables=TABLES)
        published(census)
        empty(cluster)
        cluster.stop_broker(GONE)
        published(census)
        alive = cluster.brokers[1].address("INTERNAL")
        command_line(alive, "org.apache.kafka.tools.ClusterTool", "--id", str(GONE), step="unregister")
        for _ in range(2):
            published(census)
    rows = census.rows(PUBLICATIONS).select("census_id").distinct().orderBy("census_id").collect()
    return census, [row.census_id for row in rows]


def published(census: Operator) -> None:
    """A census under the default policy, which refuses missing reads."""
    ran = census.run("census", "--no-report")
    assert (ran.code, ran.error) == (0, "")


def empty(cluster: KafkaCluster) -> None:
    """Move the replicas of a broker away, as an operator would who decommissions it."""
    servers = cluster.admin_servers
    held = [row for row in ask(servers, "partition") if GONE in row["replicas"]]
    assert held
    workload.reassign(servers, {(row["topic"], row["partition"]): [1, 2][: len(row["replicas"])] for row in held})
    deadline = time.monotonic() + 60
    while any(GONE in row["replicas"] for row in ask(servers, "partition")):
        assert time.monotonic() < deadline, "the replicas do not move away"


def test_three_censuses_in_a_row_publish_complete(censuses: tuple[Operator, list[str]]) -> None:
    """No page of the broker is due once it is stopped, and nothing is missing: it is fenced, and holds no replica."""
    census, ids = censuses
    rows = census.rows(PUBLICATIONS).collect()
    assert {row.census_id for row in rows} == set(ids)
    assert len(ids) == 4
    assert {(row.is_complete, len(row.missing)) for row in rows} == {(True, 0)}
    owed = census.rows(ROUTES).where(F.col("broker_id") == GONE).select("census_id").distinct().collect()
    assert [row.census_id for row in owed] == ids[:1]


def test_a_stopped_broker_is_fenced_and_its_rows_say_what_to_do(censuses: tuple[Operator, list[str]]) -> None:
    """It was not asked, so that it did not fail to answer."""
    census, ids = censuses
    reason = (
        f"broker {GONE} was not asked: it is fenced and holds no replica; if it was decommissioned: kafka-cluster.sh "
        f"unregister --bootstrap-server HOST:PORT --id {GONE}"
    )
    [dirs] = census.rows(LOG_DIR_USAGE).where((F.col("broker_id") == GONE) & (F.col("census_id") == ids[1])).collect()
    assert (dirs.state, dirs.reason) == ("not_read", reason)
    of_broker = (F.col("resource_type") == "broker") & (F.col("resource_name") == str(GONE))
    drift = census.rows(CONFIG_DRIFT).where(of_broker & (F.col("census_id") == ids[1]) & (F.col("kind") == "not_read"))
    assert [row.reason for row in drift.collect()] == [reason]
    [warned] = census.rows(VERDICTS).where("rule = 'fenced_broker_has_replicas' AND outcome = 'warn'").collect()
    assert (warned.census_id, list(warned.failing_keys)) == (ids[1], [f"broker_id={GONE}"])
    assert "kafka-cluster.sh unregister" in warned.message


def test_a_broker_that_is_gone_has_no_rows_as_if_it_had_not_answered(censuses: tuple[Operator, list[str]]) -> None:
    """Neither dirs nor configs: it was not asked."""
    census, ids = censuses
    later = F.col("census_id").isin(ids[2:])
    assert census.rows(LOG_DIR_USAGE).where((F.col("broker_id") == GONE) & later).count() == 0
    unread = census.rows(CONFIG_DRIFT).where((F.col("kind") == "not_read") & later)
    assert unread.count() == 0


def test_it_is_a_row_and_one_warning_once(censuses: tuple[Operator, list[str]]) -> None:
    """In the census directly after the last one that knew the broker; later censuses do not mention it."""
    census, ids = censuses
    rows = census.rows(BROKERS).where(F.col("broker_id") == GONE).orderBy("census_id").collect()
    assert [(row.census_id, row.state) for row in rows] == list(zip(ids, ("alive", "fenced", "gone"), strict=False))
    gone = "rule = 'broker_is_still_seen' AND outcome = 'warn' AND array_contains(failing_keys, 'broker_id=3')"
    warned = census.rows(VERDICTS).where(gone).collect()
    assert [row.census_id for row in warned] == [ids[2]]
    assert "not seen any more" in warned[0].message
