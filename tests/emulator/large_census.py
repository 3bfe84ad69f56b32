"""A census of the large world with all tables, and what was so; and further censuses of an emulated world."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from e2e.operator import Operator
from emulator.commanding import ended, running
from harness.connect_lake import ConnectLake
from harness.known_world import KnownWorld, Row
from kafka_census.declarations.table import Table
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.tables.all_tables import TABLES
from kafka_emulator.scenario_file import read
from kafka_emulator.world import World


@dataclass(frozen=True)
class LargeCensus:
    """What one census published, and what was so.

    lake       its root
    rows       of every table
    complete   whether each was published as complete, by name
    """

    lake: str
    known: KnownWorld
    rows: dict[str, list[Row]]
    complete: Mapping[str, bool]


def large_census(done: ConnectLake) -> LargeCensus:
    """The census that was taken on Spark Connect."""
    root = str(done.root)
    publications = PublishedLake(root).publications.to_table().to_pylist()
    complete = {row["table_name"]: row["is_complete"] for row in publications}
    return LargeCensus(root, done.known, published(root), complete)


def published(root: str, tables: Iterable[Table] = TABLES) -> dict[str, list[Row]]:
    lake = PublishedLake(root)
    return {table.name: lake.current(table.name).to_table().to_pylist() for table in tables}


def census_of(by: Operator, scenario: Mapping[str, Any], *arguments: str, code: int = 0, **env: str) -> KnownWorld:
    """Run a census of a scenario that must end with this exit code; the world that it saw."""
    file = by.folder / "scenario.yaml"
    file.write_text(json.dumps(scenario, ensure_ascii=False), encoding="utf-8")
    with running("--scenario", str(file)) as (emulator, servers):
        by.servers = ",".join(servers)
        ran = by.run("census", *arguments, **env)
        assert ran.code == code, ran.err[-2000:]
        assert bool(ran.error) == bool(code), ran.error
        assert ended(emulator) == (0, "")
    return KnownWorld(World(read(file)))
