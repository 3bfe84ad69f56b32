"""Lakes on Spark Connect: a census of all tables of the large world, an older lake, and a catalog."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml
from deltalake import DeltaTable
from pyspark.sql.types import StructType

from emulator.commanding import running
from harness.connect_client import Client
from harness.connect_server import SCHEMA
from harness.known_world import KnownWorld, Row
from harness.large_world import large_world
from harness.small_lake import note, publish, stage
from kafka_census.declarations.table import Table
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_emulator.scenario_file import read
from kafka_emulator.world import World

QUICK = {"request_timeout_ms": 8000, "connect_timeout_ms": 5000, "max_attempts": 4, "max_tries": 1}
"""A broker that is down is not waited for."""


@dataclass(frozen=True)
class ConnectLake:
    """A lake with one census of all tables, and one whose only published table lacked a column.

    known  what the census saw
    plan   the output of a plan to delete groups
    err    the stderr of all jobs
    """

    root: Path
    known: KnownWorld
    older: Path
    plan: str
    err: list[str]

    def published(self, table: Table) -> list[Row]:
        return rows(self.root / "published" / table.name)


def connect_lake(client: Client) -> ConnectLake:
    """The third lake, in the server's catalog, has a table of the same world, fetched by executors."""
    lake, older = client.folder / "lake [1]", client.folder / "old" / "lake"
    lacking = replace(QUOTAS, schema=StructType(QUOTAS.schema.fields[:-1]))
    stage(older, lacking, 1, entity="user a", quota="producer_byte_rate", value=1.0)
    publish(older, 1)
    note(older, 1)
    scenario = client.folder / "scenario.yaml"
    scenario.write_text(json.dumps(large_world(), ensure_ascii=False), encoding="utf-8")
    with running("--scenario", str(scenario)) as (_, servers):
        whole = configured(client, "whole", {"root": str(lake)}, servers)
        of_older = configured(client, "older", {"root": str(older)}, servers)[:2]
        placed, on_executors = [GROUP_COORDINATOR_PLACEMENT], {"collect": {**QUICK, "collect_on": "executors"}}
        catalog = configured(client, "catalog", {"catalog": f"spark_catalog.{SCHEMA}"}, servers, placed, **on_executors)
        upkeep = [["migrate", *of_older, "--apply"], ["maintain", *of_older, "--apply"]]
        jobs = [["census", *whole], ["delete_groups", "plan", *whole], *upkeep, ["census", *catalog]]
        [_, planned, *_], err = client.jobs(jobs)
    return ConnectLake(lake, KnownWorld(World(read(scenario))), older, planned["out"], err)


def configured(
    client: Client, name: str, lake: Row, servers: Sequence[str], tables: Sequence[Table] = TABLES, **sections: Row
) -> list[str]:
    """The words of a job that name the file of a configuration, and the cluster."""
    clusters = {"test": {"bootstrap_servers": list(servers)}}
    deletion = {"empty_for": "1s", "censuses": 1}
    ours = {"lake": lake, "tables": [one.name for one in tables], "clusters": clusters, "deletion": deletion}
    file = client.folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump({**ours, "collect": {**QUICK, "collect_on": "driver"}, **sections}))
    return ["--config", str(file), "--cluster", "test"]


def rows(path: Path) -> list[Row]:
    found: list[Row] = DeltaTable(str(path)).to_pyarrow_table().to_pylist()
    return found
