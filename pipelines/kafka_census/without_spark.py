"""Published tables for who has no Spark: `deltalake` reads the lake's files, and nothing of ours is imported beside it.

Rows lie in `published/<table>` before they are published, and those of a refused census stay there: who opens that
folder by itself reads them. `current` looks into `publications` first.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kafka_census.errors import CorruptLake

if TYPE_CHECKING:
    from pyarrow.dataset import Dataset


def current(lake: str, *tables: str, storage_options: Mapping[str, str] | None = None) -> tuple["Dataset", ...]:
    """The last published census of each cluster: a dataset for each table, all of the same moment.

    lake             the root of a path lake: a folder or a URI
    tables           names of published tables, such as group_lag
    storage_options  what deltalake needs for an object store, such as its credentials

    A dataset is filtered by partition: only the files of these censuses are read, when the dataset is. Needs the
    package deltalake (the extra `deltalake`). Raises CorruptLake where nothing is published, or not such a table.
    """
    import pyarrow.dataset as ds
    from deltalake import DeltaTable
    from deltalake.exceptions import TableNotFoundError

    def opened(table: str) -> "Dataset":
        path = f"{lake.rstrip('/')}/{table}"
        try:
            return DeltaTable(path, storage_options=dict(storage_options or {})).to_pyarrow_dataset()
        except TableNotFoundError as error:
            raise CorruptLake(f"{path} is no Delta table: nothing was published there yet, or it is another") from error

    published = opened("audit/publications").to_table(columns=["table_name", "cluster_id", "census_id"])
    found = []
    for table in tables:
        mine = published.filter(ds.field("table_name") == table)
        last = mine.group_by("cluster_id").aggregate([("census_id", "max")])["census_id_max"]
        found.append(opened(f"published/{table}").filter(ds.field("census_id").isin(last)))
    return tuple(found)
