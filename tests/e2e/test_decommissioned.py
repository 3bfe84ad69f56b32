"""A decommissioned broker is reported once, and later censuses do not wait for it."""

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
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.log_dir_usage import LOG_DIR_USAGE

GONE = 3
TABLES = (GROUP_COORDINATOR_PLACEMENT, BROKERS, LOG_DIR_USAGE)


@pytest.fixture(scope="module")
def censuses(operator: Callable[..., Operator]) -> tuple[Operator, list[str]]:
    """Four censuses: one of three brokers, and three after the third was decommissioned; their ids in order."""
    with KafkaCluster(brokers=3, broker_only=(GONE,)) as cluster:
        servers = cluster.admin_servers
        workload.create_topic(servers, "orders", assignment=[[GONE, 1], [1, 2]])
        workload.commit_offsets(servers, ["a", "b", "c"], "orders")
        census = replace(operator(cluster.bootstrap_servers, "decommissioned"), tables=TABLES)
        published(census)
        decommission(cluster)
        for _ in range(3):
            published(census)
    rows = census.rows(PUBLICATIONS).select("census_id").distinct().orderBy("census_id").collect()
    return census, [row.census_id for row in rows]


def published(census: Operator) -> None:
    """A census under the default policy, which refuses missing reads."""
    ran = census.run("census", "--no-report")
    assert (ran.code, ran.error) == (0, "")


def decommission(cluster: KafkaCluster) -> None:
    """Decommission a broker as an operator would: move its replicas away, shut it down, and unregister it."""
    servers = cluster.admin_servers
    held = [row for row in ask(servers, "partition") if GONE in row["replicas"]]
    assert held
    workload.reassign(servers, {(row["topic"], row["partition"]): [1, 2][: len(row["replicas"])] for row in held})
    deadline = time.monotonic() + 60
    while any(GONE in row["replicas"] for row in ask(servers, "partition")):
        assert time.monotonic() < deadline, "the replicas do not move away"
    cluster.stop_broker(GONE)
    alive = cluster.brokers[1].address("INTERNAL")
    command_line(alive, "org.apache.kafka.tools.ClusterTool", "--id", str(GONE), step="unregister")


def test_three_censuses_in_a_row_publish_complete(censuses: tuple[Operator, list[str]]) -> None:
    """No page of the removed broker is due, and nothing is missing."""
    census, ids = censuses
    rows = census.rows(PUBLICATIONS).collect()
    assert {row.census_id for row in rows} == set(ids)
    assert len(ids) == 4
    assert {(row.is_complete, len(row.missing)) for row in rows} == {(True, 0)}
    owed = census.rows(ROUTES).where(F.col("broker_id") == GONE).select("census_id").distinct().collect()
    assert [row.census_id for row in owed] == ids[:1]


def test_it_is_a_row_and_one_warning_once(censuses: tuple[Operator, list[str]]) -> None:
    """In the census directly after the last one that knew the broker; later censuses do not mention it."""
    census, ids = censuses
    rows = census.rows(BROKERS).where(F.col("broker_id") == GONE).orderBy("census_id").collect()
    assert [(row.census_id, row.state) for row in rows] == [(ids[0], "alive"), (ids[1], "gone")]
    warned = census.rows(VERDICTS).where("outcome = 'warn' AND array_contains(failing_keys, 'broker_id=3')").collect()
    assert [(row.census_id, row.rule) for row in warned] == [(ids[1], "broker_is_still_seen")]
    assert "not seen any more" in warned[0].message
