"""An operator: runs the jobs as a scheduler would, but in this process, on the test's Spark session.

The command line, the configuration file, the environment, stdout, stderr and the exit code are the same. The
start of a JVM is left out; tests of `spark-submit` itself include it.
"""

import contextlib
import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml
from pyspark.sql import DataFrame, SparkSession

import kafka_census
from harness.few_tables import FEW_TABLES
from kafka_census.census.publish.views import lake_of
from kafka_census.cli import job
from kafka_census.declarations.table import Table
from kafka_census.lake import store
from kafka_census.reading.without_spark import PublishedLake

PUBLISH_INCOMPLETE = {"KAFKA_CENSUS__COMPLETENESS__UNREACHABLE_BROKERS": "publish_incomplete"}
ACCEPT_UNKNOWN = {"KAFKA_CENSUS__COMPLETENESS__VISIBILITY": "accept_unknown"}


def plain(username: str) -> dict[str, object]:
    """Settings of a cluster: sign in with the password in CENSUS_PASSWORD, over an open connection."""
    sasl = {"mechanism": "PLAIN", "username": username, "password": {"env": "CENSUS_PASSWORD"}}
    return {"security_protocol": "SASL_PLAINTEXT", "allow_clear_password": True, "sasl": sasl}


@dataclass(frozen=True)
class Ran:
    """How a job ended."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The line of the error; empty without an error."""
        (line,) = [line for line in self.err.splitlines() if line.startswith("error: ")] or [""]
        return line

    def events(self, name: str) -> list[dict[str, Any]]:
        """The lines of the log, as JSON, with this event."""
        lines = [json.loads(line) for line in self.err.splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] == name]


@dataclass
class Operator:
    """Runs jobs for one configured cluster, `test`, on one lake: `address`, or else a folder below `folder`."""

    spark: SparkSession
    folder: Path
    servers: str
    settings: Mapping[str, object] = field(default_factory=dict)
    tables: tuple[Table, ...] = FEW_TABLES
    address: str = ""
    collect: Mapping[str, Any] = field(default_factory=dict)

    @property
    def lake(self) -> str:
        """The lake's root, or its catalog and schema."""
        return self.address or str(self.folder / "lake")

    @property
    def config(self) -> Path:
        """The configuration file, written again by each call."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / "census.yaml"
        cluster = {"bootstrap_servers": self.servers.split(","), **self.settings}
        # Real brokers answer in milliseconds here; a test need not wait longer for a broker that does not answer.
        quick = {"request_timeout_ms": 8000, "connect_timeout_ms": 5000, "max_attempts": 4, "max_tries": 1}
        at, tables = lake_of(self.lake), [table.name for table in self.tables]
        lake = {"root": at.root} if at.root else {"catalog": at.catalog}
        collect = {**quick, **self.collect}
        written = {"lake": lake, "tables": tables, "collect": collect, "clusters": {"test": cluster}}
        path.write_text(yaml.safe_dump(written), encoding="utf-8")
        return path

    def run(self, name: str, *arguments: str, **environment: str) -> Ran:
        """Run jobs/<name>.py; `name` may be followed by a step: `delete_groups plan`."""
        out, err = io.StringIO(), io.StringIO()
        name, *step = name.split()
        cluster = [] if name == "migrate" else ["--cluster", "test"]
        argv = [*step, "--config", str(self.config), *cluster, *arguments]
        with (
            patch.dict(os.environ, environment),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = job.main(name, argv)
        return Ran(code, out.getvalue(), err.getvalue())

    def done(self, name: str, *arguments: str, **environment: str) -> Ran:
        """Run a job that succeeds."""
        ran = self.run(name, *arguments, **environment)
        assert (ran.code, ran.error) == (0, ""), ran.err[-3000:]
        return ran

    def read(self, table: str) -> list[dict[str, Any]]:
        """The rows of a table that readers see now, without Spark, which creates all views first."""
        (found,) = kafka_census.current(self.lake, table)
        rows: list[dict[str, Any]] = found.to_table().to_pylist()
        return rows

    def stored(self, table: Table) -> list[dict[str, Any]]:
        """All rows of a table of the lake, without Spark."""
        rows: list[dict[str, Any]] = PublishedLake(self.lake).opened(table.folder).to_table().to_pylist()
        return rows

    def rows(self, table: Table) -> DataFrame:
        """All rows of a table of the lake."""
        return store.read(self.spark, lake_of(self.lake), table)
