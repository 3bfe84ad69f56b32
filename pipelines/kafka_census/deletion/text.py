"""A plan and its outcomes, as lines of at most 80 columns."""

from collections.abc import Iterator, Mapping, Sequence

from pyspark.sql import Row

from kafka_census.deletion.history import Window
from kafka_census.deletion.plans import Plan, Spent
from kafka_census.deletion.rules import DeletionRules
from kafka_census.terminal.columns import WIDTH, Shown, fit, table, wrapped
from kafka_census.terminal.human import counted, human_time

RISKS = ("no offsets", "topics gone", "left behind", "commits only")
"""The names of the values of `risk`, from 0 on."""

_COLUMNS = (
    Shown("risk"),
    Shown("group"),
    Shown("type"),
    Shown("empty for", right=True),
    Shown("partitions", right=True),
    Shown("lag", right=True),
    Shown("at", right=True),
)


def plan_lines(
    plan: Plan,
    window: Window,
    rules: DeletionRules,
    verdicts: Mapping[str, int],
    counts: Sequence[Row],
    riskiest: Sequence[Row],
    options: str,
) -> Iterator[str]:
    """A plan for a human: how many, why, the riskiest first.

    counts    (action, because, risk, count)
    riskiest  rows of `deletion_plan_groups` to delete, with `seconds` that they are empty
    options   those by which the next command finds the configuration
    """
    yield "=" * WIDTH
    yield fit(f"Plan {plan.plan_id}: delete {counted(plan.to_delete, 'group')} of cluster {plan.cluster}", WIDTH)
    yield fit(f"Kafka cluster id {plan.cluster_id}", WIDTH)
    yield "=" * WIDTH
    censuses = counted(plan.censuses, "complete census", "complete censuses")
    yield from wrapped(
        f"Evidence: {censuses} since {window.since:%Y-%m-%d %H:%M}Z, the last one {plan.census_id}. Required: empty, "
        f"offsets unmoved, in every one of them, for {human_time(rules.empty_for)} and in {rules.censuses} at least."
    )
    if window.lacks:
        yield from wrapped(f"Nothing can be deleted yet: {window.lacks}.")
    yield ""
    yield from _count_lines(verdicts, counts)
    if riskiest:
        yield ""
        yield from table(_COLUMNS, [_cells(row) for row in riskiest])
        if plan.to_delete > len(riskiest):
            yield f"... and {plan.to_delete - len(riskiest):,} more, of no more risk"
        if not window.shows_offsets:
            yield "consumer_lag was not published with that census: offsets and lag are not shown"
        yield ""
        yield "Review it, then:"
        to_apply = (
            "kafka-census delete-groups apply",
            options,
            f"--cluster {plan.cluster} --plan {plan.plan_id} --yes",
        )
        yield f"  {' '.join(filter(None, to_apply))}"
    yield ""
    yield from wrapped(
        f"It expires at {plan.expires_at:%Y-%m-%d %H:%M}Z, and deletes {rules.max_deletes:,} groups at most "
        "(deletion.max_deletes). All of it is in the lake: audit/deletion_plan_groups."
    )


def _count_lines(verdicts: Mapping[str, int], counts: Sequence[Row]) -> Iterator[str]:
    """The number of groups by action and reason."""
    for row in counts:
        if row["action"] == "delete":
            yield f"  {row['count']:>9,}  to delete: {_WHY[row['risk']]}"
    for because, why in _KEPT.items():
        kept = sum(row["count"] for row in counts if row["because"] == because)
        if kept:
            yield f"  {kept:>9,}  kept: {why}"
    for verdict, count in sorted(verdicts.items()):
        if verdict != "deletable":
            yield f"  {count:>9,}  kept: {verdict} by the last census"


def dry_lines(plan: Plan, waiting: int, protected: int, spent: Spent, most: int) -> Iterator[str]:
    """The report of an apply without --yes."""
    now = max(0, min(waiting, most - spent.groups))
    already = spent.groups - spent.unknown
    yield from wrapped(
        f"plan {plan.plan_id} would delete {counted(now, 'group')}: {waiting:,} wait, {already:,} are deleted already, "
        f"max_deletes is {most:,}. Each is looked at once more just before."
    )
    if protected:
        yield from wrapped(f"{counted(protected, 'group')} of it would be kept: deletion.protect has them by now.")
    if spent.unknown:
        yield from wrapped(
            f"Of {counted(spent.unknown, 'group')} it is not known whether an earlier run deleted them: they count as "
            "deleted, and are looked at first."
        )
    yield "dry run: nothing was sent; --yes does it"


def dry_undo_lines(plan: Plan, waiting: int, unsent: int) -> Iterator[str]:
    """The report of an undo without --yes."""
    yield from wrapped(
        f"undo of plan {plan.plan_id} would restore the offsets of {counted(waiting, 'group')}, those of them that are "
        "still absent."
    )
    yield from unsent_lines(unsent)
    yield "dry run: nothing was sent; --yes does it"


def unsent_lines(unsent: int) -> Iterator[str]:
    """The number of rows of `deletion_checks` without a wave, which undo leaves out."""
    if unsent:
        yield from wrapped(
            f"{counted(unsent, 'row')} of audit/deletion_checks belong to no wave in audit/deletion_waves: nothing was "
            "sent for them, and nothing is restored of them."
        )


def protected_lines(protected: int, first: Sequence[Row]) -> Iterator[str]:
    """The groups of a plan that apply kept because a pattern protects them now.

    first  (group_id, pattern) of the first such groups
    """
    if protected:
        yield f"{counted(protected, 'group')} of the plan kept by deletion.protect:"
        yield from table((Shown("group"), Shown("protected by")), [(row["group_id"], row["pattern"]) for row in first])
        if protected > len(first):
            yield f"... and {protected - len(first):,} more"


def outcome_lines(outcomes: Mapping[tuple[str, str | None], int], waiting: int = 0, most: int = 0) -> Iterator[str]:
    """The outcomes of a run; `waiting` groups were not tried."""
    for (outcome, error), count in sorted(outcomes.items(), key=lambda one: (-one[1], str(one[0]))):
        yield f"  {count:>9,}  {outcome}{f' ({error})' if error else ''}"
    if not outcomes:
        yield "nothing was left to do"
    if waiting:
        yield from wrapped(f"{waiting:,} were not tried: deletion.max_deletes is {most:,}")


_WHY = (
    "empty, without offsets",
    "empty, all topics of its offsets are gone",
    "empty, offsets stood still while topics went on",
    "the same, and it never had members: look twice",
)
_KEPT = {
    "protected": "deletion.protect",
    "cannot_be_restored": "share groups, which an undo could not restore",
    "not_long_enough": "not empty with these offsets for long enough",
}


def _cells(row: Row) -> tuple[str, ...]:
    return (
        RISKS[row["risk"]],
        row["group_id"] or '""',
        row["group_type"] or "?",
        human_time(row["seconds"]),
        f"{row['committed_partitions'] or 0:,}",
        "?" if row["lag"] is None else f"{row['lag']:,}",
        "?" if row["coordinator"] is None else str(row["coordinator"]),
    )
