"""A census that began after the published one that a reader shows, and that is not published itself.

What is published may be long past: a census that was refused keeps its rows from readers. So every reader says how old
the published census is, and whether a newer one was refused, ended with an error, or has not ended. The view
`freshness` says the same in SQL (`declarations/freshness.py`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from kafka_census.declarations.freshness import AFTERWARDS, SHOWN_BY_REPORT
from kafka_census.terminal.human import human_time

COLUMNS = ("census_id", "event", "at", "detail")
"""The columns of `census_runs` that an `Event` has."""

_HOW = {"refused": "was refused", "failed": "ended with an error"}


@dataclass(frozen=True)
class Event:
    """An event of a census, as in `census_runs`; `at` is aware."""

    census_id: str
    event: str
    at: datetime
    detail: str | None

    def line(self, now: datetime) -> str:
        """What became of the census, as one line about a newer census."""
        how = _HOW.get(self.event, f"has not ended, and was {self.event}")
        why = f": {self.detail}" if self.detail and self.event in _HOW else ""
        return f"A newer census, {self.census_id}, {how} {ago(self.at, now)}{why}"

    @property
    def is_shown(self) -> bool:
        """Whether `kafka-census report --unpublished` shows the census."""
        return self.event == SHOWN_BY_REPORT


def newer(events: Iterable[Event], shown: str) -> Event | None:
    """The last event of the newest census after the one that is `shown`; None where none is, or that is published."""
    later = [event for event in events if event.census_id > shown and event.event not in AFTERWARDS]
    if not later:
        return None
    newest = max(event.census_id for event in later)
    its_events = [event for event in later if event.census_id == newest]
    if any(event.event == "published" for event in its_events):
        return None
    return max(its_events, key=lambda event: event.at)


def ago(at: datetime, now: datetime) -> str:
    """`3h 5m ago`; a time that is ahead is now."""
    return f"{human_time(max((now - at.astimezone(UTC)).total_seconds(), 0))} ago"


def age(at: datetime, now: datetime, max_age: timedelta | None) -> str:
    """`3h ago`, and that this is too long: `3h ago, more than schedule.max_age (2h)`."""
    stale = f", more than schedule.max_age ({human_time(max_age)})" if is_stale(at, now, max_age) else ""
    return f"{ago(at, now)}{stale}"


def is_stale(at: datetime, now: datetime, max_age: timedelta | None) -> bool:
    """Whether a census that was published at a time is older than `schedule.max_age`; None: never."""
    return max_age is not None and now - at > max_age
