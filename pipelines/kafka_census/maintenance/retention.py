"""Which censuses stay and which go: a rule over what the audit tables say, without Spark.

A published census is visible until it is retired. It stays while it is younger than
`every`; after that while it is, for one of its tables, the last of its UTC day, until it
is as old as `daily`. Whatever its age, the last census of a cluster and table stays, unless an
operator has retired it by its id.
Applied often or seldom, the rule leaves the same: what it retires, it would never miss.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from kafka_census.census import Census


@dataclass(frozen=True)
class Retention:
    """How long things are kept; ages count from the start of a census, `grace` from when it was last touched.

    landed         landed pages
    every          every published census
    daily          the last published census of each UTC day
    grace          rows of a census that nobody can see (any more)
    resume_within  the age until which an unfinished census may go on
    """

    landed: timedelta
    every: timedelta
    daily: timedelta
    grace: timedelta
    resume_within: timedelta


@dataclass(frozen=True)
class Known:
    """One census, as the audit tables have it.

    visible_in  the tables in which readers see it; none: it was retired, or never published
    touched_at  its last event before it was cleared: published, refused, failed, retired
    retired     whether it was said to go from its tables
    cleared     whether its landed pages were said to go
    published   whether it was said to be published
    """

    census: Census
    visible_in: frozenset[str]
    touched_at: datetime
    retired: bool = False
    cleared: bool = False
    published: bool = False


def to_retire(known: Iterable[Known], rules: Retention, now: datetime) -> tuple[Known, ...]:
    """Visible censuses that are to be hidden, the oldest first; those of which that was said and not done, too."""
    visible = sorted((one for one in known if one.visible_in), key=_id)
    staying = [one for one in visible if not one.retired]
    last = _last(staying, by_day=False)
    last_of_day = _last(staying, by_day=True)
    return tuple(
        one
        for one in visible
        if one.retired
        or (one.census.census_id not in last and not _stays(one, now - one.census.started_at, rules, last_of_day))
    )


def to_clear(known: Iterable[Known], rules: Retention, now: datetime) -> tuple[Known, ...]:
    """Censuses whose landed pages are too old, and of which that was not said yet."""
    old = (one for one in known if not one.cleared and now - one.census.started_at > rules.landed)
    return tuple(sorted(old, key=_id))


def removable(known: Iterable[Known], rules: Retention, now: datetime) -> frozenset[str]:
    """Censuses whose rows nobody sees and nobody will go on with: retired, or refused or left unfinished and cleared.

    While its landed pages are there, a census that was never published may still be judged, or computed again.
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


def _last(visible: Iterable[Known], *, by_day: bool) -> frozenset[str]:
    """The last census of each cluster and table, of each day or of all time; `visible` is in order."""
    last: dict[tuple[object, ...], str] = {}
    for one in visible:
        day = one.census.started_at.astimezone(UTC).date() if by_day else None
        for table in one.visible_in:
            last[one.census.cluster_id, table, day] = one.census.census_id
    return frozenset(last.values())
