"""`kafka-census impact`: what is said of each loss, how old that is, and the exit code that a script goes by."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.small_lake import NOON, append, census_id
from kafka_census.cli.command import command
from kafka_census.declarations.audit import CENSUS_RUNS
from kafka_census.errors import ConfigError
from kafka_census.impact.verdict import ALL_WELL
from kafka_census.tables.failure_impact.columns import FAILURE_IMPACT
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.terminal.log import Redactor
from unit.test_diff_command import publish, quota


def loss(kind: str, name: str, verdict: str, **columns: Any) -> dict[str, Any]:
    known = dict.fromkeys(("groups_moving", "groups_stranded", "transactional_ids_moving", "leaders_moving"), 0)
    return {"kind": kind, "name": name, "verdict": verdict, "reason": ALL_WELL} | known | columns


PROD = ("--cluster", "prod")
LACKING = "has no table failure_impact: add it to `tables`, or ask the brokers by --live"
LOSSES = [
    loss("nothing", "", "safe"),
    loss(
        *("broker", "1", "safe"),
        leaders_moving=3,
        leaders_to=[{"broker_id": 2, "leaders": 1}, {"broker_id": 3, "leaders": 2}],
        at_min_isr_partitions=1,
        keeps_quorum=True,
        voters_left=2,
        voters_needed=2,
    ),
    loss(
        *("broker", "2", "loses_availability"),
        reason="1 partition without a leader",
        examples="orders-1",
        groups_moving=5,
        groups_stranded=1,
        transactional_ids_moving=1,
    ),
    loss("rack", "b", "degrades", reason="1 partition with one in-sync replica left", examples="orders-2"),
    loss("log_dir", "1:/data", "stops_writes", reason="2 partitions under their minimum ISR"),
    loss("controller", "9", "unknown", reason="no voter of the metadata quorum is known"),
]
DEGRADED = ("rack b: degrades", "1 partition with one in-sync replica left.", "Partitions: orders-2.")
SAID = {
    ("--broker", "1"): (
        0,
        "broker 1: safe",
        f"{ALL_WELL}.",
        "3 leaders move: 1 to broker 2, 2 to broker 3.",
        "1 partition is at the minimum ISR afterwards: one more loss stops writes.",
        "Metadata quorum: 2 voters caught up, 2 needed.",
    ),
    ("--broker", "2"): (
        4,
        "broker 2: loses_availability",
        "1 partition without a leader.",
        "Partitions: orders-1.",
        "5 groups and 1 transactional id must find another coordinator, and 1 of them\nfind none.",
    ),
    ("--broker", "1", "--log-dir", "/data"): (
        4,
        "log dir 1:/data: stops_writes",
        "2 partitions under their minimum ISR.",
    ),
    ("--rack", "b"): (4, *DEGRADED),
    ("--rack", "b", "--accept-degraded"): (0, *DEGRADED),
    ("--controller", "9"): (3, "controller 9: unknown", "no voter of the metadata quorum is known."),
}
"""The exit code and the lines below that of the age, by options."""


ALONE = """
import sys, time
from kafka_census.cli.command import command
from kafka_census.terminal.log import Redactor
from kafka_census.threads import leave
assert command(["impact", "--lake", sys.argv[1], "--cluster", "prod", "--broker", "1"], Redactor()) == 0
assert not [name for name in sys.modules if name.startswith(("pyspark", "great_expectations", "kafka."))]
assert time.process_time() < 3, time.process_time()
leave(0)
"""
"""In a process of its own; a quiet machine takes a second."""


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two censuses of `prod`, the second with the losses; one of `old` without the table."""
    root = tmp_path_factory.mktemp("impact") / "lake"
    publish(root, 1, "prod", {FAILURE_IMPACT: [loss("broker", "1", "unknown")]})
    publish(root, 2, "prod", {FAILURE_IMPACT: LOSSES})
    publish(root, 3, "old", {QUOTAS: [quota(1)]})
    ids = {"census_id": census_id(2), "cluster_id": "id-prod", "cluster": "prod"}
    append(root, CENSUS_RUNS, [{**ids, "event": "published", "at": NOON}])
    return root


def run(lake: Path, *options: str) -> int:
    return command(["impact", "--lake", str(lake), *options], Redactor())


@pytest.mark.parametrize("options", SAID, ids=" ".join)
def test_a_loss_is_told_in_words_and_by_the_exit_code(
    lake: Path, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code, *said = SAID[options]
    assert run(lake, *PROD, *options, "--json") == code
    assert set(json.loads(capsys.readouterr().out)) == {*FAILURE_IMPACT.columns}
    assert run(lake, *PROD, *options) == code
    first, *lines = capsys.readouterr().out.rstrip("\n").split("\n")
    assert first.startswith(f"Cluster prod, census {census_id(2)}, published ")
    assert first.endswith(" ago.")
    assert "\n".join(lines) == "\n".join(said)


def test_a_lake_answers_without_spark_and_in_seconds_of_cpu_time(lake: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", ALONE, str(lake)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ([*PROD, "--broker", "7"], f"census {census_id(2)} has no broker 7; there are 1, 2"),
        (["--broker", "1"], "the lake has several clusters, old, prod: name one with --cluster"),
        (["--cluster", "old", "--broker", "1"], f"census {census_id(3)} {LACKING}"),
        (["--log-dir", "/data"], "one of the arguments --broker --rack --controller is required; see --help"),
        (["--rack", "b", "--log-dir", "/data"], "--log-dir is a dir of one broker: give --broker with it"),
        (["--rack", "b", "--broker", "1"], "argument --broker: not allowed with argument --rack; see --help"),
    ],
)
def test_what_is_not_there_is_one_line(lake: Path, options: list[str], error: str) -> None:
    with pytest.raises(ConfigError) as failed:
        run(lake, *options)
    assert str(failed.value) == error
