"""An address that fails over to another cluster while a request is in flight that changes the cluster.

Between requests it is two real clusters that are asked (tests/e2e/test_deletion_failover.py).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest

from emulator.asking import QUICK, serving
from emulator.deleting import names, served
from harness.failover import Failover
from kafka_census.deletion.writing import check, delete, restore
from kafka_census.deletion.writing.tasks import Task
from kafka_census.error_codes import ErrorCode
from kafka_census.protocol.settings import ClusterSettings
from kafka_emulator.replies import HANG_UP, Reply
from kafka_emulator.server import Server

GROUPS = names(4)
PROOF = {"ApiVersions", "DescribeCluster"}
KEYS = {"DeleteGroups": 42, "OffsetCommit": 8}


@contextmanager
def behind() -> Iterator[tuple[Failover, Server, Server]]:
    """Two clusters of one broker each, with the same groups, and the address that both advertise."""
    with (
        serving(served(len(GROUPS), set(), brokers=1)) as first,
        serving(served(len(GROUPS), set(), brokers=1, seed=8)) as second,
        Failover(first.bootstrap_servers, second.bootstrap_servers) as front,
    ):
        for server in (first, second):
            server.world.brokers.listens(1, server.world.brokers.listeners[0], front.endpoint.port)
        yield front, first, second


def run(front: Failover, cluster_id: str, what: Any, rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    task = Task(what, SCHEMAS[what], ClusterSettings("one", (front.address,), cluster_id=cluster_id), QUICK)
    found = [row for batch in task([pa.RecordBatch.from_pylist(rows)]) for row in batch.to_pylist()]
    return {row["group_id"]: row for row in found}


SCHEMAS = {check.check: check.SCHEMA, delete.delete: delete.SCHEMA, restore.restore: restore.SCHEMA}


@pytest.mark.parametrize(("what", "at"), [(delete.delete, "DeleteGroups"), (restore.restore, "OffsetCommit")])
def test_a_request_whose_answer_was_lost_is_not_sent_to_the_other_cluster(what: Any, at: str) -> None:
    """It is asked nothing but who it is; groups that were not sent yet name both clusters."""
    with behind() as (front, first, second):
        ours, other = first.world.cluster_id, second.world.cluster_id
        saved = run(front, ours, check.check, [{"group_id": name, "group_type": None} for name in GROUPS])
        rows = [{"group_id": name, "group_type": None, "offsets": saved[name]["offsets"]} for name in GROUPS]
        gone = what is restore.restore
        if gone:
            run(front, ours, delete.delete, rows)
            second.world.delete_groups(GROUPS)
        answer = first.answer

        def fails_over(broker: int, listener: str, frame: bytes) -> Reply:
            if int.from_bytes(frame[:2]) == KEYS[at]:
                front.fail_over()
                return HANG_UP
            return answer(broker, listener, frame)

        with patch.object(first, "answer", fails_over):
            found = run(front, ours, what, rows).values()
        assert {name for _, name in second.asked} <= PROOF
        unsent = [row for row in found if row["error_code"] == ErrorCode.WRONG_CLUSTER]
        assert {row["error_code"] for row in found if row not in unsent} == {ErrorCode.ANSWER_LOST}
        # A commit is of one group, a deletion of all.
        assert len(unsent) == (len(GROUPS) - 1 if gone else 0)
        assert all(ours in row["error_message"] and other in row["error_message"] for row in unsent)
        # Nothing was deleted, and nothing restored.
        for server in (first, second):
            assert [name for name in GROUPS if server.world.groups.get(name)] == ([] if gone else GROUPS)
