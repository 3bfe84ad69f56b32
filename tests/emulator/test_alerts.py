"""Break, repair, break: what censuses tell of an emulated cluster; nothing that goes wrong in telling fails one."""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class Surveyed:
    """An emulated cluster, the operator that surveys it, and the receiver of notifications."""

    server: Server
    operator: Operator
    receiver: Receiver
    folder: Path

    def run(self, **environment: str) -> Ran:
        """One census. Whatever it says, the secret is not in it."""
        settings = {
            "ALERTS__PROMETHEUS_FOLDER": str(self.folder),
            "ALERTS__WEBHOOK__URL": f"{self.receiver.url}?token={CANARY}",
            # The emulated brokers are in this process, and need no workers of Spark's to be asked.
            "COLLECT__COLLECT_ON": "driver",
        }
        settings = {f"KAFKA_CENSUS__{name}": value for name, value in settings.items()}
        ran = self.operator.run("census", "--no-report", **settings, **environment)
        assert CANARY not in ran.out + ran.err
        return ran

    def do(self, **action: object) -> None:
        """Change the cluster, in its own thread."""
        assert self.server._loop is not None

        async def changed() -> None:
            change(self.server, FaultAction.model_validate(action), -1)

        asyncio.run_coroutine_threadsafe(changed(), self.server._loop).result(10)

    @property
    def reported(self) -> list[dict[str, float]]:
        """Of each message that was accepted: the states in it, and how many there are, 0 where one closed."""
        accepted = self.receiver.received[len(self.receiver.answers) - 1 :]
        return [{one["state"]: one["count"] for one in message["changes"]} for message in accepted]

    @property
    def figures(self) -> dict[str, float]:
        """What Prometheus reads, without what all metrics begin with."""
        read = textfile.read(textfile.path_of(str(self.folder), "test"))
        return {name.removeprefix("kafka_census_"): figure for name, figure in read.items()}


@pytest.fixture
def surveyed(operator: Callable[..., Operator], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surveyed]:
    """Three brokers; the receiver answers the first message and its second try with an error."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = cluster(brokers={"count": 3}, topics={"partitions": 4, "declared": TOPICS})
    with serving(server), Receiver(answers=(500, 500, 200)) as receiver:
        ours = replace(operator(server.bootstrap_servers, "alerts"), tables=(PARTITIONS, PLACEMENT))
        yield Surveyed(server, ours, receiver, tmp_path)


def warnings(ran: Ran) -> list[str]:
    """The warnings in the log, by event."""
    lines = [json.loads(line) for line in ran.err.splitlines() if line.startswith("{")]
    return [line["event"] for line in lines if line["level"] == "warning"]


def test_break_repair_break(surveyed: Surveyed) -> None:
    """States open and close once, the next census sends changes that were not accepted, and exit codes stay."""
    surveyed.do(stop=3)
    incomplete = surveyed.run(**PUBLISH_INCOMPLETE)
    assert (incomplete.code, warnings(incomplete)) == (0, ["webhook_not_notified"])
    assert "the webhook answered with status 500" in incomplete.err
    fine = surveyed.figures
    refused = surveyed.run()
    assert (refused.code, warnings(refused), surveyed.reported) == (3, [], [BROKEN])
    broken = surveyed.figures
    assert (broken["offline_partitions"], broken["last_run_exit_code"]) == (2, 3)
    assert broken["last_success_timestamp_seconds"] == fine["last_success_timestamp_seconds"]
    assert broken["last_success_timestamp_seconds"] < broken["last_run_timestamp_seconds"]

    surveyed.do(start=3)
    assert surveyed.run().code == 0
    assert surveyed.reported[1:] == [dict.fromkeys(BROKEN, 0)]
    assert surveyed.figures["offline_partitions"] == 0

    surveyed.do(stop=3)
    assert surveyed.run().code == 3
    assert surveyed.reported[2:] == [BROKEN]

    surveyed.do(stop=1)
    surveyed.do(stop=2)
    assert (surveyed.run().code, surveyed.reported[3:]) == (1, [{"failed": 1}])
    assert (surveyed.figures["offline_partitions"], surveyed.figures["last_run_exit_code"]) == (2, 1)

    assert surveyed.operator.rows(ALERTS).count() == 3 * len(BROKEN) + 1
    log = Path(surveyed.operator.lake, "audit", "alerts", "_delta_log")
    assert len(list(log.glob("*.json"))) == len(surveyed.reported)
