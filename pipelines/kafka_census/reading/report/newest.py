"""Which census of each cluster a report is about: the newest computed one, also where the gate refused it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol

from kafka_census.census.gate.policy import GatePolicy
from kafka_census.declarations.census import Shows, started_at
from kafka_census.declarations.freshness import GONE
from kafka_census.errors import ConfigError
from kafka_census.lake.cluster_key import EVERY, KEY, Names
from kafka_census.reading.censuses import Record
from kafka_census.reading.newer import Event, newer
from kafka_census.reading.refused import last_steps, newest_refused

_Cluster = tuple[str, str]
"""Its id, and its present name."""

_COMPUTED = ("staged", "gated", "refused")
"""The last steps of censuses whose rows are there, and that are not published."""


@dataclass(frozen=True)
class Choice:
    """What a report is about, and what is read of it.

    names      the names of one cluster, or `EVERY`
    shows      the newest computed census, the last published one, or the newest computed one that is not published
    census_id  instead of the newest one that is not published
    limit      rows of each table; 0: tables are only counted
    policy     by which a refusal is explained
    max_age    the age at which a published census is stale; None: never
    """

    names: Names = EVERY
    shows: Shows = "computed"
    census_id: str | None = None
    limit: int = 0
    policy: GatePolicy = field(default_factory=GatePolicy)
    max_age: timedelta | None = None


class Censuses(Protocol):
    """The censuses of a lake, and what became of them."""

    def published(self, names: Collection[str]) -> Sequence[Record]:
        """The rows of `publications` of the last census of each cluster id and name; of these names, or of all."""

    def refused(self) -> Sequence[Record]:
        """`census_id`, `cluster_id` and `cluster` of each census in `refusals`."""

    def refusal(self, census_id: str) -> Sequence[Record]:
        """The rows of the last refusal of a census, in the columns of `publications`."""

    def events(self, since: str) -> Mapping[str, Sequence[Event]]:
        """The events of a census and of later ones, by the name that the cluster had."""


@dataclass(frozen=True)
class Chosen:
    """The census of a cluster that a reader shows.

    cluster, cluster_id  the present name of the cluster, and Kafka's own id
    names      the names that the cluster has in the lake
    rows       its rows of `publications`, or of its last refusal
    published  the rows of `publications` of the census that readers see; empty without one
    refused    its refusal; None: readers see it
    newer      the newest census of the cluster, where it is not this one, and not published
    """

    cluster: str
    cluster_id: str
    names: tuple[str, ...]
    rows: Sequence[Record]
    published: Sequence[Record]
    refused: Event | None = None
    newer: Event | None = None


def choose(source: Censuses, choice: Choice, now: datetime | None) -> Sequence[Chosen]:
    """The census of each cluster, in the order of their ids and names; empty where there is none.

    now  None at the end of a job that has published its census: neither its age nor other censuses are looked at

    Raises ConfigError for a cluster without censuses, for several clusters where one is asked for, and for a census
    that has no refusal to show.
    """
    published = _by_cluster(source.published(choice.names.of_one), choice.names)
    if now is None:
        return [_published(each, rows) for each, rows in sorted(published.items())]
    refused = _by_cluster(source.refused() if choice.shows != "published" else (), choice.names)
    known = sorted({*published, *refused})
    of_all = choice.shows == "unpublished" or not published or len(known) > len(published)
    since = "" if of_all else min(rows[0]["census_id"] for rows in map(_last, published.values()))
    events = _events(source, choice.names, since)
    cluster = next(iter(choice.names.of_one), None)
    if cluster and not known and not events:
        raise ConfigError(
            f"cluster '{cluster}' has no census in this lake; survey it first: kafka-census run --cluster {cluster}"
        )
    if choice.shows == "unpublished":
        cluster = cluster or only_cluster({*events, *(name for _, name in known)})
        _require_judged(choice, cluster, {row["census_id"] for rows in refused.values() for row in rows}, events)
    found = (
        _newest(
            source, choice, _published(each, published.get(each, ())), refused.get(each, ()), events.get(each[1], ())
        )
        for each in known
    )
    return [chosen for chosen in found if chosen.rows]


def nothing(choice: Choice) -> str:
    """A line for a choice of which there is no census."""
    if choice.shows == "unpublished":
        whose = f"cluster '{choice.names.of_one[0]}'" if choice.names.of_one else "this lake"
        return f"none of the last censuses of {whose} was computed and not published"
    return "nothing is published in this lake yet"


def only_cluster(names: Collection[str]) -> str:
    """The name of the only cluster; empty without any. Raises ConfigError for several."""
    if len(names) > 1:
        raise ConfigError(f"the lake has several clusters, {', '.join(sorted(names))}: name one with --cluster")
    return next(iter(names), "")


def _newest(
    source: Censuses, choice: Choice, seen: Chosen, refusals: Sequence[Record], events: Sequence[Event]
) -> Chosen:
    """The census that is chosen of a cluster; without rows where there is none.

    seen      the census that readers see
    refusals  `census_id` and `cluster` of the censuses that have a refusal
    """
    last = seen.rows[0]["census_id"] if seen.rows else ""
    names = tuple(sorted({*seen.names, *(row["cluster"] for row in refusals)}))
    wanted = {row["census_id"] for row in refusals} - {last}
    if choice.census_id:
        wanted &= {choice.census_id}
    refused = newest_refused(wanted, events, last if choice.shows == "computed" else "")
    if refused is not None:
        rows = source.refusal(refused.census_id)
        return replace(seen, names=names, rows=rows, refused=refused, newer=newer(events, refused.census_id))
    return replace(
        seen, names=names, rows=seen.rows if choice.shows != "unpublished" else (), newer=newer(events, last)
    )


def _published(of: _Cluster, rows: Sequence[Record]) -> Chosen:
    """The last of these published censuses of a cluster."""
    last = _last(rows)
    return Chosen(of[1], of[0], tuple(sorted({row["cluster"] for row in rows})), last, last)


def _last(rows: Sequence[Record]) -> Sequence[Record]:
    """The rows of the last of these censuses: earlier ones are those of an earlier name."""
    last = max((row["census_id"] for row in rows), default=None)
    return [row for row in rows if row["census_id"] == last]


def _by_cluster(rows: Iterable[Record], names: Names) -> Mapping[_Cluster, Sequence[Record]]:
    """The rows of each cluster, or of the one that is read."""
    found: dict[_Cluster, list[Record]] = {}
    for row in rows:
        if not names.of_one or row["cluster"] in names.of_one:
            found.setdefault((row[KEY], names.present.get(row["cluster"], row["cluster"])), []).append(row)
    return found


def _events(source: Censuses, names: Names, since: str) -> Mapping[str, Sequence[Event]]:
    """The events of each cluster, by its present name."""
    found: dict[str, list[Event]] = {}
    for name, events in source.events(since).items():
        if not names.of_one or name in names.of_one:
            found.setdefault(names.present.get(name, name), []).extend(events)
    return found


def _require_judged(choice: Choice, cluster: str, refused: set[str], events: Mapping[str, Sequence[Event]]) -> None:
    """Raise ConfigError where the census to show was not refused, or its refusal is not in the lake."""
    every = [event for some in events.values() for event in some]
    steps = {census_id: event.event for census_id, event in last_steps(every).items()}
    computed = [census_id for census_id, step in steps.items() if step in _COMPUTED]
    census_id = choice.census_id or max(computed, default=None)
    if census_id is None:
        return
    started_at(census_id)
    of = {event.event for event in every if event.census_id == census_id}
    if not of:
        raise ConfigError(f"cluster '{cluster}' has no census {census_id} in this lake")
    gone = "is published" if "published" in of else next((why for event, why in GONE.items() if event in of), None)
    nothing = "it has nothing unpublished to report"
    why = {
        "staged": f"is computed and was not judged: kafka-census gate --cluster {cluster}",
        "gated": f"passed the gate and is not published: kafka-census publish --cluster {cluster}",
        "refused": f"was refused by a release that did not keep why: kafka-census gate --cluster {cluster}",
    }.get(steps.get(census_id, ""), f"is not computed yet: {nothing}")
    if gone or census_id not in refused or steps.get(census_id) != "refused":
        raise ConfigError(f"census {census_id} of {cluster} {f'{gone}: {nothing}' if gone else why}")
