"""A path lake without Spark: the logs of its tables by deltalake, their rows by DuckDB. No JVM starts."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import TimestampType

from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS, REFUSALS, VERDICTS
from kafka_census.declarations.table import Table
from kafka_census.declarations.view import View
from kafka_census.errors import CorruptLake
from kafka_census.lake import promised
from kafka_census.lake.cluster_key import KEY
from kafka_census.lake.lake import Lake
from kafka_census.reading.censuses import LakeCensuses, Record
from kafka_census.reading.delta_tables import NotThere, read
from kafka_census.reading.newer import Event
from kafka_census.reading.of_owner import require_owner
from kafka_census.reading.report.source import Count, Lookup, value
from kafka_census.reading.sql.session import Session

if TYPE_CHECKING:
    from pyarrow.compute import Expression
    from pyarrow.dataset import Dataset


class InDuckDB(LakeCensuses):
    """A `Source`: the censuses of a path lake, and their rows. What a release of before left is refused."""

    def __init__(self, root: str, owner: str | None = None) -> None:
        """Open nothing yet; `owner` as `Source` has it."""
        super().__init__(root)
        self.lake = Lake(root=root)
        self.owner = owner

    def published(self, names: Collection[str]) -> Sequence[Record]:
        """As `Source` has it."""
        with suppress(NotThere):
            _require_columns(PUBLICATIONS, self._tables.publications.schema.names, self._path(PUBLICATIONS))
        return super().published(names)

    def refusal(self, census_id: str) -> Sequence[Record]:
        """As `Source` has it."""
        rows = self._tables.refusal(census_id)
        if rows is not None:
            _require_columns(PUBLICATIONS, rows.column_names, self._path(REFUSALS))
        return super().refusal(census_id)

    def events(self, since: str) -> Mapping[str, Sequence[Event]]:
        """As `Source` has it."""
        if self._tables.events is None and (self.published(()) or self.refused()):
            raise CorruptLake(
                f"{self._path(CENSUS_RUNS)} is lost: it is not there, and censuses are; {promised.RESTORE}"
            )
        return super().events(since)

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
            require_owner(lake, census_id, self.owner)
        for table in {table.name: table for table, _ in asked}.values():
            _require_columns(table, lake.opened(table.folder).schema.names, self._path(table))
        session = Session(None, census_id, owner=self.owner)
        results = session.results(";\n".join(sql for _, sql in asked), lake)
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
