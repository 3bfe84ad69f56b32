"""A census of the large world with all tables, and what was so: made once, for every test that asks its lake."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from signal import SIGINT
from typing import Any

from e2e.operator import Operator
from emulator.commanding import running
from harness.known_world import KnownWorld, Row
from harness.large_world import large_world
from kafka_census.declarations.audit import PUBLICATIONS
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
    rows: Mapping[str, list[Row]]
    complete: Mapping[str, bool]


def large_census(by: Operator) -> LargeCensus:
    by.tables = TABLES
    known = census_of(by, large_world(), "--no-report")
    complete = {row.table_name: row.is_complete for row in by.rows(PUBLICATIONS).collect()}
    return LargeCensus(by.lake, known, published(by.lake), complete)


def published(root: str) -> Mapping[str, list[Row]]:
    lake = PublishedLake(root)
    return {table.name: lake.current(table.name).to_table().to_pylist() for table in TABLES}


def census_of(by: Operator, scenario: Mapping[str, Any], *arguments: str, code: int = 0, **env: str) -> KnownWorld:
    """Run a census of a scenario that must end with this exit code; the world that it saw."""
    file = by.folder / "scenario.yaml"
    file.write_text(json.dumps(scenario, ensure_ascii=False), encoding="utf-8")
    with running("--scenario", str(file)) as (emulator, servers):
        by.servers = ",".join(servers)
        ran = by.run("census", *arguments, **env)
        assert ran.code == code, ran.err[-2000:]
        assert bool(ran.error) == bool(code), ran.error
        emulator.send_signal(SIGINT)
        assert emulator.wait(10) == 0, emulator.stderr.read() if emulator.stderr else ""
    return KnownWorld(World(read(file)))
