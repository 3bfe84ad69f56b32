"""Which census a page shows, and what it says first: its age, whether readers see it, and what came after it.

A person wants the newest census that was computed, also where the gate refused it; the page is marked then.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any

from kafka_census.clock import Clock
from kafka_census.declarations.census import Shows
from kafka_census.errors import ConfigError
from kafka_census.reading.delta_tables import NotThere, read
from kafka_census.reading.newer import age, ago, is_stale
from kafka_census.reading.refused import newest_refused
from kafka_census.reading.without_spark import PublishedLake

_COLUMNS = ("cluster", "cluster_id", "census_id", "table_name", "is_complete", "published_at")
_Row = Mapping[str, Any]


@dataclass(frozen=True)
class Head:
    """The identity of a census.

    cluster  the present name of the cluster; `names` are those under which its censuses are in the lake
    at       when it was published or refused; aware
    age      how long ago that was
    later    a line about a newer census, which is neither shown nor published; None without
    tables   whether each table is complete
    refused  why the gate keeps the census from readers; None: it is published
    still    of a refused census: which census readers see, and how old that is
    stale    whether it is older than `schedule.max_age`
    """

    cluster: str
    cluster_id: str
    names: tuple[str, ...]
    census_id: str
    at: datetime
    age: str
    later: str | None
    tables: dict[str, bool]
    refused: str | None = None
    still: str = ""
    stale: bool = False

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Tables that are not complete."""
        return tuple(sorted(table for table, complete in self.tables.items() if not complete))

    @property
    def is_last_word(self) -> bool:
        """Whether the census is published and not stale, and no newer census is known."""
        return self.refused is None and self.later is None and not self.stale

    @property
    def calm(self) -> str:
        """The sentence for a census that shows no problem."""
        if self.refused is not None:
            return "No other problem was found in what this census could look at."
        return f"Nothing {'is' if self.is_last_word else 'was'} wrong in what this census looked at."


def choose(
    root: str,
    cluster: str | None,
    at: datetime | None,
    present: Mapping[str, str],
    shows: Shows,
    max_age: timedelta | None,
) -> tuple[Head, PublishedLake]:
    """The head of a census, and the lake in which it is the last one. With a time, only published censuses count.

    Raises as `read.read_page` does.
    """
    lake, now = PublishedLake(root), at or Clock().now()
    published, refusals = _censuses(lake, at, shows)
    clusters = [row["cluster"] for row in (*published, *refusals)]
    name = _one_of(sorted({present.get(each, each) for each in clusters}), cluster, root, at)
    names = tuple(sorted({each for each in clusters if present.get(each, each) == name}))
    last = max((row for row in published if row["cluster"] in names), key=itemgetter("census_id"), default=None)
    ids = [row["census_id"] for row in refusals if row["cluster"] in names]
    events = [event for each in names if ids for event in (lake.events or {}).get(each, ())]
    refused = newest_refused(ids, events, last["census_id"] if last else "")
    rows = lake.refusal(refused.census_id) if refused else None
    if refused and rows is not None:
        head = _head(lake, name, names, rows.select(_COLUMNS).to_pylist(), now, at)
        still = "This cluster has no published census yet."
        if last:
            still = (
                f"Readers still see census {last['census_id']}, published {age(last['published_at'], now, max_age)}."
            )
        why = refused.detail or "the gate refused it"
        return replace(head, refused=why, still=still), lake.showing(refused.census_id)
    if last is None or shows == "unpublished":
        raise ConfigError(f"no census of cluster {name} in {root} was refused after the last published one")
    of_last = (last["census_id"], last["cluster_id"])
    shown = [row for row in published if (row["census_id"], row["cluster_id"]) == of_last]
    head = _head(lake, name, names, shown, now, at)
    return replace(head, age=age(head.at, now, max_age), stale=is_stale(head.at, now, max_age)), lake


def clusters_of(root: str, at: datetime | None, present: Mapping[str, str], shows: Shows) -> list[str]:
    """The present names of all clusters with a census that can be chosen. Raises CorruptLake."""
    return sorted(
        {present.get(row["cluster"], row["cluster"]) for of in _censuses(PublishedLake(root), at, shows) for row in of}
    )


def _censuses(lake: PublishedLake, at: datetime | None, shows: Shows) -> tuple[Sequence[_Row], Sequence[_Row]]:
    """The rows of publications, and of refusals, among which a census is chosen."""
    refusals = lake.refused if shows != "published" and at is None else []
    published = [row for row in _published(lake, bool(refusals)) if at is None or row["published_at"] <= at]
    return published, refusals


def _published(lake: PublishedLake, else_none: bool) -> list[_Row]:
    """The rows of `publications`; none where nothing was published and something was refused."""
    try:
        rows: list[_Row] = read(lake.publications, _COLUMNS).to_pylist()
    except NotThere:
        if not else_none:
            raise
        rows = []
    return rows


def _one_of(names: Sequence[str], cluster: str | None, root: str, at: datetime | None) -> str:
    """The cluster that is asked for among those that the lake has. Raises ConfigError."""
    if not names:
        when = "yet" if at is None else f"by {at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        raise ConfigError(f"nothing was published in {root} {when}")
    if cluster is None and len(names) > 1:
        raise ConfigError(f"{root} has several clusters, {', '.join(names)}: name one with --cluster")
    if cluster is not None and cluster not in names:
        raise ConfigError(f"no census of a cluster {cluster} is published in {root}; it has {', '.join(names)}")
    return cluster or names[0]


def _head(
    lake: PublishedLake, name: str, names: tuple[str, ...], rows: Sequence[_Row], now: datetime, at: datetime | None
) -> Head:
    made = max(row["published_at"] for row in rows)
    census_id = rows[0]["census_id"]
    return Head(
        cluster=name,
        cluster_id=rows[0]["cluster_id"],
        names=names,
        census_id=census_id,
        at=made,
        age=ago(made, now),
        later=lake.later(names, census_id, at),
        tables={row["table_name"]: bool(row["is_complete"]) for row in rows},
    )
