"""Which census of each cluster a report is about: the newest computed one, also where the gate refused it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from kafka_census.census.gate.policy import GatePolicy
from kafka_census.declarations.census import Shows, started_at
from kafka_census.declarations.freshness import SHOWN_BY_REPORT
from kafka_census.errors import ConfigError
from kafka_census.lake.cluster_key import EVERY, KEY, Names
from kafka_census.lake.runs import GONE
from kafka_census.reading.newer import Event, newer
from kafka_census.reading.refused import last_steps, newest_refused
from kafka_census.reading.report.source import Record, Source
from kafka_census.reading.report.summary import Refusal, Report, refusal_of, report_of

_Cluster = tuple[str, str]
"""Its id, and its present name."""


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


def censuses(source: Source, choice: Choice, now: datetime | None) -> Sequence[Report | Refusal]:
    """The chosen census of each cluster, in the order of their ids and names; empty where there is none.

    now  None at the end of a job that has published its census: neither its age nor other censuses are looked at

    Raises ConfigError for a cluster without censuses, and for a census that has no refusal to show.
    """
    published = _published(source, choice.names)
    if now is None:
        return [report_of(source, rows, choice.limit) for _, rows in sorted(published.items())]
    refused = _refused(source, choice)
    known = sorted({*published, *refused})
    of_all = choice.shows == "unpublished" or not published or len(known) > len(published)
    since = "" if of_all else min(rows[0]["census_id"] for rows in published.values())
    events = _events(source, choice.names, since)
    if choice.names.of_one and not known and not events:
        cluster = choice.names.of_one[0]
        raise ConfigError(f"cluster '{cluster}' has no census in this lake; survey it first: kafka-census run")
    if choice.shows == "unpublished":
        _require_judged(choice, {one for ids in refused.values() for one in ids}, events)
    found = (
        _of_cluster(source, choice, now, published.get(each, ()), refused.get(each, set()), events.get(each[1], ()))
        for each in known
    )
    return [census for census in found if census is not None]


def _of_cluster(
    source: Source,
    choice: Choice,
    now: datetime,
    published: Sequence[Record],
    refused: set[str],
    events: Sequence[Event],
) -> Report | Refusal | None:
    """The chosen census of a cluster.

    published  the rows of the census that readers see; empty without one
    refused    the censuses that have a refusal
    """
    seen = published[0]["census_id"] if published else ""
    wanted = refused & {choice.census_id} if choice.census_id else refused - {seen}
    last = newest_refused(wanted, events, seen if choice.shows == "computed" else "")
    if last is not None:
        rows = source.refusal(last.census_id)
        refusal = refusal_of(source, rows, published, choice.limit, choice.policy)
        later = newer(events, last.census_id)
        return replace(refusal, at=last.at, newer=later, now=now, max_age=choice.max_age)
    if not published or choice.shows == "unpublished":
        return None
    report = report_of(source, published, choice.limit)
    return replace(report, newer=newer(events, seen), now=now, max_age=choice.max_age)


def _published(source: Source, names: Names) -> Mapping[_Cluster, Sequence[Record]]:
    """The rows of the last published census of each cluster."""
    found: dict[_Cluster, list[Record]] = {}
    for row in source.published(names.of_one):
        of = found.setdefault(_cluster(row, names), [])
        if of and of[0]["census_id"] < row["census_id"]:  # under an earlier name
            of.clear()
        if not of or of[0]["census_id"] == row["census_id"]:
            of.append(row)
    return found


def _refused(source: Source, choice: Choice) -> Mapping[_Cluster, set[str]]:
    """The ids of the censuses of each cluster that were refused."""
    found: dict[_Cluster, set[str]] = {}
    for row in source.refused() if choice.shows != "published" else ():
        if not choice.names.of_one or row["cluster"] in choice.names.of_one:
            found.setdefault(_cluster(row, choice.names), set()).add(row["census_id"])
    return found


def _events(source: Source, names: Names, since: str) -> Mapping[str, Sequence[Event]]:
    """The events of each cluster, by its present name."""
    found: dict[str, list[Event]] = {}
    for name, events in source.events(since).items():
        if not names.of_one or name in names.of_one:
            found.setdefault(names.present.get(name, name), []).extend(events)
    return found


def _cluster(row: Record, names: Names) -> _Cluster:
    return row[KEY], names.present.get(row["cluster"], row["cluster"])


def _require_judged(choice: Choice, refused: set[str], events: Mapping[str, Sequence[Event]]) -> None:
    """Raise ConfigError where the census to show was not refused, or its refusal is not in the lake."""
    every = [event for some in events.values() for event in some]
    steps = {census_id: event.event for census_id, event in last_steps(every).items()}
    computed = [census_id for census_id, step in steps.items() if step in SHOWN_BY_REPORT]
    census_id = choice.census_id or max(computed, default=None)
    if census_id is None:
        return
    started_at(census_id)
    cluster = choice.names.of_one[0]
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
