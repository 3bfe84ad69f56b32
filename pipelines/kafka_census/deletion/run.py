"""Deleting dead groups, in three steps: plan (from history), apply (after a review), undo.

`plan` asks no broker. `apply` and `undo` send nothing without `--yes`; with `--yes` they work under the
cluster's run lock, and record their actions in the audit tables. A run that was cut off is run again.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from kafka_census import __version__
from kafka_census.census.work import Work
from kafka_census.declarations.census import new_census_id, started_at
from kafka_census.declarations.deletions import DELETION_PLAN_GROUPS, DELETION_PLANS
from kafka_census.deletion import history
from kafka_census.deletion.digest import digest, with_header
from kafka_census.deletion.plan import planned
from kafka_census.deletion.plans import DeletionAudit, Plan
from kafka_census.deletion.rules import DeletionRules
from kafka_census.deletion.text import (
    dry_lines,
    dry_undo_lines,
    outcome_lines,
    plan_lines,
    protected_lines,
    unsent_lines,
)
from kafka_census.errors import ConfigError, NotAllDone
from kafka_census.lake import store
from kafka_census.lake.cluster_key import require_own
from kafka_census.lake.rows import local_frame
from kafka_census.terminal.log import bind
from kafka_census.terminal.progress import timed

if TYPE_CHECKING:
    from kafka_census.deletion.waves import Waves

_MISSED = ("refused", "failed", "unknown", "partly_restored")
"""Outcomes after which work is left to do."""


def run_plan(work: Work) -> None:
    """Store a plan and print it. Raises ConfigError where history is empty or too old."""
    spark, lake, rules = work.spark, work.config.lake, _rules(work)
    window = history.window(spark, lake, work.names, rules)
    # The time for which a group was empty is counted back from the last census.
    if started_at(window.last) > work.clock.now():
        raise ConfigError(
            f"the last complete census of cluster '{work.cluster}', {window.last}, was made by a clock that is ahead "
            "of this machine's, so that groups look older than they are; correct the clocks, or retire it: "
            f"kafka-census maintain --cluster {work.cluster} --retire {window.last} --apply"
        )
    if work.clock.now() >= started_at(window.last) + rules.expires_after:
        raise ConfigError(
            f"the last complete census of cluster '{work.cluster}' is {window.last}: older than "
            f"deletion.expires_after; survey it first: kafka-census run --cluster {work.cluster}"
        )
    plan_id = new_census_id(work.clock)
    bind(plan_id=plan_id)
    with timed(work.progress, "planned", censuses=len(window.census_ids)) as done:
        rows = planned(spark, lake, plan_id, window, rules)
        store.append(rows, lake, DELETION_PLAN_GROUPS, f"{plan_id}/groups")
        written = store.read(spark, lake, DELETION_PLAN_GROUPS).where(F.col("plan_id") == plan_id)
        _write_header(work, plan_id, window, rules, written)
        plan = DeletionAudit(spark, lake, plan_id).plan(work.names)
        done.update(groups=plan.groups, to_delete=plan.to_delete)
    counts = written.groupBy("action", "because", "risk").count().orderBy("action", F.desc("risk"), "because").collect()
    seen = history.verdicts(spark, lake, window)
    work.print_text(
        plan_lines(plan, window, rules, seen, counts, _riskiest(work, plan, written), work.config.given.words())
    )
    work.print_json(**asdict(plan), verdicts=seen, counts=[row.asDict() for row in counts])


def run_apply(work: Work) -> None:
    """Delete the groups of a plan that are unchanged. Raises ConfigError, NotAllDone."""
    plan, audit = _opened(work)
    audit.require_applicable(plan, work.clock.now())
    rules = _rules(work)
    most = rules.max_deletes
    if not work.apply:
        waiting, protected = audit.to_delete("").count(), audit.protected("", rules).count()
        spent = audit.spent()
        work.print_text(dry_lines(plan, waiting - protected, protected, spent, most))
        fields = {"waiting": waiting - protected, "protected": protected, "deleted": spent.groups, "most": most}
        work.print_json(plan_id=plan.plan_id, sent=False, unknown=spent.unknown, **fields)
        return
    with _waves(work, plan, audit, "apply") as waves:
        waves.look()
        protected, first = waves.protect(rules)
        waiting = audit.to_delete(waves.run_id).count()
        while waiting and (left := most - audit.spent().groups) > 0:
            size = waves.delete(min(left, waiting), most)
            waiting = 0 if size == waiting else audit.to_delete(waves.run_id).count()
        outcomes = waves.outcomes()
    work.print_text(outcome_lines(outcomes, waiting, most))
    work.print_text(protected_lines(protected, first))
    work.print_json(plan_id=plan.plan_id, sent=True, outcomes=_listed(outcomes), waiting=waiting, protected=protected)
    _require_all(plan, outcomes, "deleted", "where a group is refused, grant DELETE and DESCRIBE of it")


def run_undo(work: Work) -> None:
    """Restore the offsets of groups that a plan deleted and that are still absent. Raises ConfigError, NotAllDone."""
    plan, audit = _opened(work)
    unsent = audit.require_untouched(plan)
    if not work.apply:
        waiting = audit.to_restore("").count()
        work.print_text(dry_undo_lines(plan, waiting, unsent))
        work.print_json(plan_id=plan.plan_id, sent=False, waiting=waiting, unsent=unsent)
        return
    with _waves(work, plan, audit, "undo") as waves:
        waiting = audit.to_restore(waves.run_id).count()
        while waiting:
            size = waves.restore(waiting)
            waiting = 0 if size == waiting else audit.to_restore(waves.run_id).count()
        outcomes = waves.outcomes()
    work.print_text(outcome_lines(outcomes))
    work.print_text(unsent_lines(unsent))
    work.print_json(plan_id=plan.plan_id, sent=True, outcomes=_listed(outcomes), unsent=unsent)
    _require_all(plan, outcomes, "restored", "where it is refused, grant READ of the group and its topics")


def _write_header(work: Work, plan_id: str, window: history.Window, rules: DeletionRules, written: DataFrame) -> None:
    """Write the plan's row; its commit makes the plan valid."""
    from kafka_census.deletion.waves import operator

    to_delete = F.count_if(F.col("action") == "delete").alias("to_delete")
    found = written.agg(
        F.count("*").alias("groups"), to_delete, digest(DELETION_PLAN_GROUPS).alias("digest")
    ).collect()[0]
    row = {
        "plan_id": plan_id,
        "cluster_id": window.cluster_id,
        "cluster": work.cluster,
        "census_id": window.last,
        "first_census_id": window.census_ids[0],
        "censuses": len(window.census_ids),
        "made_at": work.clock.now().astimezone(UTC),
        "expires_at": started_at(window.last) + rules.expires_after,
        "empty_for_seconds": int(rules.empty_for.total_seconds()),
        "min_censuses": rules.censuses,
        "protect": list(rules.protect),
        "operator": operator(),
        "version": __version__,
    } | found.asDict()
    values = [row[name] for name in DELETION_PLANS.columns]
    frame = local_frame(work.spark, [values], DELETION_PLANS.schema)
    frame = frame.withColumn("digest", with_header())
    store.append(frame, work.config.lake, DELETION_PLANS, f"{plan_id}/plan")


def _riskiest(work: Work, plan: Plan, written: DataFrame) -> list[Row]:
    seconds = F.lit(started_at(plan.census_id).timestamp()) - F.unix_seconds("empty_since")
    return (
        written.where(F.col("action") == "delete")
        .withColumn("seconds", seconds)
        .orderBy(F.desc("risk"), F.desc("empty_since"), "group_id")
        .drop("offsets")
        .limit(work.limit)
        .collect()
    )


def _opened(work: Work) -> tuple[Plan, DeletionAudit]:
    """The requested plan. Raises ConfigError."""
    plan_id = work.plan_id or ""
    try:
        started_at(plan_id)
    except ConfigError:
        raise ConfigError(f"{plan_id!r} is no plan id; one looks like 20261121T184500123Z-9f3a1c") from None
    bind(plan_id=plan_id)
    audit = DeletionAudit(work.spark, work.config.lake, plan_id)
    return audit.plan(work.names), audit


@contextmanager
def _waves(work: Work, plan: Plan, audit: DeletionAudit, step: str) -> Iterator["Waves"]:
    """The waves of a new run, under the cluster's lock. Raises ConfigError where another cluster answers."""
    from kafka_census.deletion.waves import Waves
    from kafka_census.kafka.protocol.cluster import bootstrap
    from kafka_census.lake.publications import last_published
    from kafka_census.lake.run_lock import hold

    if work.settings is None:
        raise ValueError("deleting needs the cluster's settings")
    with hold(work.config.lake, work.names, f"{step} of deletion plan {plan.plan_id}"):
        view = bootstrap(work.settings, work.config.collect)
        if view.cluster_id != plan.cluster_id:
            raise ConfigError(
                f"plan {plan.plan_id} is for cluster id {plan.cluster_id}, but {view.cluster_id} answers as "
                f"'{work.cluster}': nothing was sent; correct bootstrap_servers, or make a plan for that cluster"
            )
        if step == "apply":
            require_own(view.cluster_id, work.names, last_published(work.spark, work.config.lake))
        run_id = new_census_id(work.clock, after=audit.last_run())
        work.progress("run", step=step, run_id=run_id)
        proven = work.settings.proving(plan.cluster_id)  # by each connection of each task
        yield Waves(work, proven, plan, audit, run_id, step, len(view.brokers))


def _listed(outcomes: Mapping[tuple[str, str | None], int]) -> list[dict[str, object]]:
    return [{"outcome": outcome, "error": error, "groups": count} for (outcome, error), count in outcomes.items()]


def _require_all(plan: Plan, outcomes: Mapping[tuple[str, str | None], int], done: str, hint: str) -> None:
    """Raises NotAllDone where brokers refused groups, accepted only a part, or did not answer."""
    missed = {key: count for key, count in outcomes.items() if key[0] in _MISSED}
    if missed:
        why = ", ".join(f"{count} {error or outcome}" for (outcome, error), count in sorted(missed.items(), key=str))
        raise NotAllDone(
            f"{sum(missed.values())} groups of plan {plan.plan_id} are not {done}: {why} (audit/deletions has each); "
            f"{hint}, then run this again"
        )


def _rules(work: Work) -> DeletionRules:
    return DeletionRules(**work.config.deletion.model_dump())
