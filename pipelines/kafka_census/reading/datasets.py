"""Published censuses for Python: pyarrow datasets, and how fresh they are."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Self

from kafka_census.clock import Clock
from kafka_census.errors import ConfigError, Stale
from kafka_census.lake.cluster_key import mixed
from kafka_census.reading.delta_tables import require_files
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.terminal.human import human_time

if TYPE_CHECKING:
    from pyarrow.dataset import Dataset


@dataclass(frozen=True)
class Freshness:
    """How fresh the published census of a cluster is.

    age    the time since it was published
    newer  a line about a newer census, which was refused, failed or has not ended; None without
    """

    cluster_id: str
    cluster: str
    census_id: str
    published_at: datetime
    age: timedelta
    newer: str | None


class Current(tuple["Dataset", ...]):  # noqa: SLOT001 - a tuple has no room for slots
    """One dataset per requested table, and the `freshness` of each cluster in them."""

    freshness: tuple[Freshness, ...]

    def __new__(cls, datasets: Iterable["Dataset"], freshness: Iterable[Freshness]) -> Self:
        """Of these datasets."""
        made = super().__new__(cls, datasets)
        made.freshness = tuple(freshness)
        return made


def current(
    lake: str,
    *tables: str,
    storage_options: Mapping[str, str] | None = None,
    max_age: timedelta | None = None,
) -> Current:
    """The last published census of each cluster: one pyarrow dataset per table, all by the same publications.

    lake             the root of a path lake: a folder or a URI
    tables           names of published tables, such as group_lag
    storage_options  what deltalake needs for an object store, such as its credentials
    max_age          the greatest age of the published census of each cluster; None: any

    Needs the package deltalake (the extra `deltalake`). Warns where a cluster id has censuses under several names.
    Raises Stale where a census is older than `max_age`, and CorruptLake where nothing, or no such table, is published,
    where a table does not hold the rows that were published, and where a file of them is missing or has lost its end. A
    file that is damaged elsewhere raises what pyarrow raises when its rows are read.
    """
    published = PublishedLake(lake, storage_options)
    for line in mixed(published.lasts, {}):
        warnings.warn(line, stacklevel=2)
    found = _whole(lake, {table: published.current(table) for table in tables})
    fresh = _freshness(published, Clock().now())
    for each in fresh:
        if max_age is not None and each.age > max_age:
            more = f"; {each.newer}" if each.newer else ""
            since = f"{human_time(each.age)} ago, more than max_age ({human_time(max_age)})"
            raise Stale(f"census {each.census_id} of {each.cluster} was published {since}{more}")
    return Current(found, fresh)


def history(lake: str, *tables: str, storage_options: Mapping[str, str] | None = None) -> tuple["Dataset", ...]:
    """Every published census: one pyarrow dataset per table. Arguments and errors are those of `current`."""
    published = PublishedLake(lake, storage_options)
    return _whole(lake, {table: published.history(table) for table in tables})


def as_of(
    lake: str, at: datetime, *tables: str, storage_options: Mapping[str, str] | None = None
) -> tuple["Dataset", ...]:
    """The census of each cluster that was the last published one at an aware time: one pyarrow dataset per table.

    The other arguments and the errors are those of `current`; ConfigError for a time without a zone.
    """
    if at.tzinfo is None:
        raise ConfigError(f"the time {at} has no zone: write datetime(..., tzinfo=UTC)")
    published = PublishedLake(lake, storage_options)
    return _whole(lake, {table: published.current(table, at) for table in tables})


def _freshness(lake: PublishedLake, now: datetime) -> list[Freshness]:
    """Of each cluster, by its last name in the lake."""
    lasts = {last.cluster_id: last for last in sorted(lake.lasts, key=lambda last: last.census_id)}
    found = []
    for last in lasts.values():
        at = lake.published_at(last.census_id)
        newer = lake.later({last.cluster}, last.census_id)
        found.append(Freshness(last.cluster_id, last.cluster, last.census_id, at, max(now - at, timedelta()), newer))
    return found


def _whole(lake: str, rows: Mapping[str, "Dataset"]) -> tuple["Dataset", ...]:
    for table, found in rows.items():
        require_files(found, f"{lake}/published/{table}")
    return tuple(rows.values())
