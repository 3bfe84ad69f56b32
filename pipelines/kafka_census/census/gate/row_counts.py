"""The number of rows of a table, compared with the previously published census."""

from math import ceil, floor

from kafka_census.declarations.rules import Bounds
from kafka_census.declarations.thresholds import Thresholds
from kafka_census.lake.before import Before

KEPT, GROWN = "rows_are_kept", "rows_grow_slowly"


def bounds(table_name: str, before: Before | None, thresholds: Thresholds) -> list[Bounds]:
    """At most two; none for the first census, for a small table, and for a table whose rows come and go."""
    share = thresholds.keep_rows_of.get(table_name, thresholds.keep_rows)
    if before is None or before.rows < thresholds.keep_rows_from or share == 0:
        return []
    of = f"of the {before.rows:,} rows of census {before.census_id}"
    accepted = thresholds.accept_row_counts
    advice = "accepted by --accept-row-counts" if accepted else "if that is so, --accept-row-counts lets it pass"
    return [
        Bounds(
            KEPT,
            f"At least {share:.0%} {of} are still there; {advice}.",
            least=ceil(before.rows * share),
            severity="warning" if accepted else "critical",
        ),
        Bounds(
            GROWN,
            f"The table has not become more than {thresholds.grow_rows:g} times {of}.",
            most=floor(before.rows * thresholds.grow_rows),
            severity="warning",
        ),
    ]
