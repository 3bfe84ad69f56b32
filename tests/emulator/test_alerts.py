"""Break and repair: what censuses tell of an emulated cluster; nothing that goes wrong in telling fails one.

That a state opens again after it closed is a test of states (tests/unit/test_alert_states.py).
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from e2e.operator import PUBLISH_INCOMPLETE, Operator, Ran
from emulator.asking import cluster, serving
from harness.receiver import Receiver
from kafka_census.alerts import textfile
from kafka_census.tables.alerts import ALERTS
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT as PLACEMENT
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS as PARTITIONS
from kafka_emulator.changes import change
from kafka_emulator.fault_actions import FaultAction
from kafka_emulator.server import Server

CANARY = "canary-hunter2"
TOPICS = [
    {"name": "lost", "assignment": [[3], [3]]},
    {"name": "tight", "assignment": [[1, 2, 3]], "configs": {"min.insync.replicas": "3"}},
]
BROKEN = {"refused": 1, "incomplete": 1, "offline": 2, "under_min_isr": 1, "under_replicated": 102}
"""What opens when broker 3 is down, and how many there are of it."""


def do(server: Server, **action: object) -> None:
    assert server._loop is not None

    async def changed() -> None:
        change(server, FaultAction.model_validate(action), -1)

    asyncio.run_coroutine_threadsafe(changed(), server._loop).result(10)


def warnings(ran: Ran) -> list[str]:
    lines = [json.loads(line) for line in ran.err.splitlines() if line.startswith("{")]
    return [line["event"] for line in lines if line["level"] == "warning"]


def test_broken_repaired_and_lost(
    operator: Callable[..., Operator], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """States open and close once, the next census sends changes that were not accepted, and exit codes stay."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = cluster(brokers={"count": 3}, topics={"partitions": 4, "declared": TOPICS})
    # The first message and its second try are answered with an error.
    with serving(server), Receiver(answers=(500, 500, 200)) as receiver:
        ours = replace(operator(server.bootstrap_servers, "alerts"), tables=(PARTITIONS, PLACEMENT))
        settings = {
            "KAFKA_CENSUS__ALERTS__PROMETHEUS_FOLDER": str(tmp_path),
            "KAFKA_CENSUS__ALERTS__WEBHOOK__URL": f"{receiver.url}?token={CANARY}",
            # The emulated brokers are in this process, and need no workers of Spark's to be asked.
            "KAFKA_CENSUS__COLLECT__COLLECT_ON": "driver",
        }

        def surveyed(**environment: str) -> Ran:
            ran = ours.run("census", "--no-report", **settings, **environment)
            assert CANARY not in ran.out + ran.err
            return ran

        def figures(*names: str) -> list[float]:
            read = textfile.read(textfile.path_of(str(tmp_path), "test"))
            return [read[f"kafka_census_{name}"] for name in names]

        def reported() -> list[dict[str, float]]:
            """Of each message that was accepted: the states in it, and how many there are, 0 where one closed."""
            accepted = receiver.received[len(receiver.answers) - 1 :]
            return [{one["state"]: one["count"] for one in message["changes"]} for message in accepted]

        do(server, stop=3)
        incomplete = surveyed(**PUBLISH_INCOMPLETE)
        assert (incomplete.code, warnings(incomplete)) == (0, ["webhook_not_notified"])
        assert "the webhook answered with status 500" in incomplete.err
        published = figures("last_success_timestamp_seconds")
        refused = surveyed()
        assert (refused.code, warnings(refused), reported()) == (3, [], [BROKEN])
        assert figures("offline_partitions", "last_run_exit_code") == [2, 3]
        assert figures("last_success_timestamp_seconds") == published < figures("last_run_timestamp_seconds")

        do(server, start=3)
        assert (surveyed().code, reported()[1:]) == (0, [dict.fromkeys(BROKEN, 0)])
        assert figures("offline_partitions") == [0]

        for broker in (1, 2, 3):
            do(server, stop=broker)
        assert (surveyed().code, reported()[2:]) == (1, [{"failed": 1}])
        assert figures("offline_partitions", "last_run_exit_code") == [0, 1]

    assert ours.rows(ALERTS).count() == 2 * len(BROKEN) + 1
    log = Path(ours.lake, "audit", "alerts", "_delta_log")
    assert len(list(log.glob("*.json"))) == 3
