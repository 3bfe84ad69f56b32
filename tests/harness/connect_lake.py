"""A lake on Spark Connect: three censuses of an incident in a small world, in all its trouble, and an older lake."""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from deltalake import DeltaTable
from pyspark.sql.types import StructType

from emulator.commanding import running
from emulator.incident import AFTER, EXPECTATION, world_after, world_during
from harness.connect_client import Client
from harness.connect_server import SCHEMA
from harness.known_world import KnownWorld, Row
from harness.large_world import large_world
from harness.small_lake import note, publish, stage
from kafka_census.declarations.table import Table
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_emulator.scenario_file import read
from kafka_emulator.world import World

QUICK = {"request_timeout_ms": 8000, "connect_timeout_ms": 5000, "max_attempts": 4, "max_tries": 1}
"""A broker that is down is not waited for."""


@dataclass(frozen=True)
class ConnectLake:
    """A lake of an incident, and one whose only published table lacked a column.

    One census has all tables, one was published in the middle of the incident, one was refused.

    first   the first census of the lake
    worlds  what each of its censuses saw
    plan    the output of a plan after the first one
    err     the stderr of the jobs before the incident
    """

    root: Path
    first: str
    worlds: Sequence[KnownWorld]
    older: Path
    plan: str
    err: list[str]

    def of_first(self, table: Table) -> list[Row]:
        return [row for row in rows(self.root / "published" / table.name) if row["census_id"] == self.first]

    @cached_property
    def now(self) -> Mapping[str, list[Row]]:
        """The rows of each table that readers see after the incident."""
        lake = PublishedLake(str(self.root))
        return {table.name: lake.current(table.name).to_table().to_pylist() for table in TABLES}


def connect_lake(client: Client) -> ConnectLake:
    """The third lake, in the server's catalog, has a table of the world before the incident, fetched by executors."""
    lake, older = client.folder / "lake [1]", client.folder / "old" / "lake"
    lacking = replace(QUOTAS, schema=StructType(QUOTAS.schema.fields[:-1]))
    stage(older, lacking, 1, entity="user a", quota="producer_byte_rate", value=1.0)
    publish(older, 1)
    note(older, 1)
    (client.folder / "under_min_isr_partitions.json").write_text(json.dumps(EXPECTATION), encoding="utf-8")
    worlds, root, ours = (large_world(), world_during(), world_after()), {"root": str(lake)}, str(client.folder)
    with ExitStack() as stack:
        knowns, at = zip(*(_running(stack, client.folder, smaller(world)) for world in worlds), strict=True)
        whole, of_older = (
            configured(client, "whole", root, at[0]),
            configured(client, "older", {"root": str(older)}, at[0]),
        )
        upkeep = [["migrate", *of_older[:2], "--apply"], ["maintain", *of_older[:2], "--apply"]]
        [_, planned, *_], err = client.jobs([["census", *whole], ["delete_groups", "plan", *whole], *upkeep])
        [first] = {row["census_id"] for row in rows(lake / "audit" / "publications")}
        during = configured(client, "during", root, at[1], (*AFTER, LOG_DIR_USAGE))
        after = configured(client, "after", root, at[2], AFTER, gate={"expectations": ours})
        placed, on_executors = [GROUP_COORDINATOR_PLACEMENT], {"collect": {**QUICK, "collect_on": "executors"}}
        catalog = configured(client, "catalog", {"catalog": f"spark_catalog.{SCHEMA}"}, at[0], placed, **on_executors)
        client.jobs([["census", *catalog], ["census", *during], ["census", *after]], codes=[0, 0, 3])
    return ConnectLake(lake, first, knowns, older, planned["out"], err)


def smaller(world: dict[str, Any]) -> dict[str, Any]:
    world["topics"] |= {"partitions": 200, "reassigning": 10}
    world["groups"]["count"] = 200
    world["transactions"]["count"] = 50
    return world


def _running(stack: ExitStack, folder: Path, world: Mapping[str, Any]) -> tuple[KnownWorld, list[str]]:
    file = folder / "scenario.yaml"
    file.write_text(json.dumps(world, ensure_ascii=False), encoding="utf-8")
    _, servers = stack.enter_context(running("--scenario", str(file)))
    return KnownWorld(World(read(file))), servers


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
