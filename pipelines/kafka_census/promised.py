"""What the audit tables promise of a lake's rows, and the line for a table that holds something else.

`publications` has the number of rows of each published census in each table, and `census_runs` the censuses that were
published. A table without these rows is damaged: its log lost a commit, or a part of a copy was restored. A reader that
took it as it is would report that nothing is wrong. Both engines count what they read, and compare it here.
"""

from collections.abc import Collection, Mapping

OF_EVERY_CENSUS = ("audit/census_runs", "audit/verdicts", "audit/calls")
"""Audit tables with rows of every published census, until it is retired."""

RESTORE = "restore its folder from a copy of the lake"


def damage(table: str, promised: Mapping[str, int | None], held: Mapping[str, int]) -> str | None:
    """The line for a table that does not hold what `publications` promises; None where it does.

    promised  the number of rows by census; None: `publications` does not say
    held      the number of rows that were found, by census; censuses that are not promised do not count
    """
    wrong = sorted(census_id for census_id, rows in promised.items() if held.get(census_id, 0) != rows)
    if not wrong:
        return None
    rows = promised[wrong[-1]]
    many = f"as many rows as audit/publications says, {rows:,}" if rows is not None else "a number that was published"
    others = f", nor of {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return (
        f"{table} is damaged: of census {wrong[-1]} it does not hold {many}, but {held.get(wrong[-1], 0):,}{others}; "
        f"{RESTORE}, or retire what is lost: kafka-census maintain --cluster NAME --retire {wrong[-1]} --apply"
    )


def lost_table(table: str, example: str) -> str:
    """The line for a table that is not there, though `publications` has censuses of it, such as the example."""
    return f"{table} is lost: it is not there, and audit/publications says that census {example} is in it; {RESTORE}"


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
