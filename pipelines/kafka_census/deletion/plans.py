"""Plans and what became of their groups, as the books have them."""

from dataclasses import dataclass
from datetime import UTC, datetime

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.census import started_at
from kafka_census.deletion.plan import digest
from kafka_census.deletion.verdicts import SETTLED
from kafka_census.errors import ConfigError
from kafka_census.tables import store
from kafka_census.tables.deletions import DELETION_CHECKS, DELETION_PLAN_GROUPS, DELETION_PLANS, DELETIONS
from kafka_census.tables.lake import Lake
from kafka_census.tables.table import Table


@dataclass(frozen=True)
class Plan:
    """The row of a plan in `deletion_plans`."""

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
class Books:
    """The books of deletions of one plan."""

    spark: SparkSession
    lake: Lake
    plan_id: str

    def plan(self, cluster: str) -> Plan:
        """The plan, if it is of that cluster. Raises ConfigError."""
        book = store.find(self.spark, self.lake, DELETION_PLANS)
        row = book.where(F.col("plan_id") == self.plan_id).first() if book is not None else None
        if row is None:
            raise ConfigError(f"there is no plan {self.plan_id} in this lake; make one with jobs/delete_groups.py plan")
        found = row.asDict()
        # Times come back in the session's time zone, without saying so.
        expires_at = {"expires_at": found["expires_at"].astimezone(UTC)}
        plan = Plan(**{name: found[name] for name in Plan.__dataclass_fields__} | expires_at)
        if plan.cluster != cluster:
            raise ConfigError(f"plan {self.plan_id} is for cluster '{plan.cluster}', not for '{cluster}'")
        return plan

    def require_applicable(self, plan: Plan, now: datetime) -> None:
        """Raises ConfigError where a plan has expired, or is not what it was when it was made."""
        again = "make a new one with jobs/delete_groups.py plan"
        if now >= plan.expires_at:
            census = f"its census is of {started_at(plan.census_id):%Y-%m-%d %H:%M}Z"
            raise ConfigError(f"plan {plan.plan_id} expired at {plan.expires_at:%Y-%m-%d %H:%M}Z: {census}; {again}")
        rows = self._of(DELETION_PLAN_GROUPS)
        found = rows.agg(F.count("*").alias("groups"), digest().alias("digest")).first()
        if found is None or (found["groups"], found["digest"]) != (plan.groups, plan.digest):
            raise ConfigError(
                f"plan {plan.plan_id} was edited since it was made; protect groups by deletion.protect, and {again}"
            )

    def to_delete(self, run_id: str) -> DataFrame:
        """Groups that this run has not tried and none has settled: riskless ones first, after the unsure ones.

        unsure  an earlier run was about to delete it, and did not come to note what became of it
        """
        applied = self._of(DELETIONS).where(F.col("step") == "apply")
        done = applied.where(F.col("outcome").isin(*SETTLED) | (F.col("run_id") == run_id)).select("group_id")
        unsure = (
            self._of(DELETION_CHECKS)
            .where(F.col("outcome") == "delete")
            .join(applied, ["run_id", "group_id"], "left_anti")
            .select("group_id", F.lit(True).alias("unsure"))
            .distinct()
        )
        columns = ("group_id", "group_type", "offsets_fingerprint", "committed_partitions", "coordinator", "risk")
        return (
            self._of(DELETION_PLAN_GROUPS)
            .where(F.col("action") == "delete")
            .join(done, "group_id", "left_anti")
            .join(unsure, "group_id", "left")
            .select(*columns, F.coalesce("unsure", F.lit(False)).alias("unsure"))
            .orderBy(F.desc("unsure"), "risk", "group_id")
        )

    def deleted(self) -> int:
        """How many groups this plan has deleted, all runs together; those of which an answer was lost too."""
        ours = F.col("outcome").isin("deleted", "gone") & F.col("sent") & (F.col("step") == "apply")
        return self._of(DELETIONS).where(ours).select("group_id").distinct().count()

    def to_restore(self, run_id: str) -> DataFrame:
        """Groups with the offsets that were saved of them last, which were or may have been deleted."""
        saved = (
            self._of(DELETION_CHECKS)
            .where((F.col("outcome") == "delete") & (F.size("offsets") > 0))
            .groupBy("group_id")
            .agg(F.max_by(F.struct("run_id", "offsets", "coordinator"), "run_id").alias("saved"))
            .select("group_id", "saved.*")
        )
        lived = self._of(DELETIONS).where(F.col("outcome").isin("kept", "refused") & (F.col("step") == "apply"))
        undone = self._of(DELETIONS).where(
            (F.col("step") == "undo") & ((F.col("outcome") == "restored") | (F.col("run_id") == run_id))
        )
        return (
            saved.join(lived.select("run_id", "group_id"), ["run_id", "group_id"], "left_anti")
            .join(undone.select("group_id"), "group_id", "left_anti")
            .select("group_id", "offsets", "coordinator")
            .orderBy("group_id")
        )

    def wave(self, run_id: str, wave: int) -> DataFrame:
        """What was checked in one wave."""
        return self._of(DELETION_CHECKS).where((F.col("run_id") == run_id) & (F.col("wave") == wave))

    def outcomes(self, run_id: str) -> dict[tuple[str, str | None], int]:
        """Of one run: how many groups had which outcome, with which error."""
        rows = self._of(DELETIONS).where(F.col("run_id") == run_id).groupBy("outcome", "error").count().collect()
        return {(row["outcome"], row["error"]): row["count"] for row in rows}

    def _of(self, table: Table) -> DataFrame:
        """The plan's rows of a book; none where nobody has written it yet."""
        store.create(self.spark, self.lake, table)
        return store.read(self.spark, self.lake, table).where(F.col("plan_id") == self.plan_id)
