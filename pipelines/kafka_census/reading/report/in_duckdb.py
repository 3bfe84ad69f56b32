"""A path lake without Spark: the logs of its tables by deltalake, their rows by DuckDB. No JVM starts."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import TimestampType

from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS, REFUSALS, VERDICTS
from kafka_census.declarations.table import Table
from kafka_census.declarations.view import View
from kafka_census.errors import CorruptLake
from kafka_census.lake import promised
from kafka_census.lake.cluster_key import KEY
from kafka_census.lake.lake import Lake
from kafka_census.reading.delta_tables import NotThere, read
from kafka_census.reading.newer import Event
from kafka_census.reading.of_owner import require_owner
from kafka_census.reading.report.source import Count, Lookup, Record, value
from kafka_census.reading.sql.session import Session
from kafka_census.reading.without_spark import PublishedLake

if TYPE_CHECKING:
    from pyarrow.compute import Expression
    from pyarrow.dataset import Dataset


class InDuckDB:
    """A `Source`: a folder, or a URI for deltalake. Each table is read as it was when it was opened first.

    at  an aware time after which nothing was published or noted yet, for this reader; None: now
    """

    def __init__(self, root: str, at: datetime | None = None, owner: str | None = None) -> None:
        """Open nothing yet; `owner` as `Source` has it."""
        self.lake = Lake(root=root)
        self.owner = owner
        self._at = at
        self._tables = PublishedLake(root)

    def showing(self, census_id: str) -> PublishedLake:
        """The lake as if this census were published, from the tables that this source has opened."""
        return self._tables.showing(census_id)

    def require_there(self) -> None:
        """Raises NotThere where there is neither a publication nor the record of a census: it may be no lake."""
        try:
            _ = self._tables.publications
        except NotThere:
            if self._tables.events is None and not self._tables.refused:
                raise

    def published(self, names: Collection[str]) -> Sequence[Record]:
        """As `Source` has it."""
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            lasts = self._tables.lasts if self._at is None else self._tables.lasts_at(self._at)
        except NotThere:
            return []
        mine = {(last.cluster_id, last.census_id) for last in lasts if not names or last.cluster in names}
        # For an empty list pyarrow would lose the type of text.
        of_mine = pc.field("census_id").isin(pa.array([census_id for _, census_id in mine], pa.string()))
        rows = self._read(PUBLICATIONS, self._tables.publications, of_mine)
        return [row for row in rows if (row[KEY], row["census_id"]) in mine]

    def refused(self) -> Sequence[Record]:
        """As `Source` has it."""
        return self._tables.refused

    def refusal(self, census_id: str) -> Sequence[Record]:
        """As `Source` has it."""
        rows = self._tables.refusal(census_id)
        if rows is None:
            return []
        _require_columns(PUBLICATIONS, rows.column_names, self._path(REFUSALS))
        found: list[Record] = rows.to_pylist()
        return found

    def events(self, since: str) -> Mapping[str, Sequence[Event]]:  # noqa: ARG002
        """As `Source` has it."""
        if self._tables.events is None and (self.published(()) or self.refused()):
            raise CorruptLake(
                f"{self._path(CENSUS_RUNS)} is lost: it is not there, and censuses are; {promised.RESTORE}"
            )
        at, events = self._at, self._tables.events or {}
        if at is None:
            return events
        return {name: [each for each in those if each.at <= at] for name, those in events.items()}

    def verdicts(self, cluster_id: str, census_id: str) -> Sequence[Record]:
        """As `Source` has it."""
        import pyarrow.compute as pc

        try:
            rows = self._tables.opened(VERDICTS.folder)
        except NotThere:
            return []
        return self._read(VERDICTS, rows, (pc.field("census_id") == census_id) & (pc.field(KEY) == cluster_id))

    def counted(
        self,
        census_id: str,
        sums: Sequence[tuple[View, Sequence[str]]],
        total: int,  # noqa: ARG002
    ) -> Mapping[str, Sequence[Count]]:
        """As `Source` has it, by a statement for each table."""
        answers = self._answers(census_id, [(view.table, _count(view, of)) for view, of in sums])
        return {
            view.table.name: [Count(group, rows, shown, tuple(totals)) for group, rows, shown, *totals in answer]
            for (view, _), answer in zip(sums, answers, strict=True)
        }

    def looked_up(self, census_id: str, lookups: Sequence[Lookup]) -> Mapping[str, Sequence[Any]]:
        """As `Source` has it, by a statement each."""
        answers = self._answers(census_id, [(each.table, _lookup(each)) for each in lookups])
        return {
            each.of: [list(row) if each.texts else _row(row, each.table) for row in answer]
            for each, answer in zip(lookups, answers, strict=True)
        }

    def _answers(self, census_id: str, asked: Sequence[tuple[Table, str]]) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of each statement, over `current_<table>` of a census."""
        lake = self._tables.showing(census_id)
        if self.owner is not None:
            require_owner(str(self.lake.root), census_id, lake, self.owner)
        for table in {table.name: table for table, _ in asked}.values():
            _require_columns(table, lake.opened(table.folder).schema.names, self._path(table))
        results = Session(str(self.lake.root), census_id, owner=self.owner).results(
            ";\n".join(sql for _, sql in asked), lake
        )
        return (list(result.rows) for result in results)

    def _read(self, table: Table, rows: "Dataset", which: "Expression") -> Sequence[Record]:
        _require_columns(table, rows.schema.names, self._path(table))
        found: list[Record] = read(rows, table.columns, which, self._path(table)).to_pylist()
        return found

    def _path(self, table: Table) -> str:
        return self.lake.path(table.layer, table.name)


def _require_columns(table: Table, found: Collection[str], path: str) -> None:
    lacking = [name for name in table.columns if name not in found]
    if lacking:
        raise CorruptLake(promised.older(path, f"column {lacking[0]} is missing"))


def _count(view: View, sums: Sequence[str]) -> str:
    totals = "".join(f",\n  sum(CAST({each} AS BIGINT))" for each in sums)
    return f"""SELECT CAST({view.group_by} AS STRING), count(*), count(CASE WHEN {view.only} THEN 1 END){totals}
FROM current_{view.table.name} GROUP BY 1"""


def _lookup(lookup: Lookup) -> str:
    columns = [
        f'epoch_us("{field.name}")' if isinstance(field.dataType, TimestampType) else f'"{field.name}"'
        for field in lookup.table.schema
    ]
    shown = [f"CAST({each} AS STRING)" for each in lookup.texts] or columns
    return f"""SELECT {", ".join(shown)} FROM current_{lookup.table.name} WHERE {lookup.where}
ORDER BY {", ".join(lookup.order)} LIMIT {lookup.limit}"""


def _row(found: Sequence[Any], table: Table) -> Any:
    return value(dict(zip(table.columns, found, strict=True)), table.schema)
