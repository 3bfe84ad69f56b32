"""Published censuses without a cluster and Spark: rows of all tables that a report reads, with audit tables."""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

from harness import small_lake
from harness.few_tables import FEW_TABLES
from harness.small_lake import NOON
from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS, REFUSALS, VERDICTS
from kafka_census.declarations.census import Census
from kafka_census.declarations.table import Table
from kafka_census.lake.lake import Lake

LOST = ("DescribeLogDirs", 3, "BROKER_NOT_ALIVE", "broker 3 has no endpoint")
Rows = Sequence[Mapping[str, Any]]


def census(number: int, name: str) -> Census:
    """The census with that number; later numbers start later. Its cluster `name` has the id `id-<name>`."""
    started = NOON + timedelta(minutes=number)
    names = tuple(table.name for table in FEW_TABLES)
    return Census(f"{started:%Y%m%dT%H%M%S}000Z-{number:06x}", f"id-{name}", name, started, names)


def append(lake: Lake, table: Table, rows: Rows) -> None:
    """Append rows with only some columns given; other columns are null, or empty lists."""
    small_lake.append(Path(str(lake.root)), table, rows, ["census_id"] if table.layer == "published" else ())


def logged(lake: Lake, table: Table) -> list[dict[str, Any]]:
    """The entries of the log of a table."""
    log = Path(lake.path(table.layer, table.name), "_delta_log")
    return [json.loads(line) for file in sorted(log.glob("*.json")) for line in file.read_text().splitlines()]


def publish(
    lake: Lake,
    censuses: Mapping[Census, Mapping[str, Rows]],
    missing: Mapping[Census, Sequence[Any]] = MappingProxyType({}),
    verdicts: Mapping[Census, Rows] = MappingProxyType({}),
) -> None:
    """Publish censuses with their rows by table, one commit per table; with `missing`, a backlog is incomplete."""
    for table in FEW_TABLES:
        rows = [
            ids_of(made) | {"observed_at": NOON} | dict(row)
            for made, by_table in censuses.items()
            for row in by_table.get(table.name, ())
        ]
        append(lake, table, rows)
    publications = [
        publication(made, table, len(by_table.get(table.name, ())), missing.get(made, ()))
        for made, by_table in censuses.items()
        for table in FEW_TABLES
    ]
    append(lake, PUBLICATIONS, publications)
    append(lake, CENSUS_RUNS, [event(made, "published") for made in censuses])
    every = {made: [verdict("pass")] for made in censuses} | dict(verdicts)
    judged = [ids_of(made) | {"judged_at": NOON} | dict(row) for made, some in every.items() for row in some]
    append(lake, VERDICTS, judged)


def refuse(lake: Lake, made: Census, by_table: Mapping[str, Rows], missing: Sequence[Any]) -> None:
    """Stage a census that the gate refused, whose backlog lacks these answers."""
    for table in FEW_TABLES:
        append(lake, table, [ids_of(made) | {"observed_at": NOON} | dict(row) for row in by_table[table.name]])
    said = [publication(made, table, len(by_table[table.name]), missing) for table in FEW_TABLES]
    append(lake, REFUSALS, [row | {"refused_at": row.pop("published_at")} for row in said])
    append(lake, CENSUS_RUNS, [event(made, "refused")])


def event(made: Census, name: str) -> dict[str, Any]:
    """An event of a census, as in `census_runs`."""
    return ids_of(made) | {"cluster": made.cluster, "event": name, "at": NOON + timedelta(seconds=21), "tables": []}


def ids_of(made: Census) -> dict[str, Any]:
    return {"census_id": made.census_id, "cluster_id": made.cluster_id}


def publication(made: Census, table: Table, rows: int, missing: Sequence[Any]) -> dict[str, Any]:
    of_backlog = missing if table.name == "reassignment_backlog" else ()
    lacking = [dict(zip(("rpc", "broker_id", "error", "reason"), one, strict=True)) for one in of_backlog]
    return ids_of(made) | {
        "cluster": made.cluster,
        "table_name": table.name,
        "is_complete": not lacking,
        "missing": lacking,
        "visibility": "proven",
        "row_count": rows,
        "warnings": 0,
        "observed_from": NOON,
        "observed_to": NOON + timedelta(seconds=7),
        "published_at": NOON + timedelta(seconds=20),
    }


def verdict(outcome: str, rule: str = "DescribeLogDirs/log_dirs is complete", **columns: Any) -> dict[str, Any]:
    return {
        "table_name": "reassignment_backlog",
        "rule": rule,
        "kind": "completeness",
        "severity": "critical",
        "outcome": outcome,
        "checked_rows": 3,
        "failed_rows": 0 if outcome == "pass" else 1,
        "failing_keys": [] if outcome == "pass" else [f"broker_id={node}" for node in range(3, 9)],
        "message": "broker 3 did not answer DescribeLogDirs: start it, or publish_incomplete",
    } | columns


def partition(topic: str, number: int, status: str, **columns: Any) -> dict[str, Any]:
    ready = status not in ("OFFLINE", "UNDER")
    base = {"topic": topic, "partition": number, "status": status, "leader_id": 1, "replicas": [1, 2, 3], "isr": [1]}
    return base | {"min_isr_effective": 2, "ready_for_acks_all": ready} | columns


def group(group_id: str, agreement: str = "agree", **columns: Any) -> dict[str, Any]:
    base = {"group_id": group_id, "group_state": "Empty", "offsets_partition": 7, "expected_coordinator": 1}
    return base | {"listed_by": [1], "found_coordinator": 1, "agreement": agreement} | columns


def move(topic: str, bytes_left: int | None, **columns: Any) -> dict[str, Any]:
    base = {"topic": topic, "partition": 0, "kind": "move", "replica_id": 2, "source_id": 1, "bytes_total": 20_000_000}
    return base | {"bytes_left": bytes_left} | columns
