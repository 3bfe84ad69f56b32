"""How a published table is computed: a pure function, and where each of its frames comes from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame

from kafka_census.comparison.gaps import Lacking
from kafka_census.tables.table import Table


@dataclass(frozen=True)
class Earlier:
    """A table in the census published before; `lacking` are the answers that it was computed without."""

    census_id: str
    rows: DataFrame
    lacking: Sequence[Lacking] = ()


@dataclass(frozen=True)
class Transform:
    """`function(**roles, missing=...)`, with `previous=...` and `desired=...` where true; columns: `table.computed`.

    `inputs` gives each role its walk, (rpc, scope), whose items it gets (see `items`), or the table whose rows of
    this census it gets: one of those that its own is made of. With `compares` it gets more of these tables:
    `ids` of this census and its cluster; by table name `earlier`, of those that were published before, and `lacking`.
    """

    table: Table
    function: Callable[..., DataFrame]
    inputs: Mapping[str, tuple[str, str] | Table]
    previous: bool = False
    desired: bool = False
    compares: bool = False
