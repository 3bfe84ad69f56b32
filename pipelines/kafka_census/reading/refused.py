"""The newest census of a cluster that the gate refused, in the columns of `publications`.

A person who looks at night wants what was found last, also where the gate kept it from readers. `audit/refusals` says
of each table of such a census what `publications` would have said.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

from kafka_census.declarations.freshness import AFTERWARDS
from kafka_census.reading.newer import COLUMNS, Event

if TYPE_CHECKING:
    import pyarrow as pa

    from kafka_census.reading.without_spark import PublishedLake


def newest_refused(lake: "PublishedLake", names: Collection[str], after: str = "") -> "pa.Table | None":
    """A row per table of the newest refused census of a cluster, if its id is greater than `after`; else None.

    names  the names of the cluster in the lake

    A census that was published later, and one whose rows maintenance may have deleted, is passed over. None also for
    censuses of releases before `audit/refusals`. Raises CorruptLake.
    """
    import pyarrow.compute as pc

    if lake.refusals is None or lake.events is None:
        return None
    events = lake.events.filter(pc.field("event").isin(["published", *AFTERWARDS]))
    passed = events["census_id"].combine_chunks()
    mine = pc.field("cluster").isin(list(names)) & (pc.field("census_id") > after)
    rows = lake.refusals.filter(mine & ~pc.field("census_id").isin(passed))
    if not len(rows):
        return None
    rows = rows.filter(pc.field("census_id") == pc.max(rows["census_id"]))
    rows = rows.filter(pc.field("refused_at") == pc.max(rows["refused_at"]))
    return rows.rename_columns(["published_at" if name == "refused_at" else name for name in rows.column_names])


def refusal_of(lake: "PublishedLake", census_id: str) -> str:
    """Why the gate refused a census, in one line."""
    import pyarrow.compute as pc

    of = (pc.field("census_id") == census_id) & (pc.field("event") == "refused")
    events = lake.events.filter(of).select(COLUMNS).to_pylist() if lake.events is not None else []
    last = max((Event(**event) for event in events), key=lambda event: event.at, default=None)
    return (last and last.detail) or "the gate refused it"
