"""What history costs readers: a query on `current_*` and the report after 1, 100, 1,000 and 10,000 publications.

A lake begins and ends with a census that the product publishes. The commits between them are written straight into
Delta's logs, alike but for names and times: one file per table and census, one commit per census for the last thirty
days of hourly censuses, and one commit for all older ones, since Delta deletes older log entries. Of `publications` and
`census_runs` the rows of all but the last censuses are one file, as publishing leaves them. Files that no query may
open are not written, so a query that opened the file of an older census would fail. No job maintains the lakes.
"""

import io
import json
import shutil
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import kafka_census
from benchmarks.common import best, session, table
from kafka_census.census.gate import verdict
from kafka_census.census.gate.gate import Judgement, TableJudgement
from kafka_census.census.publish.promote import MOST_FILES, promote
from kafka_census.clock import Clock
from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS, VERDICTS
from kafka_census.declarations.census import Census
from kafka_census.declarations.table import Table
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.lake.runs import Runs
from kafka_census.reading.report.answer import Asked, answer
from kafka_census.reading.report.in_duckdb import InDuckDB
from kafka_census.reading.report.newest import Choice
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS
from kafka_census.terminal.progress import NullProgress

SIZES = (1, 100, 1_000, 10_000)
IN_THE_LOG = 720
NOON = datetime(2025, 1, 1, 12, 0, tzinfo=UTC)
PASSED = verdict.Verdict("brokers", "rule", "expectation", "critical", "pass", 1, 0, (), "All is well.")


def main() -> None:
    """Seconds by publications: of a session that sees the lake for the first time, and of one that has read it."""
    spark = session()
    rows = []
    with tempfile.TemporaryDirectory(prefix="kafka-census-bench.") as folder:
        begun = Lake(root=f"{folder}/begun")
        publish(spark, begun, census(0))
        for publications in SIZES:
            lake = Lake(root=f"{folder}/{publications}")
            shutil.copytree(str(begun.root), str(lake.root))
            if publications > 1:
                between = [census(number) for number in range(1, publications - 1)]
                for one in (*TABLES, PUBLICATIONS, CENSUS_RUNS, VERDICTS):
                    grow(spark, lake, one, between)
                publish(spark, lake, census(publications - 1))
            files = len(store.read(spark, lake, PUBLICATIONS).inputFiles())
            rows.append([publications, files, *timed(spark, lake)])
            shutil.rmtree(str(lake.root))
    table(
        "Readers of a lake by its publications, s",
        ["publications", "files of publications", "current_*", "again", "report", "again"],
        rows,
    )


def census(number: int) -> Census:
    """The census of that hour."""
    started = NOON + timedelta(hours=number)
    names = tuple(one.name for one in TABLES)
    return Census(f"{started:%Y%m%dT%H%M%S}000Z-{number:06x}", "bench-id", "bench", started, names)


def publish(spark: SparkSession, lake: Lake, made: Census) -> None:
    """What the product writes of a census from the gate on: one partition is listed, every other table is empty."""
    known = {"census_id": made.census_id, "cluster_id": made.cluster_id, "observed_at": NOON, "topic": "t"}
    known |= {"partition": 0, "status": "OK", "ready_for_acks_all": True}
    for one in TABLES:
        empty = {field.name: [] if field.dataType.typeName() == "array" else None for field in one.schema.fields}
        row = tuple((empty | known).get(name) for name in one.columns)
        rows = [row] if one == UNDER_MIN_ISR_PARTITIONS else []
        store.replace_census(local_frame(spark, rows, one.schema), lake, one, made.census_id)
    judged = [TableJudgement(one.name, True, (), "proven", 0, 1, NOON, NOON) for one in TABLES]
    verdict.write(spark, lake, made, [PASSED], NOON)
    promote(spark, lake, made, Judgement("publish", tuple(judged), (), ()), NullProgress())
    Runs(spark, lake, Clock()).note(made, "published")


def grow(spark: SparkSession, lake: Lake, one: Table, between: Sequence[Census]) -> None:
    """Add a commit for each census, alike to the first commit of the table, and the checkpoint that Delta makes."""
    folder = Path(lake.path(one.layer, one.name))
    log = folder / "_delta_log"
    first = [json.loads(line) for line in (log / f"{0:020}.json").read_text(encoding="utf-8").splitlines()]
    nothing = {"path": "", "partitionValues": {"census_id": ""}, "size": 4_000, "dataChange": True}
    files = [line["add"] for line in first if "add" in line] or [nothing]
    rows = [pq.read_table(folder / file["path"]) if one in (PUBLICATIONS, CENSUS_RUNS) else None for file in files]
    commits: list[list[str]] = [[]]
    together = between[: -(len(between) % MOST_FILES) or len(between)]
    for part, (file, alike) in enumerate(zip(files, rows, strict=True)):
        if alike is not None and together:
            commits[0].append(added(folder, file, alike, together, part))
    for number, made in enumerate(between):
        apart = [
            each for each in enumerate(zip(files, rows, strict=True)) if each[1][1] is None or made not in together
        ]
        actions = [added(folder, file, alike, [made], part) for part, (file, alike) in apart]
        if number < len(between) - IN_THE_LOG:
            commits[0] += actions
        else:
            reported = {"appId": f"{made.census_id}/{one.name}", "version": 0, "lastUpdated": stamp(made)}
            commits.append([json.dumps({"txn": reported}), *actions])
    for version, actions in enumerate(filter(None, commits), 1):
        info = json.dumps({"commitInfo": {"timestamp": 0, "operation": "WRITE", "operationParameters": {}}})
        (log / f"{version:020}.json").write_text("\n".join([info, *actions]), encoding="utf-8")
    delta = spark._jvm.org.apache.spark.sql.delta.DeltaLog
    delta.clearCache()
    delta.forTable(spark._jsparkSession, str(folder)).checkpoint()


def added(folder: Path, alike: dict[str, Any], rows: pa.Table | None, censuses: Sequence[Census], part: int) -> str:
    """The action that adds one file of some censuses; the file itself is written where `rows` of one are given."""
    old, made = census(0).census_id, censuses[-1]
    path = f"part-{part}-{made.census_id}.parquet"
    values = dict.fromkeys(alike["partitionValues"], made.census_id)
    if values:
        path = f"census_id={made.census_id}/{path}"
    changed = {"path": path, "partitionValues": values, "modificationTime": stamp(made)}
    if rows is not None:
        at = rows.column_names.index("census_id")
        ids = [pa.array([each.census_id] * len(rows)) for each in censuses]
        every = pa.concat_tables([rows.set_column(at, "census_id", each) for each in ids])
        pq.write_table(every, folder / path, use_deprecated_int96_timestamps=True)
        changed["size"] = (folder / path).stat().st_size
    if "stats" in alike:
        # Without statistics Delta opens a file whatever is asked: the costliest case of many censuses in one.
        changed["stats"] = alike["stats"].replace(old, made.census_id) if len(censuses) == 1 else None
    return json.dumps({"add": alike | changed})


def stamp(made: Census) -> int:
    """Milliseconds of a start."""
    return int(made.started_at.timestamp() * 1000)


def timed(spark: SparkSession, lake: Lake) -> list[float]:
    """Seconds of the query and of the report: for the first time, and the fastest of three more."""
    seconds = []
    kafka_census.register(spark, str(lake.root))
    for look in (
        lambda: spark.table(f"current_{UNDER_MIN_ISR_PARTITIONS.name}").collect(),
        lambda: answer(InDuckDB(str(lake.root)), Asked(Choice(limit=15)), io.StringIO(), Clock().now()),
    ):
        spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
        seconds += [best(look, 1)[0], best(look, 3)[0]]
    return seconds
