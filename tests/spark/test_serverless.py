"""Spark Connect like Databricks' serverless compute: pyspark-client alone, few settings, nothing persisted.

The client has no JVM and no py4j. Requests to brokers run in the client, computations on the server.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from emulator.commanding import PACKAGES, ROOT, running
from harness.connect_client import client_alone
from harness.connect_server import READY
from harness.known_world import KnownWorld
from harness.world_truth import differences, published_rows, true_rows
from kafka_census.tables import TABLES
from kafka_census.tables.changes import CHANGES
from kafka_census.tables.table import Table
from kafka_emulator.scenario import FOLDER, read
from kafka_emulator.world import World
from spark.old_lake import LAKES

CONF = """
lake: {{root: '{root}'}}
tables: [{tables}]
collect: {{collect_on: driver}}
deletion: {{empty_for: 1s, censuses: 1}}
clusters: {{test: {{bootstrap_servers: [{servers}]}}}}
"""
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))

pytestmark = pytest.mark.timeout(1800)
"""Jobs on a cold server, all in one fixture."""


@dataclass(frozen=True)
class Client:
    """Processes with pyspark-client; `server` is the address of Spark, `log` its log."""

    packages: Path
    server: str
    log: Path
    folder: Path

    def run(self, *command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run Python with a command line, in the folder."""
        ours = ("SPARK_", "PYSPARK_", "KAFKA_CENSUS_", "PYTEST_XDIST")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        path = os.pathsep.join((str(self.packages), PACKAGES, str(ROOT / "tests"), str(ROOT)))
        reported = {"PYTHONPATH": path, "SPARK_REMOTE": self.server, "PYARROW_IGNORE_TIMEZONE": "1"}
        return subprocess.run(
            [sys.executable, *command],
            cwd=self.folder,
            env=inherited | reported | environment,
            capture_output=True,
            text=True,
            check=False,
        )


@dataclass(frozen=True)
class Done:
    """The results of jobs: a lake of known facts; the stdout of each, the stderr of all, and the server's log."""

    lake: Path
    known: KnownWorld
    reported: list[Mapping[str, Any]]
    err: list[str]
    server: list[str]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a server that runs until the end of the module."""
    warehouse, log = tmp_path_factory.mktemp("connect"), tmp_path_factory.mktemp("log") / "server.log"
    command = [sys.executable, "-m", "harness.connect_server", str(warehouse)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((PACKAGES, str(ROOT / "tests")))}
    environment.pop("SPARK_REMOTE", None)
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as server,
    ):
        assert server.stdin is not None
        assert server.stdout is not None
        line = next((line for line in server.stdout if line.startswith(READY)), None)
        assert line is not None, log.read_text()[-3000:]
        packages = client_alone(tmp_path_factory.mktemp("client"))
        yield Client(packages, line.removeprefix(READY).strip(), log, tmp_path_factory.mktemp("here"))
        server.stdin.close()


@pytest.fixture(scope="module")
def done(client: Client) -> Done:
    """A census of all tables, a deletion plan and the notebooks; an older lake migrated and maintained; one process."""
    lake, old = client.folder / "lake [1]", client.folder / "old"
    with tarfile.open(LAKES / "0.1.0.tar.xz") as packed:
        packed.extractall(old, filter="data")
    with running("--scenario", "calm") as (_, servers):
        ours, olders = (
            ["--config", str(_configured(root, servers, client.folder / name))]
            for root, name in ((lake, "census.yaml"), (old / "lake", "older.yaml"))
        )
        work = [
            ["census", *ours, "--cluster", "test"],
            ["delete_groups", "plan", *ours, "--cluster", "test"],
            *[["notebook", str(path), f"lake={lake}"] for path in NOTEBOOKS],
            ["migrate", *olders, "--apply"],
            ["maintain", *olders, "--apply"],
        ]
        ran = client.run("-m", "harness.client_jobs", *map(json.dumps, work))
    assert ran.returncode == 0, ran.stderr[-3000:]
    reported = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [(one["name"], one["code"]) for one in reported] == [(words[0], 0) for words in work], ran.stderr[-3000:]
    ports = {number: int(server.rpartition(":")[2]) for number, server in enumerate(servers, start=1)}
    known = KnownWorld(World(read(FOLDER / "calm.yaml")), ports)
    return Done(lake, known, reported, ran.stderr.splitlines(), client.log.read_text().splitlines())


def _configured(root: Path | str, servers: Sequence[str], file: Path) -> Path:
    names = ", ".join(table.name for table in TABLES)
    file.write_text(CONF.format(root=root, tables=names, servers=", ".join(servers)))
    return file


def test_nothing_but_the_log_of_jobs_is_reported(done: Done) -> None:
    """One event per line: no stack trace for a lookup of a missing table, nor for a setting that is refused."""
    assert [line for line in done.err if not line.startswith('{"')] == []
    assert [line for line in done.err if json.loads(line)["level"] != "info"] == []
    assert [event for event in _events(done.server) if _is_an_error(event)] == []
    assert len(done.server) < 100  # messages of Spark's Python workers when the JVM closes them


def _events(lines: Sequence[str]) -> list[str]:
    """The events of the server's log: each with the lines of its stack trace."""
    return re.split(r"\n(?=\d\d/\d\d/\d\d )", "\n".join(lines))


def _is_an_error(event: str) -> bool:
    """Whether an event is an error or has a stack trace, and is not of Spark's own making.

    A client releases an execution when it has all of the answer; where Spark's sender has not yet looked whether its
    stream is finished, Spark calls the sender disconnected and logs that as an error.
    """
    return ("ERROR" in event or "\n\tat " in event) and "[INVALID_CURSOR.DISCONNECTED]" not in event


@pytest.mark.parametrize("table", [table for table in TABLES if table is not CHANGES], ids=attrgetter("name"))
def test_what_is_published_is_so(done: Done, table: Table) -> None:
    """Every row of every table: each transform computes the same on Connect, including Java's hash."""
    rows = DeltaTable(str(done.lake / "published" / table.name)).to_pyarrow_table().to_pylist()
    assert differences(published_rows(table, rows), true_rows(table, done.known)) == []


@pytest.mark.usefixtures("done")  # which reads the server's log, that this test adds to
def test_a_folder_that_the_server_does_not_see_is_refused(client: Client) -> None:
    """One path is the client's folder here and another folder there: nothing is created in either."""
    config = _configured("file:///proc/self/cwd/unshared", ["127.0.0.1:1"], client.folder / "unshared.yaml")
    ran = client.run("-m", "harness.client_jobs", json.dumps(["maintain", "--config", str(config), "--apply"]))
    assert json.loads(ran.stdout)["code"] == 2, ran.stderr
    assert ran.stderr.splitlines()[-1].startswith(
        "error: lake.root file:///proc/self/cwd/unshared: the server of Spark Connect does not see this client's folder"
    )
    assert list(client.folder.glob(".kafka-census-*")) == []
    assert not (client.folder / "unshared").exists()
