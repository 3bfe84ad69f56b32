"""Plans and the outcomes of their groups, from the audit tables."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.declarations.census import checked, started_at
from kafka_census.declarations.deletions import (
    DELETION_CHECKS,
    DELETION_PLAN_GROUPS,
    DELETION_PLANS,
    DELETION_WAVES,
    DELETIONS,
)
from kafka_census.declarations.table import Table
from kafka_census.deletion.digest import digest, with_header
from kafka_census.deletion.outcomes import gone, is_after, last_look, unsent_in
from kafka_census.deletion.plan import protected_by
from kafka_census.deletion.rules import DeletionRules
from kafka_census.deletion.verdicts import LOOKED, SETTLED
from kafka_census.errors import ConfigError
from kafka_census.lake import store
from kafka_census.lake.lake import Lake

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_PLANNED = ("group_id", "group_type", "offsets_fingerprint", "committed_partitions", "coordinator", "risk")
"""What a wave needs to know of a planned group."""


@dataclass(frozen=True)
class Plan:
    """The row of a plan in `deletion_plans`; of its `digest` the part that stands for the groups of the plan."""

    plan_id: str
    cluster_id: str
    cluster: str
    census_id: str
    censuses: int
    expires_at: datetime
    groups: int
    to_delete: int
    digest: int


@dataclass(frozen=True)
class Spent:
    """The number of groups that count as deleted by a plan, over all runs; `unknown` of them may not be deleted."""

    groups: int
    unknown: int


@dataclass(frozen=True)
class DeletionAudit:
    """The audit tables of deletions of one plan."""

    spark: SparkSession
    lake: Lake
    plan_id: str

    def plan(self, names: tuple[str, ...]) -> Plan:
        """The plan. Raises ConfigError where there is none, or it was made under none of a cluster's names."""
        found = store.find(self.spark, self.lake, DELETION_PLANS)
        row = None
        if found is None:
            store.require_never_written(self.lake, DELETION_PLANS)
        else:
            # As a number: Spark returns times in a local time zone, without naming it.
            expires_at = F.unix_micros("expires_at").alias("expires_at")
            given = {"expires_at": expires_at, "digest": with_header()}
            columns = [given.get(name, F.col(name)) for name in Plan.__dataclass_fields__]
            row = found.where(F.col("plan_id") == self.plan_id).select(*columns).first()
        if row is None:
            raise ConfigError(
                f"there is no plan {self.plan_id} in this lake; make one: "
                f"kafka-census delete-groups plan --cluster {names[0]}"
            )
        plan = Plan(**row.asDict() | {"expires_at": _EPOCH + timedelta(microseconds=row["expires_at"])})
        if plan.cluster not in names:
            raise ConfigError(f"plan {self.plan_id} is for cluster '{plan.cluster}', not for '{names[0]}'")
        return plan

    def require_applicable(self, plan: Plan, now: datetime) -> None:
        """Raises ConfigError where a plan has expired, or was edited since it was made."""
        again = f"make a new one: kafka-census delete-groups plan --cluster {plan.cluster}"
        if now >= plan.expires_at:
            census = f"its census is of {started_at(plan.census_id):%Y-%m-%d %H:%M}Z"
            raise ConfigError(f"plan {plan.plan_id} expired at {plan.expires_at:%Y-%m-%d %H:%M}Z: {census}; {again}")
        rows = self._of(DELETION_PLAN_GROUPS)
        found = rows.agg(F.count("*").alias("groups"), digest(DELETION_PLAN_GROUPS).alias("digest")).first()
        if found is None or (found["groups"], found["digest"]) != (plan.groups, plan.digest):
            raise ConfigError(
                f"plan {plan.plan_id} does not have the hash that was noted with it: it was edited since it was made, "
                f"or an older release made it; protect groups by deletion.protect, and {again}"
            )

    def require_untouched(self, plan: Plan) -> int:
        """The number of rows of `deletion_checks` without a wave in `deletion_waves`, which undo leaves out.

        A run that was interrupted before it sent anything wrote them, or they are not ours. Raises ConfigError where
        the rows of a wave that was sent differ from what apply wrote, or are of another cluster than the plan's row.
        """
        was_sent = (F.col("step") == "apply") & F.col("sent")
        sent = self._of(DELETIONS).where(was_sent).select("run_id", "group_id", F.lit(True).alias("was_sent"))
        found = (
            self._of(DELETION_CHECKS)
            .join(sent, ["run_id", "group_id"], "left")
            .groupBy("run_id", "wave")
            .agg(
                F.count("*").alias("found_groups"),
                digest(DELETION_CHECKS).alias("found_digest"),
                F.count("was_sent").alias("were_sent"),
                F.bool_and(F.col("cluster_id") == plan.cluster_id).alias("is_ours"),
            )
        )
        waves = self._of(DELETION_WAVES).select("run_id", "wave", "groups", "digest")
        same = F.col("groups").eqNullSafe(F.col("found_groups")) & F.col("digest").eqNullSafe(F.col("found_digest"))
        same &= F.coalesce("is_ours", F.lit(False))
        is_unknown = F.col("groups").isNull()
        wrong = F.when(is_unknown, F.col("were_sent") > 0).otherwise(~same)
        row = (
            waves.join(found, ["run_id", "wave"], "full")
            .agg(
                F.min(F.when(wrong, F.struct("run_id", "wave", is_unknown.alias("is_unknown")))).alias("wrong"),
                F.coalesce(F.sum(F.when(is_unknown, F.col("found_groups"))), F.lit(0)).alias("unsent"),
            )
            .collect()[0]
        )
        if row["wrong"] is not None:
            run_id, wave, is_older = row["wrong"]
            why = "an older release wrote them, or they were edited" if is_older else "they were edited"
            raise ConfigError(
                f"plan {self.plan_id} cannot be undone: the rows of run {run_id}, wave {wave} in audit/deletion_checks "
                f"do not have the hash that is noted in audit/deletion_waves: {why}; nothing was sent, and the "
                "tables' history has what they were"
            )
        return int(row["unsent"])

    def to_delete(self, run_id: str) -> DataFrame:
        """Groups that this run has not tried, and no run has settled, left unknown or restored; the lowest risk first.

        Columns: `group_id`, `group_type`, `offsets_fingerprint`, `committed_partitions`, `coordinator`, `risk`, and

        unsure  whether an earlier run's request had no known outcome, and a later look found the group unchanged
        """
        done = F.col("is_tried") | F.col("is_settled") | F.col("is_undone") | (F.size("unknown_in") > 0)
        return (
            self._planned()
            .join(self._worked_on(run_id), "group_id", "left")
            .where(~F.coalesce(done, F.lit(False)))
            .select(*_PLANNED, F.coalesce("is_unsure", F.lit(False)).alias("unsure"))
            .orderBy("risk", "group_id")
        )

    def to_look_at(self, run_id: str) -> DataFrame:
        """Groups whose deletion an earlier run sent without a known outcome, and that this run has not looked at.

        Columns: those of `to_delete` without `unsure`. A group that an undo has restored meanwhile is left out: a look
        would prove nothing, so its outcome stays unknown.
        """
        earlier = F.exists("unknown_in", lambda sent_in: sent_in != run_id)
        return (
            self._planned()
            .join(self._worked_on(run_id), "group_id")
            .where(earlier & ~F.col("is_looked_at") & ~F.col("is_undone"))
            .select(*_PLANNED)
            .orderBy("group_id")
        )

    def protected(self, run_id: str, rules: DeletionRules) -> DataFrame:
        """The groups of `to_delete` that a pattern protects now, with the pattern in the column `pattern`."""
        found = self.to_delete(run_id).withColumn("pattern", protected_by(rules.protect))
        return found.where(F.col("pattern").isNotNull())

    def last_run(self) -> str | None:
        """The last run of the plan that sent or noted anything. Raises CorruptLake where its id is none."""
        runs = [self._of(table).select("run_id") for table in (DELETIONS, DELETION_WAVES)]
        last: str | None = runs[0].union(runs[1]).agg(F.max("run_id")).collect()[0][0]
        return None if last is None else checked(last, "audit/deletions")

    def spent(self) -> Spent:
        """How many groups are, or may be, deleted."""
        unknown = F.size("unknown_in") > 0
        groups, unanswered = F.count_if(F.col("is_deleted") | unknown), F.count_if(unknown)
        row = self._worked_on("").agg(groups.alias("groups"), unanswered.alias("unknown")).collect()[0]
        return Spent(row["groups"], row["unknown"])

    def to_restore(self, run_id: str) -> DataFrame:
        """Groups that were, or may have been, deleted, with their last saved offsets.

        Columns: `group_id`, `offsets`, `coordinator`.
        """
        step, outcome, of_run = F.col("step"), F.col("outcome"), F.col("run_id")
        lived = (step == "apply") & outcome.isin("kept", "refused", "failed")
        undone = (step == "undo") & ((outcome == "restored") | (of_run == run_id))
        known = self._by_group(
            lived_in=F.collect_set(F.when(lived, of_run)),
            unsent_in=unsent_in(),
            looked_in=last_look("kept", "still_there"),
            is_gone=F.bool_or(gone()),
            is_undone=F.bool_or(undone),
        )
        stayed = F.array_contains("lived_in", of_run) | ~is_after("looked_in", of_run)
        over = F.col("is_undone") | F.array_contains("unsent_in", of_run) | (stayed & ~F.col("is_gone"))
        return (
            self._sent()
            .where(F.size("offsets") > 0)
            .join(known, "group_id", "left")
            .where(~F.coalesce(over, F.lit(False)))
            .groupBy("group_id")
            .agg(F.max_by(F.struct("offsets", "coordinator"), "run_id").alias("saved"))
            .select("group_id", "saved.*")
            .orderBy("group_id")
        )

    def wave(self, run_id: str, wave: int) -> DataFrame:
        """The checks of one wave. Columns: those of `DELETION_CHECKS`."""
        return self._of(DELETION_CHECKS).where((F.col("run_id") == run_id) & (F.col("wave") == wave))

    def outcomes(self, run_id: str) -> dict[tuple[str, str | None], int]:
        """By outcome and error: the number of groups of one run."""
        rows = self._of(DELETIONS).where(F.col("run_id") == run_id).groupBy("outcome", "error").count().collect()
        return {(row["outcome"], row["error"]): row["count"] for row in rows}

    def _planned(self) -> DataFrame:
        """The groups to delete: id, type, fingerprint, number of offsets, coordinator and risk of the plan."""
        return self._of(DELETION_PLAN_GROUPS).where(F.col("action") == "delete").select(*_PLANNED)

    def _sent(self) -> DataFrame:
        """Rows of `deletion_checks` of groups whose deletion may have been sent."""
        waves = self._of(DELETION_WAVES).select("run_id", "wave")
        return self._of(DELETION_CHECKS).where(F.col("outcome") == "delete").join(waves, ["run_id", "wave"])

    def _worked_on(self, run_id: str) -> DataFrame:
        """One row per group that any run has worked on; each audit table is read once.

        group_id      the group
        is_tried      whether the run `run_id` has deleted it, or tried to
        is_looked_at  whether the run `run_id` has looked at it
        is_settled    whether the plan does not touch it again
        is_undone     whether an undo has, or may have, restored offsets of it
        is_unsure     whether a look found it unchanged after a request without a known outcome
        is_deleted    whether it counts as deleted, by a known outcome: also a group that is gone after any request
        unknown_in    the runs that may have deleted it, without an answer or a later look
        """
        step, outcome, of_run = F.col("step"), F.col("outcome"), F.col("run_id")
        deleted = (outcome == "deleted") | (F.col("sent") & ((outcome == "gone") | (step == "look")))
        flags = {
            "is_tried": (step == "apply") & (of_run == run_id),
            "is_looked_at": (step == "look") & (of_run == run_id),
            "is_settled": (step != "undo") & outcome.isin(*SETTLED),
            "is_undone": (step == "undo") & outcome.isin("restored", "partly_restored", "unknown"),
            "is_unsure": outcome == "still_there",
            "is_deleted": (step != "undo") & deleted,
            "is_gone": gone(),
        }
        known = self._by_group(
            reported_in=F.collect_set(F.when((step == "apply") & (outcome != "unknown"), of_run)),
            unsent_in=unsent_in(),
            looked_in=last_look(*LOOKED),
            **{name: F.bool_or(holds) for name, holds in flags.items()},
        )
        sent = self._sent().groupBy("group_id").agg(F.collect_set("run_id").alias("sent_in"))
        reported = F.coalesce("reported_in", F.array())
        unknown = F.filter(
            F.coalesce("sent_in", F.array()),
            lambda sent_in: ~F.array_contains(reported, sent_in) & is_after("looked_in", sent_in),
        )
        was_sent = F.size(F.array_except(F.coalesce("sent_in", F.array()), F.coalesce("unsent_in", F.array()))) > 0
        known = known.join(sent, "group_id", "full").withColumn(
            "is_deleted", F.col("is_deleted") | (F.col("is_gone") & was_sent)
        )
        return known.select(
            "group_id", *[F.coalesce(name, F.lit(False)).alias(name) for name in flags], unknown.alias("unknown_in")
        )

    def _by_group(self, **columns: Column) -> DataFrame:
        """One row per group of `deletions`: `group_id`, and the given aggregates."""
        return self._of(DELETIONS).groupBy("group_id").agg(*[column.alias(name) for name, column in columns.items()])

    def _of(self, table: Table) -> DataFrame:
        """The plan's rows of an audit table, which is created where missing."""
        found = store.find(self.spark, self.lake, table)
        if found is None:
            store.create(self.spark, self.lake, table)
            found = store.read(self.spark, self.lake, table)
        return found.where(F.col("plan_id") == self.plan_id)
