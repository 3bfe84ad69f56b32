"""The audit table `census_runs`: what each census did and when, one appended row per event.

Events, in the order of a successful census: started (or resumed), landed, staged, gated,
published. `refused` ends a census that a gate kept from readers; `failed` ends a run that an
error stopped, which may be resumed. Long afterwards maintenance records `retired` (readers
no longer see the census) and `cleared` (its landed pages are deleted).

Readers order events by time: where the clock went back, an event has the time just after the one before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from kafka_census import __version__
from kafka_census.clock import Clock
from kafka_census.declarations.audit import CENSUS_RUNS
from kafka_census.declarations.census import Census, checked, started_at
from kafka_census.declarations.freshness import GONE
from kafka_census.lake import history, store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame

_EPOCH, _TICK = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_ENDED = ("published", "refused")
_BESIDE = ("failed", *GONE)
"""Events that are not steps of a census."""

Times = tuple[str, datetime | None, datetime | None]
"""Table name, and when the first and the last answer that the table was computed from were received."""


@dataclass(frozen=True)
class Run:
    """One census in `census_runs`, and its events from first to last."""

    census: Census
    events: tuple[str, ...]

    @property
    def reached(self) -> str:
        """The last step that the census completed; nothing undoes a publication."""
        if "published" in self.events:
            return "published"
        return [event for event in ("started", *self.events) if event not in _BESIDE][-1]

    @property
    def gone(self) -> str | None:
        """Why no step can be run on the census any more; None while one can."""
        return next((why for event, why in GONE.items() if event in self.events), None)

    @property
    def ended(self) -> bool:
        """Whether the census was published or refused."""
        return self.reached in _ENDED


@dataclass(frozen=True)
class Runs:
    """`census_runs` of one lake."""

    spark: SparkSession
    lake: Lake
    clock: Clock
    _remembered: list[tuple[object, ...]] = field(default_factory=list, init=False)
    _last: dict[str, datetime] = field(default_factory=dict, init=False)

    def remember(self, census: Census, event: str, times: Sequence[Times] = ()) -> None:
        """Keep an event for the next commit by `note`: a commit costs more than its rows.

        For steps that a resumed census repeats anyway; a killed process loses these events.
        """
        self._remembered.append(self._row(census, event, None, times))

    def note(self, census: Census, event: str, detail: str | None = None, times: Sequence[Times] = ()) -> None:
        """Append one event of a census, after the remembered events."""
        rows = [*self._remembered, self._row(census, event, detail, times)]
        self._remembered.clear()
        frame = local_frame(self.spark, rows, CENSUS_RUNS.schema)
        at = self._last[census.census_id]
        app_id = f"{census.census_id}/census_runs/{event}/{at.timestamp():.6f}"
        store.append(frame, self.lake, CENSUS_RUNS, app_id, may_repeat=False)

    def _row(self, census: Census, event: str, detail: str | None, times: Sequence[Times]) -> tuple[object, ...]:
        ids = (census.census_id, census.cluster_id, census.cluster)
        at, last = self.clock.now().astimezone(UTC), self._last.get(census.census_id)
        self._last[census.census_id] = at = at if last is None else max(at, last + _TICK)
        return (*ids, event, at, list(census.tables), detail, __version__, list(times))

    def of(self, names: tuple[str, ...], limit: int = 20) -> Sequence[Run]:
        """The latest censuses under a cluster's names, latest first; empty where there is no lake yet."""
        return self._read(F.col("cluster").isin(*names), limit)

    def find(self, names: tuple[str, ...], census_id: str) -> Run | None:
        """One census under a cluster's names, or None."""
        found = self._read(F.col("cluster").isin(*names) & (F.col("census_id") == census_id), 1)
        return found[0] if found else None

    def _read(self, condition: Column, limit: int) -> Sequence[Run]:
        found = history.census_runs(self.spark, self.lake, store.readable)
        if found is None:
            return []
        rows = (
            found.where(condition)
            .groupBy("census_id", "cluster_id", "cluster")
            .agg(
                F.sort_array(F.collect_list(F.struct("at", "event"))).alias("events"),
                F.max_by("tables", "at").alias("tables"),
                F.max(F.unix_micros("at")).alias("last"),
            )
            .orderBy(F.desc("census_id"))
            .limit(limit)
            .collect()
        )
        for row in rows:
            # Remembered events are later than those of the lake.
            noted = _EPOCH + timedelta(microseconds=row.last)
            self._last[row.census_id] = max(noted, self._last.get(row.census_id, noted))
        return [
            Run(
                Census(
                    row.census_id,
                    row.cluster_id,
                    row.cluster,
                    started_at(checked(row.census_id, "audit/census_runs")),
                    tuple(row.tables),
                ),
                tuple(each.event for each in row.events),
            )
            for row in rows
        ]
