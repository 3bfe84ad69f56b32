"""Which censuses are kept: a rule over the facts in the audit tables, without Spark.

A published census is visible until it is retired. It is kept while it is younger than
`every`; after that, while it is the last of its UTC day for one of its tables, until it
is as old as `daily`. Whatever its age, the last census of a cluster and table is kept, unless an
operator has retired it by its id. A cluster is its id and its present name: in lakes of earlier releases
two clusters may have one id (`lake.cluster_key`).
The result does not depend on how often the rule is applied.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from kafka_census.declarations.census import Census


@dataclass(frozen=True)
class Retention:
    """How long data is kept; ages count from the start of a census, `grace` from its last event.

    landed         landed pages
    every          every published census
    daily          the last published census of each UTC day
    grace          rows of a census that readers cannot see (any more)
    resume_within  the age until which an unfinished census may be resumed
    present        the present name of a cluster by each of its former names
    """

    landed: timedelta
    every: timedelta
    daily: timedelta
    grace: timedelta
    resume_within: timedelta
    present: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Known:
    """One census, according to the audit tables.

    visible_in  the tables in which readers see it; empty: it was retired, or never published
    touched_at  its last event before it was cleared: published, refused, failed, retired
    retired     whether `census_runs` records it as retired
    cleared     whether `census_runs` records its landed pages as cleared
    published   whether `census_runs` records it as published
    """

    census: Census
    visible_in: frozenset[str]
    touched_at: datetime
    retired: bool = False
    cleared: bool = False
    published: bool = False


def to_retire(known: Iterable[Known], rules: Retention, now: datetime) -> tuple[Known, ...]:
    """Visible censuses to hide, the oldest first; also those recorded as retired that are still visible."""
    visible = sorted((one for one in known if one.visible_in), key=_id)
    staying = [one for one in visible if not one.retired]
    last = _last(staying, rules, by_day=False)
    last_of_day = _last(staying, rules, by_day=True)
    return tuple(
        one
        for one in visible
        if one.retired
        or (one.census.census_id not in last and not _stays(one, now - one.census.started_at, rules, last_of_day))
    )


def to_clear(known: Iterable[Known], rules: Retention, now: datetime) -> tuple[Known, ...]:
    """Censuses whose landed pages are too old, and that are not recorded as cleared yet."""
    old = (one for one in known if not one.cleared and now - one.census.started_at > rules.landed)
    return tuple(sorted(old, key=_id))


def removable(known: Iterable[Known], rules: Retention, now: datetime) -> frozenset[str]:
    """Censuses whose rows are neither visible nor needed: retired, or refused or unfinished with cleared pages.

    While its landed pages are kept, a census that was never published may still be judged, or computed again.
    """
    return frozenset(
        one.census.census_id
        for one in known
        if not one.visible_in
        and (one.published or one.retired or now - one.census.started_at > rules.landed)
        and now - one.touched_at > rules.grace
        and now - one.census.started_at > rules.resume_within
    )


def _id(one: Known) -> str:
    return one.census.census_id


def _stays(one: Known, age: timedelta, rules: Retention, last_of_day: frozenset[str]) -> bool:
    return age <= rules.every or (age <= rules.daily and one.census.census_id in last_of_day)


def _last(visible: Iterable[Known], rules: Retention, *, by_day: bool) -> frozenset[str]:
    """Ids of the last census of each cluster and table, per UTC day or of all time; `visible` is in order."""
    last: dict[tuple[object, ...], str] = {}
    for one in visible:
        day = one.census.started_at.astimezone(UTC).date() if by_day else None
        name = rules.present.get(one.census.cluster, one.census.cluster)
        for table in one.visible_in:
            last[one.census.cluster_id, name, table, day] = one.census.census_id
    return frozenset(last.values())
