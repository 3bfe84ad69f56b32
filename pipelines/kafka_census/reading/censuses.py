"""The censuses of a path lake and what became of them, without Spark: what the choice of a census asks."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from kafka_census.lake.cluster_key import KEY
from kafka_census.reading.delta_tables import NotThere, read
from kafka_census.reading.newer import Event
from kafka_census.reading.without_spark import PublishedLake

Record = Mapping[str, Any]
"""A row of an audit table, structs as mappings."""


class LakeCensuses:
    """A folder, a URI for deltalake, or an opened lake. Each table is read as it was when it was opened first.

    at  an aware time after which nothing was published or noted yet, for this reader; None: now
    """

    def __init__(self, lake: str | PublishedLake, at: datetime | None = None) -> None:
        """Open nothing yet."""
        self._at = at
        self._tables = lake if isinstance(lake, PublishedLake) else PublishedLake(lake)

    @property
    def root(self) -> str:
        """The address of the lake."""
        return self._tables.root

    def showing(self, census_id: str) -> PublishedLake:
        """The lake as if this census were published, from the tables that were opened here."""
        return self._tables.showing(census_id)

    def require_there(self) -> None:
        """Raises NotThere where there is neither a publication nor the record of a census: it may be no lake."""
        try:
            _ = self._tables.publications
        except NotThere:
            if self._tables.events is None and not self._tables.refused:
                raise

    def published(self, names: Collection[str]) -> Sequence[Record]:
        """The rows of `publications` of the last census of each cluster id and name; of these names, or of all."""
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            lasts = self._tables.lasts if self._at is None else self._tables.lasts_at(self._at)
        except NotThere:
            return []
        mine = {(last.cluster_id, last.census_id) for last in lasts if not names or last.cluster in names}
        # For an empty list pyarrow would lose the type of text.
        of_mine = pc.field("census_id").isin(pa.array([census_id for _, census_id in mine], pa.string()))
        rows = self._tables.publications
        found = read(rows, rows.schema.names, of_mine).to_pylist()
        return [row for row in found if (row[KEY], row["census_id"]) in mine]

    def refused(self) -> Sequence[Record]:
        """`census_id`, `cluster_id` and `cluster` of each census in `refusals`."""
        return self._tables.refused

    def refusal(self, census_id: str) -> Sequence[Record]:
        """The rows of the last refusal of a census, in the columns of `publications`."""
        rows = self._tables.refusal(census_id)
        return [] if rows is None else rows.to_pylist()

    def events(self, since: str) -> Mapping[str, Sequence[Event]]:  # noqa: ARG002
        """The events of all censuses, by the name that the cluster had."""
        at, events = self._at, self._tables.events or {}
        if at is None:
            return events
        return {name: [each for each in those if each.at <= at] for name, those in events.items()}
