"""Plans that are applied and undone in this process, run by run, and their rows in the audit tables."""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.census.publish.views import lake_of
from kafka_census.census.work import Work
from kafka_census.clock import Clock
from kafka_census.config import load
from kafka_census.declarations.census import new_census_id
from kafka_census.declarations.deletions import DELETION_PLAN_GROUPS, DELETION_PLANS, DELETIONS
from kafka_census.declarations.table import Table
from kafka_census.deletion import run as deletion
from kafka_census.deletion.digest import digest, with_header
from kafka_census.deletion.writing import check, delete, restore
from kafka_census.deletion.writing.tasks import Task
from kafka_census.errors import CensusError
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.lake.runs import Runs
from kafka_census.terminal.progress import NullProgress

CONF = "{lake: {root: lake}, clusters: {one: {bootstrap_servers: ['127.0.0.1:9092']}}}"
QUICK = CollectSettings(
    collect_on="driver", max_attempts=2, retry_backoff_ms=1, retry_backoff_max_ms=5, request_timeout_ms=2000
)
"""Requests are sent by the driver, so that their order is known."""

OFFSET = 5
"""The offset that each group of a plan has committed for partition 0 of each topic."""


TASKS = {check.check: check.SCHEMA, delete.delete: delete.SCHEMA, restore.restore: restore.SCHEMA}
"""What a task does to groups, and the rows that it makes."""


def in_a_task(
    do: Any, cluster: ClusterSettings, rows: list[dict[str, Any]], collect: CollectSettings = QUICK
) -> dict[str, dict[str, Any]]:
    """The rows that a task makes, by group; without Spark, as in a worker."""
    batches = [pa.RecordBatch.from_pylist(rows)]
    found = [row for batch in Task(do, TASKS[do], cluster, collect)(batches) for row in batch.to_pylist()]
    by_group = {row["group_id"]: row for row in found}
    assert len(by_group) == len(found)
    return by_group


Edit = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


@contextmanager
def rows_edited(lake: Lake, of: Table, plan_id: str, edit: Edit) -> Iterator[None]:
    """Meanwhile a plan has other rows in an audit table."""
    table = DeltaTable(lake.path(of.layer, of.name))
    version = table.version()
    rows = table.to_pyarrow_table(filters=[("plan_id", "=", plan_id)])
    table.delete(f"plan_id = '{plan_id}'")
    write_deltalake(table, pa.Table.from_pylist(edit(rows.to_pylist()), rows.schema), mode="append")
    try:
        yield
    finally:
        table.restore(version)


@dataclass
class Deleting:
    """Runs `apply` and `undo` for cluster `one` in a lake.

    servers     bootstrap servers of the cluster
    cluster_id  the cluster that plans are for
    topics      the topics for which each group has an offset
    address     the lake's address, unless it is a folder below `folder`
    out         the output of the last run, in one line
    """

    spark: SparkSession
    folder: Path
    servers: str
    cluster_id: str
    topics: Sequence[str]
    collect: CollectSettings = QUICK
    address: str = ""
    out: str = ""

    @property
    def lake(self) -> Lake:
        return lake_of(self.address or str(self.folder / "lake"))

    def plan(self, groups: list[str]) -> str:
        """Write a plan that deletes these groups in their current state; returns its id."""
        now, plan_id = datetime.now(UTC), new_census_id(Clock())
        ids = {"plan_id": plan_id, "cluster_id": self.cluster_id}
        known = ids | {"action": "delete", "risk": 2, "group_type": "classic", "coordinator": 1, "empty_since": now}
        known |= {"committed_partitions": len(self.topics), "evidence": [], "offsets": []}
        hashed = " ^ ".join(f"xxhash64('{topic}', 0, CAST({OFFSET} AS BIGINT))" for topic in self.topics)
        planned = self._frame(DELETION_PLAN_GROUPS, *(known | {"group_id": group} for group in groups))
        planned = planned.withColumn("offsets_fingerprint", F.expr(hashed))
        store.append(planned, self.lake, DELETION_PLAN_GROUPS, f"{plan_id}/groups")
        written = store.read(self.spark, self.lake, DELETION_PLAN_GROUPS).where(F.col("plan_id") == plan_id)
        header = ids | {"cluster": "one", "census_id": plan_id, "censuses": 3, "protect": []}
        header |= {"expires_at": now + timedelta(hours=1), "groups": len(groups), "to_delete": len(groups)}
        header |= {"digest": written.agg(digest(DELETION_PLAN_GROUPS)).collect()[0][0]}
        frame = self._frame(DELETION_PLANS, header).withColumn("digest", with_header())
        store.append(frame, self.lake, DELETION_PLANS, f"{plan_id}/plan")
        return plan_id

    def _frame(self, table: Table, *rows: dict[str, Any]) -> DataFrame:
        return local_frame(self.spark, [[row.get(name) for name in table.columns] for row in rows], table.schema)

    def run(self, step: str, plan_id: str, *, yes: bool = True, as_json: bool = False, **rules: Any) -> str:
        """Run a step; returns the line of its error, empty after a complete run. Its output is in `out`."""
        (self.folder / "census.yaml").write_text(CONF, encoding="utf-8")
        config = load(self.folder / "census.yaml", {})
        section = config.deletion.model_copy(update=rules)
        config = replace(config, lake=self.lake, collect=self.collect, deletion=section)
        settings = ClusterSettings("one", tuple(self.servers.split(",")))
        out = io.StringIO()
        work = Work(
            *(self.spark, config, "one", Clock(), NullProgress(), out),
            runs=Runs(self.spark, config.lake, Clock()),
            limit=15,
            settings=settings,
        )
        steps = {"apply": deletion.run_apply, "undo": deletion.run_undo}
        try:
            steps[step](replace(work, apply=yes, plan_id=plan_id, as_json=as_json))
        except CensusError as error:
            return f"{type(error).__name__}: {error}"
        finally:
            self.out = " ".join(out.getvalue().split())
        return ""

    def audit(self, plan_id: str) -> dict[str, tuple[tuple[str, str, bool], ...]]:
        """(step, outcome, sent) of each run, by group."""
        found: dict[str, tuple[tuple[str, str, bool], ...]] = {}
        for row in self.reported(plan_id):
            of = row["group_id"]
            found[of] = (*found.get(of, ()), (row["step"], row["outcome"], row["sent"]))
        return found

    def reported(self, plan_id: str) -> list[dict[str, Any]]:
        """The rows of the audit, group by group in each run; a look comes before the outcomes that its run applied."""
        table = DeltaTable(self.lake.path(DELETIONS.layer, DELETIONS.name))
        rows: list[dict[str, Any]] = table.to_pyarrow_table(filters=[("plan_id", "=", plan_id)]).to_pylist()
        return sorted(rows, key=lambda row: (row["run_id"], row["step"] == "apply", row["group_id"]))
