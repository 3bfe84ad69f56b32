"""How a published table is computed: a pure function, and where each of its frames comes from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame

from kafka_census.tables.table import Table


@dataclass(frozen=True)
class Transform:
    """`function(**roles, missing=...)`, with `previous=...` and `desired=...` where true; columns as in `table`.

    `inputs` gives each role its walk, (rpc, scope), whose items it gets (see `items`), or the table whose rows of
    this census it gets: one of those that its own is made of.
    """

    table: Table
    function: Callable[..., DataFrame]
    inputs: Mapping[str, tuple[str, str] | Table]
    previous: bool = False
    desired: bool = False
