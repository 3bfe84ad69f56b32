"""An address that fails over to another cluster: during a request that changes the cluster, and during a run.

At the connections of a task, to two real clusters behind one address: tests/e2e/test_deletion_failover.py.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from emulator.asking import serving
from emulator.deleting import TOPICS, Emulated, names, served
from harness.deleting import in_a_task
from harness.failover import Failover
from kafka_census.declarations.deletions import DELETION_CHECKS
from kafka_census.deletion.writing import check, delete, restore
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_emulator.replies import HANG_UP, Reply
from kafka_emulator.server import Server

GROUPS = names(4)
PROOF = {"ApiVersions", "DescribeCluster"}
CONNECTIONS = 5
"""Of an apply: the driver's, and to the bootstrap server and the coordinator that of the task that looks, and that of
the task that deletes; the last fails over."""


@contextmanager
def behind() -> Iterator[tuple[Failover, Server, Server]]:
    """Two clusters of one broker each, with the same groups, and the address that both advertise."""
    with (
        serving(served(len(GROUPS), brokers=1)) as first,
        serving(served(len(GROUPS), brokers=1, seed=8)) as second,
        Failover(first.bootstrap_servers, second.bootstrap_servers) as front,
    ):
        for server in (first, second):
            server.world.brokers.listens(1, server.world.brokers.listeners[0], front.endpoint.port)
        yield front, first, second


@pytest.mark.parametrize(("what", "api_key"), [(delete.delete, 42), (restore.restore, 8)], ids=["delete", "restore"])
def test_a_request_whose_answer_was_lost_is_not_sent_to_the_other_cluster(what: Any, api_key: int) -> None:
    """It is asked nothing but who it is; groups that were not sent yet name both clusters."""
    with behind() as (front, first, second):
        ours, other = first.world.cluster_id, second.world.cluster_id
        settings = ClusterSettings("one", (front.address,), cluster_id=ours)
        looked = in_a_task(check.check, settings, [{"group_id": name, "group_type": None} for name in GROUPS])
        rows = [{"group_id": name, "offsets": looked[name]["offsets"]} for name in GROUPS]
        gone = what is restore.restore
        if gone:
            in_a_task(delete.delete, settings, rows)
            second.world.delete_groups(GROUPS)
        answer = first.answer

        def fails_over(broker: int, listener: str, frame: bytes) -> Reply:
            if int.from_bytes(frame[:2]) == api_key:
                front.fail_over()
                return HANG_UP
            return answer(broker, listener, frame)

        with patch.object(first, "answer", fails_over):
            found = in_a_task(what, settings, rows).values()
        assert {name for _, name in second.asked} <= PROOF
        unsent = [row for row in found if row["error_code"] == ErrorCode.WRONG_CLUSTER]
        assert {row["error_code"] for row in found if row not in unsent} == {ErrorCode.ANSWER_LOST}
        # A commit is of one group, a deletion of all.
        assert len(unsent) == (len(GROUPS) - 1 if gone else 0)
        assert all(ours in row["error_message"] and other in row["error_message"] for row in unsent)
        # Nothing was deleted, and nothing restored.
        for server in (first, second):
            assert [name for name in GROUPS if server.world.groups.get(name)] == ([] if gone else GROUPS)


def test_a_run_that_met_another_cluster_says_which(spark: SparkSession, tmp_path: Path) -> None:
    """After it looked at its groups, in the audit; at its begin, in one line."""
    with behind() as (front, first, second):
        ours, other = first.world.cluster_id, second.world.cluster_id
        deleting = Emulated(spark, tmp_path, front.address, ours, TOPICS, server=first)
        plan_id = deleting.plan(GROUPS)
        front.connections, front.after = 0, CONNECTIONS - 1
        reported = deleting.run("apply", plan_id)
        assert reported.startswith(f"NotAllDone: 4 groups of plan {plan_id} are not deleted: 4 WRONG_CLUSTER")
        rows = deleting.reported(plan_id)
        assert {(row["step"], row["outcome"], row["error"], row["sent"]) for row in rows} == {
            ("apply", "failed", "WRONG_CLUSTER", False)
        }
        assert [(ours in row["reason"], other in row["reason"]) for row in rows] == [(True, True)] * len(GROUPS)
        reported = deleting.run("undo", plan_id)
        assert f"is for cluster id {ours}, but {other} answers as 'one': nothing was sent" in reported
        looked = DeltaTable(deleting.lake.path(DELETION_CHECKS.layer, DELETION_CHECKS.name)).to_pyarrow_table()
        assert looked["outcome"].to_pylist() == ["delete"] * len(GROUPS)
        assert deleting.there(GROUPS) == GROUPS
        assert {name for _, name in second.asked} <= PROOF
