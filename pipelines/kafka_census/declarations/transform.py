"""How a published table is computed: a pure function, and the source of each of its frames."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame

from kafka_census.declarations.table import Table
from kafka_census.pages.missing_read import MissingRead


@dataclass(frozen=True)
class Earlier:
    """A table in the previously published census; `lacking` are the answers that it was computed without."""

    census_id: str
    rows: DataFrame
    lacking: Sequence[MissingRead] = ()


@dataclass(frozen=True)
class Transform:
    """`function(**roles, missing=...)`, with previous where true, and what it `wants`; columns: `table.computed`.

    `inputs` maps each role to a walk, (rpc, scope), whose items it gets (see `items`), or to a table that this table is
    made of, whose rows of this census it gets; roles of `table.if_there` are left out where the census lacks the table.
    `wants` are fields of `OperatorValues`. With `compares` the function gets more about the tables that it is made of:
    the `ids` of this census and its cluster; by table name, `earlier`, the previously published tables, and `lacking`;
    `earlier` has those, too, that only the last census had.
    """

    table: Table
    function: Callable[..., DataFrame]
    inputs: Mapping[str, tuple[str, str] | Table]
    previous: bool = False
    wants: tuple[str, ...] = ()
    compares: bool = False
