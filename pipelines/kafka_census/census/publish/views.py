"""The views for readers: `current_<table>`, `history_<table>` and `<table>_as_of(time)`.

`current` shows the last published census of each cluster, `history` all published censuses, `as_of` those that were the
last published ones at a time; none ever shows a census that is being written, was refused or crashed. Such censuses are
in `candidate_<table>`: staged rows, only for finding out why a census was refused. `conditions` has their SQL. Delta
fixes the snapshot of `publications` for a query once, before the query looks for rows: all tables that a query joins
are of the same censuses.

Rows of every census that is shown are compared with `publications`: of the last censuses by `register`, of others
(`history`, `as_of`) by the view itself, when it is read, so that only files are looked at whose rows are asked for.
Lost rows of audit tables are told by readers without Spark and by the report; their views show what is there.

`freshness` says how old the census is that `current` shows, and what became of a newer one.

`landed_<rpc>` shows the landed pages of an RPC from all censuses, with its items in the column `items`.

A new census needs no new views: their rows change with `publications`. Tables of an older release are shown with the
columns that they have. On a path, views are temporary and created by `register`; in a catalog they are permanent, and
each publication and migration checks whether they are up to date.
"""

import sys
import warnings
from collections.abc import Iterator, Mapping
from functools import partial

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from kafka_census.census.publish import conditions
from kafka_census.census.publish.conditions import (
    as_of_condition,
    candidate_condition,
    current_condition,
    history_condition,
)
from kafka_census.census.publish.definition import Definition, make_permanent
from kafka_census.declarations import freshness
from kafka_census.declarations.alerts import ALERTS
from kafka_census.declarations.audit import CALLS, CENSUS_RUNS, PUBLICATIONS, QUARANTINE, REFUSALS, VERDICTS
from kafka_census.declarations.deletions import DELETION_AUDIT_TABLES
from kafka_census.declarations.pages import PAGE, PAGES, items_column, snake_case
from kafka_census.declarations.table import Table
from kafka_census.declarations.walks import WALKS
from kafka_census.errors import CorruptLake
from kafka_census.errors.one_line import one_line
from kafka_census.lake import history, store, whole
from kafka_census.lake.cluster_key import KEY, mixed
from kafka_census.lake.ddl import quoted
from kafka_census.lake.lake import Lake
from kafka_census.lake.publications import last_published
from kafka_census.spark.side_by_side import side_by_side
from kafka_census.tables.all_tables import TABLES
from kafka_census.terminal.display import write_lines
from kafka_census.terminal.progress import Progress, timed

_READ_BY_NAME = (CENSUS_RUNS, VERDICTS, QUARANTINE, CALLS, ALERTS, REFUSALS, *DELETION_AUDIT_TABLES, PUBLICATIONS)
"""`publications` exists once anything is published, and its view is created last: it carries the digest of all."""

_KINDS = ("current", "history", "candidate")

_AT_ONCE = 3
"""The number of statements that Spark plans at the same time: planning is most of the time of a hundred of them."""


def register(spark: SparkSession, lake: str) -> None:
    """Create the views and the function of every published table, and views of the audit tables.

    lake  a root path (relative to the current directory, or absolute) or URI: temporary views of this session;
          or `catalog.schema`: permanent views in that schema, where they are not up to date, and the session
          uses that schema from then on. So the same SQL works on both.

    A view of a table that is lost, or does not hold the rows of the last published censuses, raises an error when it is
    read, and is named on stderr. Warns where a cluster id has censuses under several names. Raises CorruptLake when
    nothing was ever published there, when `publications` is lost or has lost rows, and, in a catalog, for a damaged
    table once the views are made.
    """
    found = lake_of(lake)
    lasts = last_published(spark, found, store.readable)
    register_lake(spark, found)
    for line in mixed(lasts, {}):
        warnings.warn(line, stacklevel=3)


def lake_of(address: str) -> Lake:
    """The lake at an address: an address with a slash is a path, `catalog.schema` is a catalog.

    A relative path starts at the current directory, because Delta accepts only absolute paths.
    """
    if "/" not in address and "\\" not in address:
        return Lake(catalog=address)
    lake = Lake(root=address)
    return lake if lake.folder is None or lake.folder.is_absolute() else Lake(root=str(lake.folder.resolve()))


def register_lake(spark: SparkSession, lake: Lake) -> None:
    """Like `register`, for a parsed lake address. Raises CorruptLake where nothing is published."""
    damaged: dict[Table, str] = {}
    wanted = definitions(spark, lake, damaged)
    if not wanted:
        raise CorruptLake(f"nothing is published in {lake.root or lake.catalog}: run a census first, or check the path")
    damaged |= whole.damaged(spark, lake, _current(spark, lake))
    if lake.catalog:
        make_permanent(spark, lake, wanted)
        spark.sql(f"USE {lake.schema}")
        for line in damaged.values():
            raise CorruptLake(line)
        return
    made = {each.name: each for each in (*wanted, *_raising(damaged))}
    side_by_side(
        spark, {name: partial(_make, spark, each.statement(lake)) for name, each in made.items()}, {}, _AT_ONCE
    )
    write_lines([f"warning: {line}" for line in damaged.values()], sys.stderr)


def _current(spark: SparkSession, lake: Lake) -> whole.Promised:
    """What `publications` promises of the last published census of each cluster. Raises CorruptLake."""
    last = F.max("census_id").over(Window.partitionBy("table_name", KEY))
    published = history.publications(spark, lake, store.readable)
    of = {table.name: dict[str, int | None]() for table in TABLES}
    if published is None:
        return {}
    shown = published.withColumn("last", last).where("census_id = last")
    for row in shown.select("table_name", "census_id", "row_count").collect():
        of.setdefault(row.table_name, {})[row.census_id] = row.row_count
    return {table: of[table.name] for table in TABLES if of[table.name]}


def _raising(damaged: Mapping[Table, str]) -> Iterator[Definition]:
    """Views and functions of damaged tables: they have the columns, and end in the line as soon as they are read."""
    for table, line in damaged.items():
        text = conditions.raising(line, table.schema)
        if table in TABLES:
            yield from (Definition("VIEW", f"{kind}_{table.name}", text, "") for kind in _KINDS)
            yield Definition("FUNCTION", f"{table.name}_as_of", text, "")
        else:
            yield Definition("VIEW", table.name, text, "")


def _make(spark: SparkSession, statement: str) -> None:
    spark.sql(statement)


def keep_permanent(spark: SparkSession, lake: Lake, progress: Progress) -> None:
    """Recreate the views of a lake in a catalog where a table or a column is new; does nothing on a path.

    A census is published, and a lake migrated, whether or not this succeeds: a failure is reported as `views_not_made`,
    and the next publication tries again.
    """
    if not lake.catalog:
        return
    try:
        with timed(progress, "views_checked") as done:
            wanted = definitions(spark, lake)
            done["made"] = make_permanent(spark, lake, wanted) if wanted else 0
    except Exception as error:  # noqa: BLE001 - reported; published censuses stay published
        progress.warning("views_not_made", lake=lake.catalog, error=one_line(error, str))


def definitions(spark: SparkSession, lake: Lake, damaged: dict[Table, str] | None = None) -> list[Definition]:
    """All views and functions of the tables that exist; none where nothing is published yet.

    damaged  gets the line of each other table that is damaged; without it the first raises CorruptLake

    Raises CorruptLake where `publications` is lost.
    """
    if history.publications(spark, lake, store.readable) is None:
        return []
    columns: dict[str, StructType] = {}
    lines = {} if damaged is None else damaged
    work = {table.name: partial(_read, spark, lake, table, columns, lines) for table in (*TABLES, *_READ_BY_NAME)}
    side_by_side(spark, work | {PAGES: partial(_read_pages, spark, lake, columns)}, {}, _AT_ONCE)
    for line in lines.values() if damaged is None else ():
        raise CorruptLake(line)
    found: list[Definition] = []
    for table in TABLES:
        if table.name in columns:
            found += _published(lake, table, columns[table.name])
    found += _landed(lake, columns.get(PAGES))
    found.append(_freshness(lake, has_runs=CENSUS_RUNS.name in columns))
    for table in _READ_BY_NAME:
        if table.name in columns:
            rows = f"SELECT * FROM {lake.name_of(table)}"
            found.append(Definition("VIEW", table.name, rows, columns[table.name].simpleString()))
    return found


def _read(
    spark: SparkSession, lake: Lake, table: Table, columns: dict[str, StructType], lines: dict[Table, str]
) -> None:
    """Add the columns that a table has, if the table exists, or the line of a damaged one."""
    try:
        there = store.readable(spark, lake, table)
        if there is None and table in _READ_BY_NAME:
            store.require_never_written(lake, table)
    except CorruptLake as error:
        lines[table] = str(error)
    else:
        if there is not None:
            columns[table.name] = there.schema


def _read_pages(spark: SparkSession, lake: Lake, columns: dict[str, StructType]) -> None:
    there = store.found(spark, lake, "landing", PAGES)
    if there is not None:
        columns[PAGES] = there.schema


def _landed(lake: Lake, pages: StructType | None) -> Iterator[Definition]:
    """`landed_<rpc>` of every RPC that this lake may hold pages of: the columns of a page, and its `items`."""
    if pages is None:
        return
    header = ", ".join(f"`{name}`" for name in PAGE.names if name in pages.names)
    for rpc in dict.fromkeys(walk.rpc for walk in WALKS):
        column = items_column(rpc)
        if column in pages.names:
            text = f"SELECT {header}, `{column}` AS items FROM {lake.name('landing', PAGES)} WHERE rpc = {quoted(rpc)}"
            yield Definition("VIEW", f"landed_{snake_case(rpc)}", text, pages[column].dataType.simpleString())


def _freshness(lake: Lake, *, has_runs: bool) -> Definition:
    runs = lake.name_of(CENSUS_RUNS) if has_runs else None
    text = freshness.query(lake.name_of(PUBLICATIONS), runs, freshness.SPARK)
    return Definition("VIEW", freshness.NAME, text, ", ".join(freshness.COLUMNS))


def _published(lake: Lake, table: Table, columns: StructType) -> Iterator[Definition]:
    """The views and the function of a published table."""
    name, shown = lake.name_of(table), columns.simpleString()
    as_of = f"{table.name}_as_of"
    texts = {
        "current": f"SELECT * FROM {name} WHERE {current_condition(lake, table)}",
        "history": conditions.rows(lake, table, history_condition(lake, table), columns),
        "candidate": f"SELECT * FROM {name} WHERE {candidate_condition(lake, table)}",
    }
    yield from (Definition("VIEW", f"{kind}_{table.name}", texts[kind], shown) for kind in _KINDS)
    rows = conditions.rows(lake, table, as_of_condition(lake, table, f"{as_of}.time"), columns)
    yield Definition("FUNCTION", as_of, rows, shown)
