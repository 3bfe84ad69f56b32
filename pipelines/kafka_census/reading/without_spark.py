"""Published tables for readers in this process: the package `deltalake` reads the files of a lake on a path.

A lake in a catalog is read through Spark (`spark_tables`), and by the same rules.

The folder `published/<table>` also holds rows that are not published yet, and rows of refused censuses. So
`publications` is read first: it lists the censuses that a reader may see, whose rows are complete. How many rows these
have, `publications` says, too, and the statistics in the table's log must agree (`kafka_census.lake.promised`). The
file is long because all that is read is checked against tables that were opened once.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, cast

from kafka_census.clock import Clock
from kafka_census.errors import CensusError, ConfigError, CorruptLake
from kafka_census.lake import promised
from kafka_census.lake.cluster_key import KEY, Last
from kafka_census.lake.lake import Lake
from kafka_census.reading.delta_tables import DeltaTables, NotThere, Tables, read
from kafka_census.reading.newer import COLUMNS, Event, newer

if TYPE_CHECKING:
    from pyarrow import ChunkedArray, Table
    from pyarrow.dataset import Dataset

_PUBLICATIONS, _RUNS = "audit/publications", "audit/census_runs"
_REFUSALS, _VERDICTS, _QUARANTINE = "audit/refusals", "audit/verdicts", "audit/quarantine"


class PublishedLake:
    """A lake whose tables are opened once each: all datasets see a table as it was then.

    root             a folder or a URI
    storage_options  what deltalake needs for an object store, such as its credentials
    tables           instead of a root: the tables of a lake in a catalog

    A dataset is filtered by partition: only the files of its censuses are read, when the dataset is. Needs the
    package deltalake. Everything raises CorruptLake where a table cannot be read.
    """

    def __init__(
        self, root: str = "", storage_options: Mapping[str, str] | None = None, tables: Tables | None = None
    ) -> None:
        """Open nothing yet. Raises ConfigError for an address with credentials: messages name the address."""
        self._tables = tables or DeltaTables(str(Lake(root=root).root).rstrip("/"), storage_options or {})
        self._refused: Table | None = None

    def showing(self, census_id: str) -> "PublishedLake":
        """The lake as if this census were published: where the gate refused it, with that in `publications`."""
        refused = self.refusal(census_id)
        if refused is None or census_id in self._seen:
            return self
        lake = PublishedLake(tables=self._tables)
        lake._refused = refused
        return lake

    @property
    def root(self) -> str:
        """The address of the lake: a folder, a URI, or `catalog.schema`."""
        return self._tables.root

    @property
    def failure(self) -> CensusError | None:
        """As `Tables` has it."""
        return self._tables.failure

    @cached_property
    def publications(self) -> "Dataset":
        """The audit table of what readers may see; its columns are in docs/data-dictionary/audit.md.

        Raises CorruptLake where it lacks a census that `census_runs` says was published and never retired.
        """
        import pyarrow as pa
        import pyarrow.dataset as ds

        path = self._tables.name(_PUBLICATIONS)
        # A census is noted after it is published, and before it is hidden: hence a look before, and a look after.
        noted = self._noted("published")
        try:
            found = self._tables.rows(_PUBLICATIONS)
        except NotThere as error:
            if noted:
                raise CorruptLake(promised.lost_publications(path, noted)) from error
            if self._tables.has_files(_PUBLICATIONS):
                raise CorruptLake(promised.without_log(path)) from error
            if self._refused is not None:
                return ds.dataset(self._refused)
            raise
        rows = read(found, found.schema.names, of=path)  # once for all readers: it has a file per census
        seen = set(rows["census_id"].to_pylist())
        if noted is None and not seen:
            raise CorruptLake(
                f"{path} has no rows, and no {_RUNS} says why: nothing says what is published; {promised.RESTORE}"
            )
        lost = (noted or set()) - seen
        if lost and (lost := lost - (self._noted("retired") or set())):
            raise CorruptLake(promised.lost_publications(path, lost))
        return ds.dataset(rows if self._refused is None else pa.concat_tables([rows, self._refused]))

    @property
    def tables(self) -> list[str]:
        """The names of all tables that were ever published."""
        return sorted(set(self._published["table_name"].to_pylist()))

    @property
    def lasts(self) -> list[Last]:
        """The last published census of every cluster id and name."""
        return _lasts(self._published)

    def lasts_at(self, at: datetime) -> list[Last]:
        """The census of every cluster id and name that was the last published one at an aware time."""
        return _lasts(_until(self._published, at))

    def current(self, table: str, at: datetime | None = None) -> "Dataset":
        """The last published census of each cluster, at an aware time or now."""
        of = self._of(table)
        if at is not None:
            of = _until(of, at)
        last = of.group_by(KEY).aggregate([("census_id", "max")])["census_id_max"]
        return self._staged(table, last)

    def history(self, table: str) -> "Dataset":
        """Every published census."""
        return self._staged(table, self._of(table)["census_id"])

    def candidates(self, table: str) -> "Dataset":
        """Unpublished rows: those of censuses that were refused, that are not finished, or that were retired."""
        return self._staged(table, self._of(table)["census_id"], published=False)

    def census(self, table: str, census_id: str) -> "Dataset":
        """One published census of a table."""
        import pyarrow as pa

        return self._staged(table, pa.chunked_array([[census_id]], pa.string()))

    def lacking(self, census_id: str) -> Mapping[str, list[tuple[str, int | None, str]]]:
        """The missing answers of a published census, by table: (rpc, broker_id, error)."""
        import pyarrow.dataset as ds

        rows = read(self.publications, ["table_name", "missing"], ds.field("census_id") == census_id)
        return {
            row["table_name"]: [(one["rpc"], one["broker_id"], one["error"]) for one in row["missing"] or ()]
            for row in rows.to_pylist()
        }

    def published_at(self, census_id: str) -> datetime:
        """The aware time of a census's publication. Raises ConfigError where it is not published."""
        import pyarrow.compute as pc

        times = self._published.filter(pc.field("census_id") == census_id)["published_at"]
        if not len(times):
            raise ConfigError(f"no census {census_id} is published in {self.root}")
        found: datetime = pc.min(times).as_py()
        return found

    def later(self, names: Collection[str], census_id: str, at: datetime | None = None) -> str | None:
        """A line about a newer census of a cluster, which is not published; None without. At an aware time or now."""
        if self.events is None:
            return f"Whether a newer census was refused is not known: {self._tables.name(_RUNS)} is not there"
        now = at or Clock().now()
        events = (event for name in names for event in self.events.get(name, ()) if event.at <= now)
        found = newer(events, census_id)
        return found.line(now) if found else None

    @cached_property
    def events(self) -> Mapping[str, list[Event]] | None:
        """The events of all censuses, by the name that the cluster had; None where no table has them."""
        rows = self._whole(_RUNS, ["cluster", *COLUMNS])
        if rows is None:
            return None
        found: dict[str, list[Event]] = {}
        for row in rows.to_pylist():
            found.setdefault(row.pop("cluster"), []).append(Event(**row))
        return found

    @cached_property
    def refusals(self) -> "Table | None":
        """The audit table of what the gate refused; None where it refused nothing yet."""
        return self._whole(_REFUSALS)

    @property
    def refused(self) -> list[dict[str, str]]:
        """`census_id`, `cluster_id` and `cluster` of each census that the gate refused."""
        rows = self.refusals
        found = rows.group_by(["census_id", KEY, "cluster"]).aggregate([]).to_pylist() if rows is not None else []
        return cast("list[dict[str, str]]", found)

    def refusal(self, census_id: str) -> "Table | None":
        """The rows of the last refusal of a census, in the columns of `publications`; None where it was not refused."""
        import pyarrow.compute as pc

        if self.refusals is None:
            return None
        rows = self.refusals.filter(pc.field("census_id") == census_id)
        if not len(rows):
            return None
        rows = rows.filter(pc.field("refused_at") == pc.max(rows["refused_at"]))
        return rows.rename_columns(["published_at" if name == "refused_at" else name for name in rows.column_names])

    def _whole(self, table: str, columns: Sequence[str] | None = None) -> "Table | None":
        """The rows of an audit table; None where the table is not there."""
        try:
            found = self._tables.rows(table)
        except NotThere:
            return None
        return read(found, columns or found.schema.names, of=self._tables.name(table))

    def opened(self, table: str) -> "Dataset":
        """All rows of a table, such as `audit/calls`. Raises NotThere, and CorruptLake where it was there once."""
        try:
            found = self._tables.rows(table)
        except NotThere as error:
            self._require_never_written(table, error)
            raise
        if table in promised.OF_EVERY_CENSUS:
            self._require_every_census(table)
        if table == _QUARANTINE:
            self._require_quarantined(found)
        return found

    def comments(self, table: str) -> tuple[str | None, Mapping[str, str]]:
        """The comment of a table, such as `audit/calls`, if any, and those of its columns. Raises CorruptLake."""
        columns = {field.name: field.metadata or {} for field in self._tables.rows(table).schema}
        found = {name: said[b"comment"].decode() for name, said in columns.items() if b"comment" in said}
        return self._tables.comment(table), found

    def _noted(self, event: str) -> set[str] | None:
        """The censuses with an event, as `census_runs` is now; None where there is no such table."""
        import pyarrow.dataset as ds

        try:
            runs = self._tables.reopened(_RUNS)
        except NotThere:
            return None
        of = self._tables.name(_RUNS)
        return set(read(runs, ["census_id"], ds.field("event") == event, of)["census_id"].to_pylist())

    def _require_never_written(self, table: str, why: NotThere) -> None:
        """Raises CorruptLake for a table that is not there, although it was written."""
        layer, _, name = table.partition("/")
        promising = self._of(name) if layer == "published" else self._published
        if len(promising) and (layer == "published" or table in promised.OF_EVERY_CENSUS):
            example = max(promising["census_id"].to_pylist())
            raise CorruptLake(promised.lost_table(self._tables.name(table), example)) from why
        if self._tables.has_files(table):
            raise CorruptLake(promised.without_log(self._tables.name(table))) from why

    def _require_every_census(self, table: str) -> None:
        """Raises CorruptLake where no file of an audit table can hold rows of a published census.

        By the smallest and the greatest id of each file, which the log has.
        """
        files = self._tables.files(table, ["min.census_id", "max.census_id"])
        spans = [(file["min.census_id"] or "", file["max.census_id"]) for file in files]
        censuses = set(self._published["census_id"].to_pylist())
        lost = {one for one in censuses if not any(low <= one and (high is None or one <= high) for low, high in spans)}
        if lost:
            raise CorruptLake(promised.lost_rows(self._tables.name(table), lost))

    def _require_quarantined(self, rows: "Dataset") -> None:
        """Raises CorruptLake where no row failed a rule of which `verdicts` names rows of a published census."""
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.dataset as ds

        which = ["census_id", "table_name", "rule"]
        failed = (ds.field("kind") == "expectation") & (ds.field("outcome") != "pass")
        failed &= pc.list_value_length(ds.field("failing_keys")) > 0
        failed &= ds.field("census_id").isin(pa.array(set(self._published["census_id"].to_pylist()), pa.string()))
        named = read(self.opened(_VERDICTS), which, failed, self._tables.name(_VERDICTS))
        held = read(rows, which, of=self._tables.name(_QUARANTINE))
        held = held.group_by(which).aggregate([])  # it has a row per key
        lost = {tuple(row.values()) for row in named.to_pylist()} - {tuple(row.values()) for row in held.to_pylist()}
        if lost:
            census_id, table, rule = max(lost)
            raise CorruptLake(promised.lost_quarantine(self._tables.name(_QUARANTINE), census_id, f"{table}.{rule}"))

    def _require_rows(self, table: str, shown: Collection[str]) -> None:
        """Raises CorruptLake where a table does not hold the rows of these published censuses, by its log."""
        folder = f"published/{table}"
        rows: dict[str, int | None] = {}
        for row in self._of(table).to_pylist():
            if row["census_id"] in shown:
                more, so_far = row["row_count"], rows.get(row["census_id"], 0)
                rows[row["census_id"]] = None if more is None or so_far is None else so_far + more
        held: Counter[str] = Counter()
        uncounted = set()
        for file in self._tables.files(folder, ["partition.census_id", "num_records"]):
            held[file["partition.census_id"]] += file["num_records"] or 0
            if file["num_records"] is None:
                uncounted.add(file["partition.census_id"])
        for one in uncounted & set(shown):  # no statistics in the log: the footers of the files have them
            held[one] = self._tables.of_censuses(folder, [one]).count_rows()
        wrong = promised.damage(self._tables.name(folder), rows, held)
        if wrong:
            raise CorruptLake(wrong)

    @cached_property
    def _published(self) -> "Table":
        return read(self.publications, ["table_name", KEY, "cluster", "census_id", "published_at", "row_count"])

    @property
    def _seen(self) -> set[str]:
        """The ids of all published censuses; empty where nothing was published."""
        try:
            return set(self._published["census_id"].to_pylist())
        except NotThere:
            return set()

    def _of(self, table: str) -> "Table":
        import pyarrow.compute as pc

        return self._published.filter(pc.field("table_name") == table)

    def _staged(self, table: str, censuses: "ChunkedArray", *, published: bool = True) -> "Dataset":
        folder, shown = f"published/{table}", set(censuses.to_pylist())
        self.opened(folder)
        if published:
            self._require_rows(table, shown)
        return self._tables.of_censuses(folder, shown, others=not published)


def _lasts(published: "Table") -> list[Last]:
    last = published.group_by([KEY, "cluster"]).aggregate([("census_id", "max")])
    return [Last(row[KEY], row["cluster"], row["census_id_max"]) for row in last.to_pylist()]


def _until(published: "Table", at: datetime) -> "Table":
    import pyarrow as pa
    import pyarrow.compute as pc

    return published.filter(pc.field("published_at") <= pa.scalar(at, published.schema.field("published_at").type))
