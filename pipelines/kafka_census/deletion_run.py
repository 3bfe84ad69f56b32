"""One run of apply or undo, wave by wave; each wave is two commits, and each may be the last.

Before anything is sent, what groups are just then is in `deletion_checks`, their offsets
above all; what was answered is in `deletions` after it. A run that is cut off in between
leaves groups that were checked and have no outcome: the next run begins with those.
"""

import getpass
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census import __version__
from kafka_census.deletion import verdicts
from kafka_census.deletion.plans import Books, Plan
from kafka_census.flow import Work
from kafka_census.progress import timed
from kafka_census.protocol.settings import ClusterSettings
from kafka_census.tables import store
from kafka_census.tables.deletions import DELETION_CHECKS, DELETIONS
from kafka_census.tables.memory import in_memory
from kafka_census.transforms.reasons import error_name
from kafka_census.writing import check, delete, restore
from kafka_census.writing.coordinators import Coordinators
from kafka_census.writing.tasks import GROUPS_A_REQUEST, Row, Task, through

WAVE_GROUPS = 5_000
"""Groups of one wave at most: between the look at a group and its deletion only seconds should pass."""


@dataclass
class Waves:
    """The waves of one run.

    brokers  how many are alive: a wave is one request to each
    """

    work: Work
    settings: ClusterSettings
    plan: Plan
    books: Books
    run_id: str
    step: str
    brokers: int
    number: int = -1

    def delete(self, limit: int) -> None:
        """Look at the next groups once more, save their offsets, then delete those that are as the plan says."""
        size = self._next(limit)
        with (
            in_memory(self.books.to_delete(self.run_id).limit(size)) as wave,
            timed(self.work.progress, "checked", wave=self.number, groups=size),
        ):
            found = self._through(wave.select("group_id", "group_type", "coordinator"), check.check, check.SCHEMA)
            marks = {"plan_id": self.plan.plan_id, "cluster_id": self.plan.cluster_id, "run_id": self.run_id}
            rows = verdicts.checked(wave.drop("coordinator"), found).withColumns(
                {name: F.lit(value) for name, value in {**marks, "wave": self.number}.items()}
            )
            app_id = f"{self.run_id}/checks/{self.number}"
            store.append(rows.select(*DELETION_CHECKS.columns), self.work.config.lake, DELETION_CHECKS, app_id)
        with timed(self.work.progress, "deleted", wave=self.number) as done:
            checks = self.books.wave(self.run_id, self.number)
            going = checks.where(F.col("outcome") == "delete").select("group_id", "offsets", "coordinator")
            left = checks.where(F.col("outcome") != "delete").withColumns(
                {"sent": F.col("unsure"), "at": F.col("checked_at"), "attempts": F.lit(0)}
            )
            sent = self._through(going, delete.delete, delete.SCHEMA)
            self._note(left, verdicts.deleted(sent))
            done.update(self._counts())

    def restore(self, limit: int) -> None:
        """Commit the saved offsets of the next groups, of those that are still absent."""
        size = self._next(limit)
        with (
            in_memory(self.books.to_restore(self.run_id).limit(size)) as wave,
            timed(self.work.progress, "restored", wave=self.number, groups=size) as done,
        ):
            sent = self._through(wave, restore.restore, restore.SCHEMA)
            saved = wave.select("group_id", F.size("offsets").alias("saved"))
            self._note(verdicts.restored(sent.join(saved, "group_id")))
            done.update(self._counts())

    def _next(self, limit: int) -> int:
        """The size of the wave that begins."""
        self.number += 1
        return min(limit, WAVE_GROUPS, self.brokers * GROUPS_A_REQUEST)

    def _through(
        self, rows: DataFrame, do: Callable[[Coordinators, list[Row]], list[Row]], schema: pa.Schema
    ) -> DataFrame:
        return through(rows, Task(do, schema, self.settings, self.work.config.collect), self.brokers)

    def _note(self, *results: DataFrame) -> None:
        """Append what came of the groups of a wave to the audit, in one commit."""
        rows = [self._audited(result) for result in results]
        whole = rows[0] if len(rows) == 1 else rows[0].unionByName(rows[1])
        store.append(whole, self.work.config.lake, DELETIONS, f"{self.run_id}/deletions/{self.number}")

    def _audited(self, result: DataFrame) -> DataFrame:
        given: Mapping[str, Column] = {
            "plan_id": F.lit(self.plan.plan_id),
            "run_id": F.lit(self.run_id),
            "cluster_id": F.lit(self.plan.cluster_id),
            "cluster": F.lit(self.plan.cluster),
            "step": F.lit(self.step),
            "error": error_name(F.col("error_code")),
            "partitions": F.col("partitions") if "partitions" in result.columns else F.lit(None).cast("int"),
            "operator": F.lit(operator()),
            "kafka_user": F.lit(self.settings.sasl.username if self.settings.sasl else None).cast("string"),
            "version": F.lit(__version__),
        }
        return result.withColumns(dict(given)).select(*DELETIONS.columns)

    def _counts(self) -> dict[str, int]:
        """Groups of this run by outcome."""
        counts: dict[str, int] = {}
        for (outcome, _), count in self.books.outcomes(self.run_id).items():
            counts[outcome] = counts.get(outcome, 0) + count
        return counts


def operator() -> str:
    """Who runs this: user@host."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container's user id without a name
        user = "unknown"
    return f"{user}@{socket.gethostname()}"
