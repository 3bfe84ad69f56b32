"""How old the censuses are that the views show, and what became of newer ones: a line per cluster, from `freshness`."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from kafka_census.reading.newer import Event, ago
from kafka_census.reading.sql.session import Session
from kafka_census.reading.without_spark import PublishedLake

MOST = 5
"""Largest number of clusters that are named, those with a newer census first."""

State = tuple[str, ...]
"""What is told of a cluster, without its age."""


def ages(
    session: Session, lake: PublishedLake, present: Mapping[str, str], now: datetime, as_of: str = ""
) -> Iterator[tuple[State, str]]:
    """What is told of each cluster, and the line that tells it.

    present  the present name of a cluster by each of its former names
    now      the aware time as of which the lake is shown, which `as_of` says after the name of a cluster
    """
    order = "newer_state IS NULL, published_at, cluster"
    [found] = session.results(f"SELECT * FROM freshness ORDER BY {order}", lake)
    rows: list[dict[str, Any]] = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    for row in rows[:MOST]:
        state = tuple(str(row[name]) for name in ("cluster_id", "census_id", "newer_census_id", "newer_event"))
        yield state, f"cluster {present.get(row['cluster'], row['cluster'])}{as_of}: {'. '.join(_said(row, now))}"
    if len(rows) > MOST:
        yield (str(len(rows)),), f"{len(rows) - MOST} more clusters are in the view freshness"


def _said(row: Mapping[str, Any], now: datetime) -> Iterator[str]:
    shown = row["census_id"] and f"census {row['census_id']}, published {ago(row['published_at'], now)}"
    yield shown or "no census is published"
    if row["newer_census_id"]:
        newer = Event(row["newer_census_id"], row["newer_event"], row["newer_at"], row["newer_reason"])
        yield newer.line(now)
        yield f"See: {row['newer_see']}"
    elif row["newer_state"]:
        yield "Whether a newer census was refused is not known: audit/census_runs is not there"
