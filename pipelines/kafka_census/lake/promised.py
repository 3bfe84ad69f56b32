"""What the audit tables promise of a lake's rows, and the line for a table that holds something else.

`publications` has the number of rows of each published census in each table, and `census_runs` the censuses that were
published; `verdicts` name failing rows, which `quarantine` has. A table without these rows is damaged: its log lost a
commit, or a part of a copy was restored. A reader that took it as it is would report that nothing is wrong. Both
engines count what they read, and compare it here.

A plan of deletions is compared by its own hashes (`deletion.plans`): groups and checks that are lost refuse it, and a
request whose outcome is lost counts as one without an answer. Nothing tells that the last rows of these are lost:

alerts             the message is sent again when the state is still open
deletion_plans     the plan is not there: it has to be made again
deletion_waves     where the outcomes are lost with it: a request may count as not sent, and an undo leaves its groups
`latest_<table>`   another engine reads the census before, until the next one is published; `census_id` tells which
"""

from collections.abc import Collection, Mapping

OF_EVERY_CENSUS = ("audit/census_runs", "audit/verdicts", "audit/calls")
"""Audit tables with rows of every published census, until it is retired."""

RESTORE = "restore its folder from a copy of the lake"
AS_MANY, A_NUMBER = "as many rows as audit/publications says, ", "a number that was published"


def damage(table: str, promised: Mapping[str, int | None], held: Mapping[str, int]) -> str | None:
    """The line for a table that does not hold what `publications` promises; None where it does.

    promised  the number of rows by census; None: `publications` does not say
    held      the number of rows that were found, by census; censuses that are not promised do not count
    """
    wrong = sorted(census_id for census_id, rows in promised.items() if held.get(census_id, 0) != rows)
    if not wrong:
        return None
    rows = promised[wrong[-1]]
    many = f"{AS_MANY}{rows:,}" if rows is not None else A_NUMBER
    others = f", nor of {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return damaged(table, wrong[-1], many, f"{held.get(wrong[-1], 0):,}", others)


def damaged(table: str, census_id: str, many: str, held: str, others: str = "") -> str:
    """The line for a table with another number of rows of a census; `many` begins with `AS_MANY`, or is `A_NUMBER`."""
    return (
        f"{table} is damaged: of census {census_id} it does not hold {many}, but {held}{others}; {RESTORE}, or retire "
        f"what is lost: kafka-census maintain --cluster NAME --retire {census_id} --apply"
    )


def lost_table(table: str, example: str) -> str:
    """The line for a table that is not there, though `publications` has censuses of it, such as the example."""
    return f"{table} is lost: it is not there, and audit/publications says that census {example} is in it; {RESTORE}"


def older(table: str, difference: str) -> str:
    """The line for a table that lacks what this release has, such as `column a is missing`."""
    return f"{table} was written by an older release: {difference}; run kafka-census migrate"


def lost_rows(table: str, censuses: Collection[str]) -> str:
    """The line for an audit table that lacks the rows of published censuses."""
    return (
        f"{table} has lost rows: it has none of census {min(censuses)} (of {len(censuses)} such), which "
        f"audit/publications says is published; {RESTORE}"
    )


def lost_verdicts(table: str, census_id: str, warned: int, warnings: int) -> str:
    """The line for `verdicts` that has fewer warnings of a census than `publications` counts."""
    return (
        f"{table} has lost rows: it has {warned:,} of the {warnings:,} warnings that audit/publications counts for "
        f"census {census_id}; {RESTORE}"
    )


def lost_quarantine(table: str, census_id: str, rule: str) -> str:
    """The line for `quarantine` without the rows that failed a rule of a census, such as `topics.name_is_valid`."""
    return (
        f"{table} has lost rows: it has none of census {census_id} that failed {rule}, though audit/verdicts names "
        f"some; {RESTORE}"
    )


def lost_publications(table: str, censuses: Collection[str]) -> str:
    """The line for `publications` that lacks censuses which were published and never retired."""
    return (
        f"{table} has lost rows: it does not have census {min(censuses)} (of {len(censuses)} such), which "
        f"audit/census_runs says was published and never retired; {RESTORE}: until then nothing says what is published"
    )


def without_log(table: str) -> str:
    """The line for a folder with files of rows, and no log that says which of them count."""
    return (
        f"{table} has files and no log: its folder _delta_log is lost, or its first write was cut off; {RESTORE}, or "
        "move it away where nothing was ever written to it"
    )
