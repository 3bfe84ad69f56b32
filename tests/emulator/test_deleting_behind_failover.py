"""An address that fails over to another cluster, at each question of the tasks that look, delete and restore."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest

from emulator.asking import serving
from emulator.deleting import names, served
from harness.failover import Failover
from kafka_census.deletion.writing import check, delete, restore
from kafka_census.deletion.writing.tasks import Task
from kafka_census.error_codes import ErrorCode
from kafka_census.protocol.settings import ClusterSettings, CollectSettings
from kafka_emulator.replies import HANG_UP, Reply
from kafka_emulator.server import Server

QUICK = CollectSettings(max_attempts=3, retry_backoff_ms=1, retry_backoff_max_ms=5, request_timeout_ms=2000)
GROUPS = names(4)
PROOF = {"ApiVersions", "DescribeCluster"}
KEYS: dict[str | None, int] = {"DescribeGroups": 15, "OffsetFetch": 9, "DeleteGroups": 42, "OffsetCommit": 8}


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
    """The rows that a task makes for the first cluster, by group."""
    task = Task(what, SCHEMAS[what], ClusterSettings("one", (front.address,), cluster_id=cluster_id), QUICK)
    found = [row for batch in task([pa.RecordBatch.from_pylist(rows)]) for row in batch.to_pylist()]
    return {row["group_id"]: row for row in found}


SCHEMAS = {check.check: check.SCHEMA, delete.delete: delete.SCHEMA, restore.restore: restore.SCHEMA}


@pytest.mark.parametrize(
    ("what", "at", "code"),
    [
        (check.check, None, ErrorCode.WRONG_CLUSTER),
        (check.check, "DescribeGroups", ErrorCode.WRONG_CLUSTER),
        (check.check, "OffsetFetch", ErrorCode.WRONG_CLUSTER),
        (delete.delete, None, ErrorCode.WRONG_CLUSTER),
        (delete.delete, "OffsetFetch", ErrorCode.WRONG_CLUSTER),
        (delete.delete, "DeleteGroups", ErrorCode.ANSWER_LOST),
        (restore.restore, None, ErrorCode.WRONG_CLUSTER),
        (restore.restore, "DescribeGroups", ErrorCode.WRONG_CLUSTER),
        (restore.restore, "OffsetFetch", ErrorCode.WRONG_CLUSTER),
        (restore.restore, "OffsetCommit", ErrorCode.ANSWER_LOST),
    ],
)
def test_the_other_cluster_is_asked_nothing_but_who_it_is(what: Any, at: str | None, code: int) -> None:
    """The first cluster ends its connections at a question, or before the first one; then the second one answers."""
    with behind() as (front, first, second):
        ours, other = first.world.cluster_id, second.world.cluster_id
        saved = run(front, ours, check.check, [{"group_id": name, "group_type": None} for name in GROUPS])
        rows = [{"group_id": name, "group_type": None, "offsets": saved[name]["offsets"]} for name in GROUPS]
        if what is restore.restore:
            run(front, ours, delete.delete, rows)
            second.world.delete_groups(GROUPS)
        answer = first.answer

        def fails_over(broker: int, listener: str, frame: bytes) -> Reply:
            if int.from_bytes(frame[:2]) == KEYS.get(at):
                front.fail_over()
                return HANG_UP
            return answer(broker, listener, frame)

        if at is None:
            front.fail_over()
        with patch.object(first, "answer", fails_over):
            found = run(front, ours, what, rows)
        assert {name for _, name in second.asked} <= PROOF
        codes = {row.get("error_code") or row.get("state_code") or row.get("offsets_code") for row in found.values()}
        assert code in codes
        assert codes <= {code, ErrorCode.WRONG_CLUSTER}
        messages = [
            row.get("error_message") or row.get("state_message") or row.get("offsets_message") for row in found.values()
        ]
        named = [text for text in messages if ours in text and other in text]
        assert len(named) == (
            len(GROUPS) if code == ErrorCode.WRONG_CLUSTER else len(GROUPS) - 1 if at == "OffsetCommit" else 0
        )
        # Kept is what both had: nothing was deleted, and nothing restored.
        gone = what is restore.restore
        assert [name for name in GROUPS if second.world.groups.get(name)] == ([] if gone else GROUPS)
        assert [name for name in GROUPS if first.world.groups.get(name)] == ([] if gone else GROUPS)
