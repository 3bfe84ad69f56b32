"""The views through which people read: `current_<table>` and `history_<table>`.

`current` shows the last published census of each cluster, `history` all published ones;
neither ever shows a census that is being written, was refused or crashed. Both say
`array_contains(<scalar subquery>, census_id)`: Spark computes the list once and prunes
partitions with it, so that a reader of two clusters reads two partitions however long
the history is. A join or `IN (SELECT ...)` would read every file.

A new census needs no new views: what they show moves with `publications`. Tables of an
older release are shown with the columns that they have.
"""

from pyspark.sql import SparkSession

from kafka_census.errors import CorruptLake
from kafka_census.tables import TABLES, store
from kafka_census.tables.books import PUBLICATIONS
from kafka_census.tables.lake import Lake
from kafka_census.tables.table import Table


def register(spark: SparkSession, lake: str) -> None:
    """Make the views of every published table.

    lake  a root path or URI: temporary views of this session; or `catalog.schema`:
          permanent views in that schema.

    Raises CorruptLake when nothing was ever published there.
    """
    register_lake(spark, lake_of(lake))


def lake_of(address: str) -> Lake:
    """The lake at an address: whatever has a slash is a path, `catalog.schema` is a catalog."""
    return Lake(root=address) if "/" in address or "\\" in address else Lake(catalog=address)


def register_lake(spark: SparkSession, lake: Lake) -> None:
    """As `register`, for a lake that is already told apart."""
    if store.readable(spark, lake, PUBLICATIONS) is None:
        raise CorruptLake(f"nothing is published in {lake.root or lake.catalog}: run a census first, or check the path")
    for table in TABLES:
        if store.readable(spark, lake, table) is not None:
            spark.sql(_view(lake, table, f"current_{table.name}", current_condition(lake, table)))
            spark.sql(_view(lake, table, f"history_{table.name}", history_condition(lake, table)))


def current_condition(lake: Lake, table: Table) -> str:
    """SQL that holds for rows of the last published census of each cluster."""
    return (
        "array_contains((SELECT collect_list(census_id) FROM (SELECT max(census_id) AS census_id "
        f"FROM {_book(lake)} WHERE table_name = '{table.name}' GROUP BY cluster_id)), census_id)"
    )


def history_condition(lake: Lake, table: Table) -> str:
    """SQL that holds for rows of every published census."""
    return (
        f"array_contains((SELECT collect_set(census_id) FROM {_book(lake)} "
        f"WHERE table_name = '{table.name}'), census_id)"
    )


def _book(lake: Lake) -> str:
    return lake.name(PUBLICATIONS.place, PUBLICATIONS.name)


def _view(lake: Lake, table: Table, name: str, condition: str) -> str:
    source = lake.name(table.place, table.name)
    if lake.root:
        return f"CREATE OR REPLACE TEMPORARY VIEW {name} AS SELECT * FROM {source} WHERE {condition}"
    permanent = ".".join(f"`{part}`" for part in [*str(lake.catalog).split("."), name])
    return f"CREATE OR REPLACE VIEW {permanent} AS SELECT * FROM {source} WHERE {condition}"
