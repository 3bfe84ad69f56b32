"""The newest census of a cluster that the gate refused.

A person who looks at night wants what was found last, also where the gate kept it from readers. `audit/refusals` says
of each table of such a census what `publications` would have said. Releases before that table left none.
"""

from collections.abc import Collection, Iterable, Mapping

from kafka_census.declarations.freshness import AFTERWARDS
from kafka_census.reading.newer import Event

_OVER = ("published", *AFTERWARDS)
"""Events after which a refusal does not count: readers see the census, or maintenance may have deleted its rows."""


def last_steps(events: Iterable[Event]) -> Mapping[str, Event]:
    """The last step of each census that readers do not see, by its id."""
    last: dict[str, Event] = {}
    over = set()
    for event in sorted(events, key=lambda event: event.at):
        if event.event in _OVER:
            over.add(event.census_id)
        if event.event != "failed":
            last[event.census_id] = event
    return {census_id: event for census_id, event in last.items() if census_id not in over}


def newest_refused(refused: Collection[str], events: Iterable[Event], after: str = "") -> Event | None:
    """The refusal of the newest census whose last step it is, if the census's id is greater than `after`; else None.

    refused  the ids of censuses of the cluster in `refusals`
    events   of these censuses
    """
    standing = [event for event in last_steps(events).values() if event.event == "refused"]
    found = [event for event in standing if event.census_id in refused and event.census_id > after]
    return max(found, key=lambda event: event.census_id, default=None)
