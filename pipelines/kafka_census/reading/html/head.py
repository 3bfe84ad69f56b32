"""Which census a page shows, and what it says first: its age, whether readers see it, and what came after it.

A person wants the newest census that was computed, also where the gate refused it; the page is marked then.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from kafka_census.clock import Clock
from kafka_census.declarations.census import Shows
from kafka_census.errors import ConfigError
from kafka_census.lake.cluster_key import Names
from kafka_census.reading.censuses import LakeCensuses
from kafka_census.reading.newer import age, ago, is_stale
from kafka_census.reading.report import newest
from kafka_census.reading.report.newest import Choice, Chosen
from kafka_census.reading.without_spark import PublishedLake


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
    note     what the page leaves out; None: nothing
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
    note: str | None = None

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
    lake: str | PublishedLake,
    cluster: str | None,
    at: datetime | None,
    present: Mapping[str, str],
    shows: Shows,
    max_age: timedelta | None,
) -> tuple[Head, Chosen, LakeCensuses]:
    """The head of a census, the census, and the lake from which it was chosen. With a time, only published ones count.

    Raises as `read.read_page` does.
    """
    source, now = LakeCensuses(lake, at), at or Clock().now()
    source.require_there()
    of_one = (cluster, *(name for name, known in present.items() if known == cluster)) if cluster else ()
    choice = Choice(Names(of_one, present), shows if at is None else "published")
    found = newest.choose(source, choice, now)
    newest.only_cluster({each.cluster for each in found})
    if not found:
        when = "yet" if at is None else f"by {at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        nothing = newest.nothing(choice) if shows == "unpublished" else f"nothing was published in {source.root} {when}"
        raise ConfigError(nothing)
    last = max(found, key=lambda each: str(each.rows[0]["census_id"]))
    return _head(last, now, max_age), last, source


def clusters_of(lake: PublishedLake, at: datetime | None, present: Mapping[str, str], shows: Shows) -> list[str]:
    """The present names of all clusters with a census that can be chosen. Raises CorruptLake."""
    source = LakeCensuses(lake, at)
    source.require_there()
    choice = Choice(Names((), present), "published" if at or shows == "published" else "computed")
    return sorted({each.cluster for each in newest.choose(source, choice, at or Clock().now())})


def _head(chosen: Chosen, now: datetime, max_age: timedelta | None) -> Head:
    made = max(row["published_at"] for row in chosen.rows)
    head = Head(
        cluster=chosen.cluster,
        cluster_id=chosen.cluster_id,
        names=chosen.names,
        census_id=chosen.rows[0]["census_id"],
        at=made,
        age=ago(made, now),
        later=chosen.newer.line(now) if chosen.newer else None,
        tables={row["table_name"]: bool(row["is_complete"]) for row in chosen.rows},
    )
    if chosen.refused is None:
        return replace(head, age=age(made, now, max_age), stale=is_stale(made, now, max_age))
    still = "This cluster has no published census yet."
    if chosen.published:
        since = age(max(row["published_at"] for row in chosen.published), now, max_age)
        still = f"Readers still see census {chosen.published[0]['census_id']}, published {since}."
    return replace(head, refused=chosen.refused.detail or "the gate refused it", still=still)
