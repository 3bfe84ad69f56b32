"""Spark Connect like Databricks' serverless compute: pyspark-client alone, few settings, nothing persisted.

The client has no JVM and no py4j. Requests to brokers run in the client, computations on the server.
"""

import json
import os
import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from pyspark.sql.types import StructType

from emulator.commanding import PACKAGES, ROOT, running
from harness.connect_client import client_alone
from harness.connect_server import READY
from harness.known_world import KnownWorld
from harness.small_lake import note, publish, stage
from harness.world_truth import TRUE_TABLES, differences, published_rows, true_rows
from kafka_census.tables import TABLES
from kafka_census.tables.deletable_groups import DELETABLE_GROUPS
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.quotas import QUOTAS
from kafka_census.tables.table import Table
from kafka_emulator.scenario import FOLDER, read
from kafka_emulator.world import World

CONF = """
lake: {{{lake}}}
tables: [{tables}]
collect: {{collect_on: {collect_on}}}
deletion: {{empty_for: 1s, censuses: 1}}
clusters: {{test: {{bootstrap_servers: [{servers}]}}}}
"""
CLIENT = "the-client"
"""The name of the client's host, for its landed pages; the server's is that of the machine."""
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))

pytestmark = pytest.mark.timeout(1800)
"""Jobs on a cold server, all in one fixture."""


@dataclass(frozen=True)
class Client:
    """Processes with pyspark-client; `server` is the address of Spark, `warehouse` and `log` are its own."""

    packages: Path
    server: str
    warehouse: Path
    log: Path
    folder: Path

    def jobs(self, *work: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        """Run jobs and notebooks in one process."""
        return self.run("-m", "harness.client_jobs", *map(json.dumps, work), SPARK_LOCAL_HOSTNAME=CLIENT)

    def logged(self, since: int = 0) -> str:
        """The server's log from a character on."""
        return self.log.read_text()[since:]

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
    """The results of jobs: a lake of known facts, and one whose only published table lacked a column.

    out     the stdout of each job, by its name
    err     the stderr of all
    server  what the server logged
    """

    lake: Path
    known: KnownWorld
    older: Path
    out: Mapping[str, str]
    err: list[str]
    server: str


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
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
        tables, here = warehouse / "warehouse", tmp_path_factory.mktemp("here")
        yield Client(packages, line.removeprefix(READY).strip(), tables, log, here)
        server.stdin.close()


@pytest.fixture(scope="module")
def done(client: Client) -> Done:
    lake, older, since = client.folder / "lake [1]", client.folder / "old" / "lake", len(client.logged())
    first = StructType(QUOTAS.schema.fields[:-1])
    stage(older, replace(QUOTAS, schema=first), 1, entity="user a", quota="producer_byte_rate", value=1.0)
    publish(older, 1)
    note(older, 1)
    with running("--scenario", "calm") as (_, servers):
        ours, olders = (
            ["--config", str(_configured(f"root: '{root}'", servers, client.folder / name))]
            for root, name in ((lake, "census.yaml"), (older, "older.yaml"))
        )
        work = [
            ["census", *ours, "--cluster", "test"],
            ["delete_groups", "plan", *ours, "--cluster", "test"],
            *[["notebook", str(path), f"lake={lake}"] for path in NOTEBOOKS],
            ["migrate", *olders, "--apply"],
            ["maintain", *olders, "--apply"],
        ]
        ran = client.jobs(*work)
    assert ran.returncode == 0, ran.stderr[-3000:]
    reported = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [(one["name"], one["code"]) for one in reported] == [(words[0], 0) for words in work], ran.stderr[-3000:]
    out = {one["name"]: one["out"] for one in reported}
    return Done(lake, _known(servers), older, out, ran.stderr.splitlines(), client.logged(since))


def _configured(
    lake: str, servers: Sequence[str], file: Path, tables: Sequence[Table] = TABLES, collect_on: str = "driver"
) -> Path:
    names = ", ".join(table.name for table in tables)
    file.write_text(CONF.format(lake=lake, tables=names, servers=", ".join(servers), collect_on=collect_on))
    return file


def _known(servers: Sequence[str]) -> KnownWorld:
    ports = {number: int(server.rpartition(":")[2]) for number, server in enumerate(servers, start=1)}
    return KnownWorld(World(read(FOLDER / "calm.yaml")), ports)


def _rows(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = DeltaTable(str(path)).to_pyarrow_table().to_pylist()
    return rows


def test_nothing_but_the_log_of_jobs_is_reported(done: Done) -> None:
    """One event per line: no stack trace for a lookup of a missing table, nor for a setting that is refused."""
    assert [line for line in done.err if not line.startswith('{"')] == []
    assert [line for line in done.err if json.loads(line)["level"] != "info"] == []
    assert [event for event in _events(done.server) if _is_an_error(event)] == []
    assert done.server.count("\n") < 100  # messages of Spark's Python workers when the JVM closes them


def _events(log: str) -> list[str]:
    return re.split(r"\n(?=\d\d/\d\d/\d\d )", log)


def _is_an_error(event: str) -> bool:
    """Whether an event is an error or has a stack trace, and is not of Spark's own making.

    A client releases an execution when it has all of the answer; where Spark's sender has not yet looked whether its
    stream is finished, Spark calls the sender disconnected and logs that as an error.
    """
    return ("ERROR" in event or "\n\tat " in event) and "[INVALID_CURSOR.DISCONNECTED]" not in event


@pytest.mark.parametrize("table", TRUE_TABLES, ids=attrgetter("name"))
def test_what_is_published_is_so(done: Done, table: Table) -> None:
    rows = _rows(done.lake / "published" / table.name)
    assert differences(published_rows(table, rows), true_rows(table, done.known)) == []


def test_the_client_has_fetched_where_it_should(done: Done) -> None:
    assert {row["fetched_by"] for row in _rows(done.lake / "landing" / "pages")} == {CLIENT}


def test_a_plan_keeps_what_one_census_does_not_prove_unused(done: Done) -> None:
    """In the lake and in words, by the verdicts of the truth: a group with offsets may only not have read since."""
    verdicts = Counter(row["verdict"] for row in true_rows(DELETABLE_GROUPS, done.known).values())
    assert set(verdicts) == {"in_use", "undecided"}
    (plan,) = _rows(done.lake / "audit" / "deletion_plans")
    assert (plan["cluster"], plan["censuses"], plan["groups"], plan["to_delete"]) == ("test", 1, 0, 0)
    assert f"Plan {plan['plan_id']}: delete 0 groups of cluster test" in done.out["delete_groups"]
    for verdict, count in verdicts.items():
        assert f" {count}  kept: {verdict} by the last census" in done.out["delete_groups"]


def test_an_older_lake_has_the_columns_of_this_release(done: Done) -> None:
    fields = DeltaTable(str(done.older / "published" / QUOTAS.name)).schema().fields
    assert [field.name for field in fields] == QUOTAS.columns


def test_an_older_lake_is_maintained(done: Done) -> None:
    """Each of its tables, once: what is published and the audit are compacted, too."""
    events = [json.loads(line) for line in done.err]
    vacuumed, optimized = (
        [event["table"] for event in events if event["event"] == kind] for kind in ("vacuumed", "optimized")
    )
    compacted = {f"{layer}/{path.name}" for layer in ("audit", "published") for path in (done.older / layer).iterdir()}
    assert sorted(optimized) == sorted(compacted)
    assert sorted(vacuumed) == sorted(compacted)


def test_executors_collect_into_a_catalog(client: Client) -> None:
    made = client.run("-c", "from pyspark.sql import SparkSession as S; S.builder.getOrCreate().sql('CREATE SCHEMA c')")
    assert made.returncode == 0, made.stderr
    table, since = GROUP_COORDINATOR_PLACEMENT, len(client.logged())
    with running("--scenario", "calm") as (_, servers):
        file = client.folder / "catalog.yaml"
        config = _configured("catalog: spark_catalog.c", servers, file, [table], collect_on="executors")
        ran = client.jobs(["census", "--config", str(config), "--cluster", "test"])
    assert json.loads(ran.stdout)["code"] == 0, ran.stderr[-3000:]
    assert [event for event in _events(client.logged(since)) if _is_an_error(event)] == []
    tables = client.warehouse / "c.db"
    assert {row["fetched_by"] for row in _rows(tables / "landing_pages")} == {socket.gethostname()} != {CLIENT}
    rows = _rows(tables / f"published_{table.name}")
    assert differences(published_rows(table, rows), true_rows(table, _known(servers))) == []


def test_a_folder_that_the_server_does_not_see_is_refused(client: Client) -> None:
    """One path is the client's folder here and another folder there: nothing is created in either."""
    config = _configured("root: 'file:///proc/self/cwd/unshared'", ["127.0.0.1:1"], client.folder / "unshared.yaml")
    ran = client.jobs(["maintain", "--config", str(config), "--apply"])
    assert json.loads(ran.stdout)["code"] == 2, ran.stderr
    assert ran.stderr.splitlines()[-1].startswith(
        "error: lake.root file:///proc/self/cwd/unshared: the server of Spark Connect does not see this client's folder"
    )
    assert list(client.folder.glob(".kafka-census-*")) == []
    assert not (client.folder / "unshared").exists()
