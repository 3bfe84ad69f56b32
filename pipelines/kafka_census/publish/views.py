"""The views through which people read: `current_<table>`, `history_<table>` and `<table>_as_of(time)`.

`current` shows the last published census of each cluster, `history` all published ones, `as_of`
those that were the last ones at a time; none ever shows a census that is being
written, was refused or crashed. Those are what `candidate_<table>` shows: staged rows, to see why a
census was refused and for nothing else. All but `as_of` say `array_contains(<scalar subquery>, census_id)`:
Spark computes the list once and prunes partitions with it, so that a reader of two clusters
reads two partitions however long the history is. A join or `IN (SELECT ...)` would read every
file. Delta fixes what a query sees of `publications` before it looks for rows, and once: whatever
a query joins is of the same censuses.

`landed_<rpc>` shows the landed pages of an RPC, its items in the column `items`, of whatever census.

A new census needs no new views: what they show moves with `publications`. Tables of an
older release are shown with the columns that they have.
"""

from pyspark.sql import SparkSession

from kafka_census.errors import CorruptLake
from kafka_census.lake import history, store
from kafka_census.lake.ddl import quoted
from kafka_census.lake.lake import Lake
from kafka_census.tables import TABLES, WALKS
from kafka_census.tables.alerts import ALERTS
from kafka_census.tables.audit import CALLS, CENSUS_RUNS, PUBLICATIONS, QUARANTINE, VERDICTS
from kafka_census.tables.deletions import DELETION_AUDIT_TABLES
from kafka_census.tables.pages import PAGE, PAGES, items_column, snake_case
from kafka_census.tables.table import Table

_READ_BY_NAME = (PUBLICATIONS, CENSUS_RUNS, VERDICTS, QUARANTINE, CALLS, ALERTS, *DELETION_AUDIT_TABLES)


def register(spark: SparkSession, lake: str) -> None:
    """Make the views and the function of every published table, and views of the audit tables.

    lake  a root path (relative to the current directory, or absolute) or URI: temporary ones of this session;
          or `catalog.schema`: permanent ones in that schema.

    Raises CorruptLake when nothing was ever published there, and when `publications` is lost.
    """
    register_lake(spark, lake_of(lake))


def lake_of(address: str) -> Lake:
    """The lake at an address: whatever has a slash is a path, `catalog.schema` is a catalog.

    A relative path starts at the current directory: Delta takes only absolute ones.
    """
    if "/" not in address and "\\" not in address:
        return Lake(catalog=address)
    lake = Lake(root=address)
    return lake if lake.folder is None or lake.folder.is_absolute() else Lake(root=str(lake.folder.resolve()))


def register_lake(spark: SparkSession, lake: Lake) -> None:
    """Like `register`, for a parsed lake address. Raises CorruptLake where nothing is published."""
    if history.publications(spark, lake, store.readable) is None:
        raise CorruptLake(f"nothing is published in {lake.root or lake.catalog}: run a census first, or check the path")
    for table in TABLES:
        if store.readable(spark, lake, table) is not None:
            spark.sql(_view(lake, table, f"current_{table.name}", current_condition(lake, table)))
            spark.sql(_view(lake, table, f"history_{table.name}", history_condition(lake, table)))
            spark.sql(_view(lake, table, f"candidate_{table.name}", candidate_condition(lake, table)))
            spark.sql(_function(lake, table, f"{table.name}_as_of"))
    _register_landed(spark, lake)
    for table in _READ_BY_NAME:
        if store.readable(spark, lake, table) is not None:
            spark.sql(_view(lake, table, table.name, "true"))


def _register_landed(spark: SparkSession, lake: Lake) -> None:
    """`landed_<rpc>` of every RPC that this lake may hold pages of: the columns of a page, and its `items`."""
    pages = store.found(spark, lake, "landing", PAGES)
    there = set() if pages is None else set(pages.columns)
    header = ", ".join(f"`{name}`" for name in PAGE.names if name in there)
    for rpc in dict.fromkeys(walk.rpc for walk in WALKS):
        if items_column(rpc) in there:
            spark.sql(
                f"{_new(lake, 'VIEW', f'landed_{snake_case(rpc)}')} AS SELECT {header}, `{items_column(rpc)}` AS items "
                f"FROM {lake.name('landing', PAGES)} WHERE rpc = {quoted(rpc)}"
            )


def current_condition(lake: Lake, table: Table) -> str:
    """SQL that holds for rows of the last published census of each cluster."""
    return (
        "array_contains((SELECT collect_list(census_id) FROM (SELECT max(census_id) AS census_id "
        f"FROM {lake.name_of(PUBLICATIONS)} WHERE table_name = '{table.name}' GROUP BY cluster_id)), census_id)"
    )


def history_condition(lake: Lake, table: Table) -> str:
    """SQL that holds for rows of every published census."""
    return (
        f"array_contains((SELECT collect_set(census_id) FROM {lake.name_of(PUBLICATIONS)} "
        f"WHERE table_name = '{table.name}'), census_id)"
    )


def candidate_condition(lake: Lake, table: Table) -> str:
    """SQL that holds for rows of every census that is not published: refused, unfinished, or retired."""
    return f"NOT {history_condition(lake, table)}"


def as_of_condition(lake: Lake, table: Table, time: str) -> str:
    """SQL that holds for rows of the census of each cluster that was its last published one at a time.

    `time` is an expression, and stands outside of the subquery: Spark does not hand a function's argument
    further down. Each census has the time at which it was published, and that at which a later one was.
    """
    shown = (
        "try_element_at((SELECT map_from_entries(collect_list(struct(census_id, struct(since, until)))) FROM "
        "(SELECT census_id, published_at AS since, min(published_at) OVER (PARTITION BY cluster_id ORDER BY census_id "
        f"ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS until FROM {lake.name_of(PUBLICATIONS)} "
        f"WHERE table_name = '{table.name}')), census_id)"
    )
    return f"{shown}.since <= {time} AND NOT coalesce({shown}.until <= {time}, false)"


def _view(lake: Lake, table: Table, name: str, condition: str) -> str:
    return f"{_new(lake, 'VIEW', name)} AS SELECT * FROM {lake.name_of(table)} WHERE {condition}"


def _function(lake: Lake, table: Table, name: str) -> str:
    rows = f"SELECT * FROM {lake.name_of(table)} WHERE {as_of_condition(lake, table, f'{name}.time')}"
    return f"{_new(lake, 'FUNCTION', name)}(time TIMESTAMP) RETURNS TABLE RETURN {rows}"


def _new(lake: Lake, what: str, name: str) -> str:
    """CREATE of a view or function: temporary on a path, permanent in a catalog."""
    if lake.root:
        return f"CREATE OR REPLACE TEMPORARY {what} {name}"
    return f"CREATE OR REPLACE {what} {lake.in_catalog(name)}"
