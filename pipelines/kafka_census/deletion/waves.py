"""One run of apply or undo, wave by wave; each wave is a few commits, and the run may be cut off after each.

A wave of apply writes the current state of its groups, including their offsets, to `deletion_checks`; then a row
with the hash of these rows to `deletion_waves`; then it sends; then it writes the answers to `deletions`. After
the commit to `deletion_waves`, each of its groups counts as deleted until its outcome is known.
A run that is cut off leaves groups of such waves without an outcome: the next run checks them first.

A wave of undo has one commit, its outcomes. A group that a run restored without recording the outcome is recognized
by its offsets, which equal the saved offsets.
"""

import getpass
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import Row as SparkRow
from pyspark.sql import functions as F

from kafka_census import __version__
from kafka_census.census.work import Work
from kafka_census.declarations.deletions import DELETION_CHECKS, DELETION_WAVES, DELETIONS
from kafka_census.deletion import verdicts
from kafka_census.deletion.digest import digest
from kafka_census.deletion.plans import DeletionAudit, Plan
from kafka_census.deletion.rules import DeletionRules
from kafka_census.deletion.writing import check, delete, restore
from kafka_census.deletion.writing.coordinators import Coordinators
from kafka_census.deletion.writing.tasks import GROUPS_A_REQUEST, Row, Task, through
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.protocol.tokens import user
from kafka_census.lake import store
from kafka_census.lake.memory import in_memory
from kafka_census.lake.rows import local_frame
from kafka_census.pages.error_name import error_name
from kafka_census.terminal.progress import timed

WAVE_GROUPS = 5_000
"""Largest number of groups of a wave: only seconds should pass between the check of a group and its deletion."""


@dataclass
class Waves:
    """The waves of one run.

    brokers  the number of alive brokers: a wave is one request to each
    """

    work: Work
    settings: ClusterSettings
    plan: Plan
    audit: DeletionAudit
    run_id: str
    step: str
    brokers: int
    number: int = -1
    _outcomes: Mapping[tuple[str, str | None], int] | None = None

    def look(self) -> None:
        """Find the outcome for groups whose deletion an earlier run sent without learning the outcome."""
        while waiting := self.audit.to_look_at(self.run_id).count():
            size = self._next(waiting)
            with (
                in_memory(self.audit.to_look_at(self.run_id).limit(size)) as wave,
                timed(self.work.progress, "looked", wave=self.number, groups=size),
            ):
                rows = verdicts.looked(wave.drop("coordinator"), self._checked(wave))
                self._note(rows.withColumns({"at": F.col("checked_at"), "attempts": F.lit(0)}), step="look")

    def protect(self, rules: DeletionRules) -> tuple[int, list[SparkRow]]:
        """Keep the groups of the plan that a pattern protects now; returns their number and the first of them."""
        if not rules.protect:
            return 0, []
        with in_memory(self.audit.protected(self.run_id, rules)) as found:
            first = found.select("group_id", "pattern").limit(self.work.limit).collect()
            count = found.count() if first else 0
            if count:
                self.number += 1
                self._note(self._unsent(verdicts.protected(found)))
            return count, first

    def delete(self, limit: int, most: int) -> int:
        """Check the next groups again, save their offsets, then delete the groups that are unchanged since the plan.

        Nothing is sent where more than `most` groups of the plan would count as deleted. Returns the number of groups
        of the wave, of which this run tries none again.
        """
        size = self._next(limit)
        with (
            in_memory(self.audit.to_delete(self.run_id).limit(size)) as wave,
            timed(self.work.progress, "checked", wave=self.number, groups=size),
        ):
            marks = {"plan_id": self.plan.plan_id, "cluster_id": self.plan.cluster_id, "run_id": self.run_id}
            rows = verdicts.checked(wave.drop("coordinator"), self._checked(wave)).withColumns(
                {name: F.lit(value) for name, value in {**marks, "wave": self.number}.items()}
            )
            app_id = f"{self.run_id}/checks/{self.number}"
            store.append(rows.select(*DELETION_CHECKS.columns), self.work.config.lake, DELETION_CHECKS, app_id)
        with timed(self.work.progress, "deleted", wave=self.number) as done:
            checks = self.audit.wave(self.run_id, self.number)
            going = checks.where(F.col("outcome") == "delete").select(
                "group_id", "group_type", "offsets", "coordinator"
            )
            left = checks.where(F.col("outcome") != "delete").withColumns(
                {"sent": F.lit(False), "at": F.col("checked_at"), "attempts": F.lit(0)}
            )
            self._announce(checks)
            # Counted again: without a lock another run may have announced deletions meanwhile.
            if self.audit.spent().groups > most:
                self._note(left, self._unsent(verdicts.too_many(going, most)))
            else:
                self._note(left, verdicts.deleted(self._through(going, delete.delete, delete.SCHEMA)))
            done.update(self._counts())
        return size

    def restore(self, limit: int) -> int:
        """Commit the saved offsets of the next groups that are still absent or were restored only in part.

        Returns the number of groups of the wave, of which this run tries none again.
        """
        size = self._next(limit)
        with (
            in_memory(self.audit.to_restore(self.run_id).limit(size)) as wave,
            timed(self.work.progress, "restored", wave=self.number, groups=size) as done,
        ):
            sent = self._through(wave, restore.restore, restore.SCHEMA)
            saved = wave.select("group_id", F.size("offsets").alias("saved"))
            self._note(verdicts.restored(sent.join(saved, "group_id")))
            done.update(self._counts())
        return size

    def outcomes(self) -> Mapping[tuple[str, str | None], int]:
        """By outcome and error: the number of groups of this run so far."""
        if self._outcomes is None:
            self._outcomes = self.audit.outcomes(self.run_id)
        return self._outcomes

    def _checked(self, wave: DataFrame) -> DataFrame:
        """The current state of the groups of a wave."""
        return self._through(wave.select("group_id", "group_type", "coordinator"), check.check, check.SCHEMA)

    def _announce(self, checks: DataFrame) -> None:
        """Record, before anything is sent, that the groups of a wave will be deleted, and the hash of their rows."""
        found = checks.agg(F.count("*").alias("groups"), digest(DELETION_CHECKS).alias("digest")).collect()[0]
        row = {
            "plan_id": self.plan.plan_id,
            "run_id": self.run_id,
            "wave": self.number,
            "cluster_id": self.plan.cluster_id,
            "at": self.work.clock.now().astimezone(UTC),
            "operator": operator(),
            "version": __version__,
        } | found.asDict()
        values = [row[name] for name in DELETION_WAVES.columns]
        frame = local_frame(self.work.spark, [values], DELETION_WAVES.schema)
        store.append(frame, self.work.config.lake, DELETION_WAVES, f"{self.run_id}/waves/{self.number}")

    def _unsent(self, rows: DataFrame) -> DataFrame:
        """Groups for which no request is sent, with the columns of an answer."""
        at, nobody = F.lit(self.work.clock.now()), F.lit(None).cast("int")
        columns = {"sent": F.lit(False), "error_code": F.lit(0), "attempts": F.lit(0), "at": at, "coordinator": nobody}
        return rows.withColumns(columns)

    def _next(self, limit: int) -> int:
        """The size of the wave that begins."""
        self.number += 1
        return min(limit, WAVE_GROUPS, self.brokers * GROUPS_A_REQUEST)

    def _through(
        self, rows: DataFrame, do: Callable[[Coordinators, list[Row]], list[Row]], schema: pa.Schema
    ) -> DataFrame:
        return through(rows, Task(do, schema, self.settings, self.work.config.collect), self.brokers)

    def _note(self, *results: DataFrame, step: str | None = None) -> None:
        """Append the outcomes of the groups of a wave to the audit, in one commit."""
        rows = [self._audited(result, step or self.step) for result in results]
        whole = rows[0] if len(rows) == 1 else rows[0].unionByName(rows[1])
        store.append(whole, self.work.config.lake, DELETIONS, f"{self.run_id}/deletions/{self.number}")
        self._outcomes = None

    def _audited(self, result: DataFrame, step: str) -> DataFrame:
        given: Mapping[str, Column] = {
            "plan_id": F.lit(self.plan.plan_id),
            "run_id": F.lit(self.run_id),
            "cluster_id": F.lit(self.plan.cluster_id),
            "cluster": F.lit(self.plan.cluster),
            "step": F.lit(step),
            "error": error_name("error_code"),
            "partitions": F.col("partitions") if "partitions" in result.columns else F.lit(None).cast("int"),
            "operator": F.lit(operator()),
            "kafka_user": F.lit(user(self.settings.sasl) if self.settings.sasl else None).cast("string"),
            "version": F.lit(__version__),
        }
        return result.withColumns(dict(given)).select(*DELETIONS.columns)

    def _counts(self) -> dict[str, int]:
        """Groups of this run by outcome."""
        counts: dict[str, int] = {}
        for (outcome, _), count in self.outcomes().items():
            counts[outcome] = counts.get(outcome, 0) + count
        return counts


def operator() -> str:
    """The operator, as user@host."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container's user id without a name
        user = "unknown"
    return f"{user}@{socket.gethostname()}"
