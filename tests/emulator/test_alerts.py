"""Break, repair, break: what censuses tell of an emulated cluster; nothing that goes wrong in telling fails one."""

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
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS as PARTITIONS
from kafka_emulator.changes import change
from kafka_emulator.fault_actions import FaultAction
from kafka_emulator.server import Server

CANARY = "canary-hunter2"
TOPICS = [
    {"name": "lost", "assignment": [[3], [3]]},
    {"name": "tight", "assignment": [[1, 2, 3]], "configs": {"min.insync.replicas": "3"}},
]


def do(server: Server, **action: object) -> None:
    """Let something happen to the cluster, in its own thread."""
    assert server._loop is not None

    async def happen() -> None:
        change(server, FaultAction.model_validate(action), -1)

    asyncio.run_coroutine_threadsafe(happen(), server._loop).result(10)


def warnings(ran: Ran) -> list[str]:
    """The warnings in the log, by event."""
    lines = [json.loads(line) for line in ran.err.splitlines() if line.startswith("{")]
    return [line["event"] for line in lines if line["level"] == "warning"]


@pytest.fixture
def figures(tmp_path: Path) -> Callable[[], dict[str, float]]:
    """What Prometheus reads now, without what all metrics begin with."""
    path = textfile.path_of(str(tmp_path), "test")
    return lambda: {name.removeprefix("kafka_census_"): figure for name, figure in textfile.read(path).items()}


def test_break_repair_break(
    operator: Callable[..., Operator],
    tmp_path: Path,
    figures: Callable[[], dict[str, float]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """States open and close once, what was not accepted is told by the next census, and exit codes are as without."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = cluster(brokers={"count": 3}, topics={"partitions": 4, "declared": TOPICS})
    with serving(server), Receiver(answers=(500, 500, 200)) as receiver:
        ours = replace(operator(server.bootstrap_servers, "alerts"), tables=(PARTITIONS,))

        def run(**environment: str) -> Ran:
            url = f"{receiver.url}?token={CANARY}"
            settings = {"ALERTS__PROMETHEUS_FOLDER": str(tmp_path), "ALERTS__WEBHOOK__URL": url}
            # In the driver: the emulated brokers are in this process, and need no workers of Spark's to be asked.
            settings |= {"COLLECT__COLLECT_ON": "driver"}
            settings = {f"KAFKA_CENSUS__{name}": value for name, value in settings.items()}
            ran = ours.run("census", "--no-report", **settings, **environment)
            assert CANARY not in ran.out + ran.err
            return ran

        calm = run()
        print(calm, flush=True)
        assert (calm.code, warnings(calm), receiver.received) == (0, [], [])
        assert not Path(ours.lake, "audit", "alerts").exists()
        fine = figures()
        assert fine["offline_partitions"] == fine["under_min_isr_partitions"] == fine["last_run_exit_code"] == 0

        do(server, stop=3)
        broken = run(**PUBLISH_INCOMPLETE)
        assert (broken.code, warnings(broken), len(receiver.received)) == (0, ["webhook_not_told"], 2)
        assert "the webhook answered with status 500" in broken.err
        print(broken, flush=True)
        refused = run()
        print(refused, flush=True)
        opened = ["refused", "incomplete", "offline", "under_min_isr"]
        assert (refused.code, warnings(refused)) == (3, [])
        assert receiver.changes[2:] == [[f"{state} opened" for state in opened]]
        assert receiver.received[-1]["outcome"] == "refused"
        assert {one["state"]: one["count"] for one in receiver.received[-1]["changes"]} == {
            "refused": 1,
            "incomplete": 1,
            "offline": 2,
            "under_min_isr": 1,
        }
        now = figures()
        assert (now["offline_partitions"], now["last_run_exit_code"]) == (2, 3)
        assert fine["last_success_timestamp_seconds"] < now["last_success_timestamp_seconds"]
        assert now["last_success_timestamp_seconds"] < now["last_run_timestamp_seconds"]

        do(server, start=3)
        assert run().code == 0
        assert receiver.changes[3:] == [[f"{state} closed" for state in opened]]
        assert figures()["offline_partitions"] == 0

        do(server, stop=3)
        assert run().code == 3
        assert receiver.changes[4:] == [[f"{state} opened" for state in opened]]
        since = [{one["state"]: one["since"] for one in message["changes"]} for message in receiver.received]
        assert since[2] == since[3]
        assert since[3]["offline"] < since[4]["offline"]

        for broker in (1, 2):
            do(server, stop=broker)
        nowhere = run()
        assert (nowhere.code, receiver.changes[5:]) == (1, [["failed opened"]])
        assert figures() == now | {
            name: figures()[name] for name in now if name.startswith("last_") or name == "missing_answers"
        }
        told = ours.rows(ALERTS)
        assert told.where("event = 'opened'").count() == 2 * len(opened) + 1
        assert told.where("census_id IS NULL").count() == 1
        assert len(list(Path(ours.lake, "audit", "alerts", "_delta_log").glob("*.json"))) == 4
