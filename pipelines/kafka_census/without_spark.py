"""Published tables without Spark: the package `deltalake` reads the lake's files.

The folder `published/<table>` also holds rows that are not published yet, and rows of refused censuses. So
`publications` is read first: it lists the censuses that a reader may see, whose rows are complete.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from kafka_census.errors import ConfigError, CorruptLake

if TYPE_CHECKING:
    from pyarrow import ChunkedArray, Table
    from pyarrow.dataset import Dataset

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class NotThere(CorruptLake):
    """A table of the lake does not exist: nothing was published in it yet."""


class PublishedLake:
    """A path lake whose tables are opened once each: all datasets see a table as it was then.

    root             a folder or a URI
    storage_options  what deltalake needs for an object store, such as its credentials

    A dataset is filtered by partition: only the files of its censuses are read, when the dataset is. Needs the
    package deltalake. Everything raises CorruptLake where a table cannot be read.
    """

    def __init__(self, root: str, storage_options: Mapping[str, str] | None = None) -> None:
        """Open nothing yet."""
        self._root = root.rstrip("/")
        self._options = dict(storage_options or {})
        self._opened: dict[str, Dataset] = {}

    @property
    def publications(self) -> "Dataset":
        """The audit table of what readers may see; its columns are in docs/data-dictionary/audit.md."""
        return self.opened("audit/publications")

    @property
    def tables(self) -> list[str]:
        """The names of all tables that were ever published."""
        return sorted(set(self._published["table_name"].to_pylist()))

    def current(self, table: str) -> "Dataset":
        """The last published census of each cluster."""
        last = self._of(table).group_by("cluster_id").aggregate([("census_id", "max")])["census_id_max"]
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
        """The missing answers of a published census, by table: (rpc, broker_id, error).

        Raises CorruptLake where an older release published.
        """
        import pyarrow.dataset as ds

        if self.publications.schema.field("missing").type.value_type.get_field_index("broker_id") < 0:
            raise CorruptLake(
                f"{self._root}/audit/publications was written by an older release; run kafka-census migrate"
            )
        rows = self.publications.to_table(["table_name", "missing"], filter=ds.field("census_id") == census_id)
        return {
            row["table_name"]: [(one["rpc"], one["broker_id"], one["error"]) for one in row["missing"] or ()]
            for row in rows.to_pylist()
        }

    def published_at(self, census_id: str) -> datetime:
        """The aware time of a census's publication. Raises ConfigError where it is not published."""
        import pyarrow.compute as pc

        times = self._published.filter(pc.field("census_id") == census_id)["published_at"]
        if not len(times):
            raise ConfigError(f"no census {census_id} is published in {self._root}")
        found: datetime = pc.min(times).as_py()
        return found

    def opened(self, table: str) -> "Dataset":
        """All rows of a table, such as `audit/calls`. Raises NotThere."""
        if table not in self._opened:
            self._opened[table] = self._open(table)
        return self._opened[table]

    def _open(self, table: str) -> "Dataset":
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError, TableNotFoundError

        path = f"{self._root}/{table}"
        try:
            return DeltaTable(path, storage_options=self._options).to_pyarrow_dataset()
        except TableNotFoundError as error:
            raise NotThere(
                f"{path} is no Delta table: nothing was published there yet, an older release did (run "
                "kafka-census migrate), or it is no lake"
            ) from error
        except (DeltaError, OSError) as error:
            said = " ".join(_COLOURS.sub("", str(error)).split())
            raise CorruptLake(f"{path} cannot be read: {said}") from error

    @cached_property
    def _published(self) -> "Table":
        return self.publications.to_table(columns=["table_name", "cluster_id", "census_id", "published_at"])

    def _of(self, table: str) -> "Table":
        import pyarrow.compute as pc

        return self._published.filter(pc.field("table_name") == table)

    def _staged(self, table: str, censuses: "ChunkedArray", *, published: bool = True) -> "Dataset":
        import pyarrow as pa
        import pyarrow.dataset as ds

        # For an empty list pyarrow would lose the type of text.
        seen = ds.field("census_id").isin(pa.array(censuses.to_pylist(), pa.string()))
        return self.opened(f"published/{table}").filter(seen if published else ~seen)


def current(lake: str, *tables: str, storage_options: Mapping[str, str] | None = None) -> tuple["Dataset", ...]:
    """The last published census of each cluster: one pyarrow dataset per table, all by the same publications.

    lake             the root of a path lake: a folder or a URI
    tables           names of published tables, such as group_lag
    storage_options  what deltalake needs for an object store, such as its credentials

    Needs the package deltalake (the extra `deltalake`). Raises CorruptLake where nothing, or no such
    table, is published.
    """
    published = PublishedLake(lake, storage_options)
    return tuple(published.current(table) for table in tables)
