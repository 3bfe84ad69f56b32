"""Create, read and write tables of the lake; each write is safe to repeat, and safe beside other writers.

Only SQL and the DataFrame writer are used, so it works on a path lake, in a catalog
and over Spark Connect alike. A table that is damaged, or that differs from its
declaration, raises a `CorruptLake` of one line and is left unchanged.
"""

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote

from kafka_census.declarations.pages import PAGE, PAGES
from kafka_census.declarations.table import Table
from kafka_census.errors import CorruptLake
from kafka_census.lake import promised, table_writer
from kafka_census.lake.commit_retry import commit_with_retry
from kafka_census.lake.ddl import quoted
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.lake.shape import difference
from kafka_census.private.pyspark import default_file_system

# The error conditions of Spark and Delta for a missing table: by path, in a catalog, in a missing schema.
_ABSENT = (
    "TABLE_OR_VIEW_NOT_FOUND",
    "SCHEMA_NOT_FOUND",
    "PATH_NOT_FOUND",
    "DELTA_TABLE_NOT_FOUND",
    "DELTA_MISSING_DELTA_TABLE",
    "DELTA_PATH_DOES_NOT_EXIST",
)


def find(spark: SparkSession, lake: Lake, table: Table) -> DataFrame | None:
    """All rows of a table, with its declared columns; None where the table does not exist.

    Raises CorruptLake when the table has other columns, is damaged, or was written by an older release.
    """
    found = readable(spark, lake, table)
    older = difference(found.schema, table.schema).older if found is not None else ()
    if older:
        raise CorruptLake(promised.older(lake.name_of(table), older[0]))
    return found


def readable(spark: SparkSession, lake: Lake, table: Table) -> DataFrame | None:
    """As `find`, but also reads a table of an older release, with the columns that it has.

    Raises CorruptLake when the table has any other difference, or is damaged.
    """
    there = found(spark, lake, table.layer, table.name)
    wrong = difference(there.schema, table.schema).wrong if there is not None else ()
    if wrong:
        raise CorruptLake(f"{lake.name_of(table)} is not the table it should be: {wrong[0]}")
    return there


def exists(spark: SparkSession, lake: Lake, table: Table) -> bool:
    """Whether the table exists. Raises CorruptLake as `find` does."""
    return find(spark, lake, table) is not None


def read(spark: SparkSession, lake: Lake, table: Table) -> DataFrame:
    """All rows of a table that must exist; columns as in `find`. Raises CorruptLake where it does not."""
    found = find(spark, lake, table)
    if found is None:
        raise CorruptLake(f"{lake.name_of(table)} does not exist; has this lake been landed?")
    return found


def landed_pages(spark: SparkSession, lake: Lake) -> DataFrame:
    """All landed pages: the columns of `PAGE`, and `items_<rpc>` of each RPC. Raises CorruptLake if there are none."""
    pages, name = found(spark, lake, "landing", PAGES), lake.name("landing", PAGES)
    if pages is None:
        raise CorruptLake(f"{name} does not exist; has this lake been landed?")
    absent = [name for name in PAGE.names if name not in pages.columns]
    if absent:
        raise CorruptLake(f"{name} holds no landed pages: column {absent[0]} is missing")
    return pages


def rows(spark: SparkSession, lake: Lake, table: Table, census_id: str) -> DataFrame:
    """A table's rows of one census, none where the table does not exist yet. Raises CorruptLake as `find` does."""
    found = find(spark, lake, table)
    if found is None:
        return local_frame(spark, [], table.schema)
    return found.where(F.col("census_id") == census_id)


def require_never_written(lake: Lake, table: Table) -> None:
    """Raises CorruptLake where a table that is not there has files of rows: its log is lost. Known on a local disk."""
    if lake.folder is not None and any((lake.folder / table.layer / table.name).rglob("*.parquet")):
        raise CorruptLake(promised.without_log(lake.name_of(table)))


def create(spark: SparkSession, lake: Lake, table: Table) -> None:
    """Create the table if missing; raises CorruptLake where it has other columns, or lost its log, and Contended."""
    if not exists(spark, lake, table):
        require_never_written(lake, table)
        commit_with_retry(lake, table.layer, table.name, lambda: table_writer.create(spark, lake, table))


def append(frame: DataFrame, lake: Lake, table: Table, app_id: str, *, may_repeat: bool = True) -> None:
    """Append the frame in one commit; a second append with the same `app_id` does nothing.

    An `app_id` is therefore used for one write only, such as '<census>/publications'.
    The first write creates the table, with all of its columns.

    may_repeat  whether a run that was interrupted may have written the same. If not, and if locks keep other runs away,
                Delta does not look for the `app_id`, nor keep it: it would read the log of the whole table, which is a
                third of the time of a small write

    Raises CorruptLake when the frame's columns are not the table's, and Contended.
    """

    def write() -> None:
        writer = table_writer.of_frame(frame, lake, table, new=_is_new(frame.sparkSession, lake, table)).mode("append")
        if may_repeat or not lake.has_locks:
            writer = writer.option("txnAppId", app_id).option("txnVersion", 0)
        table_writer.save(writer, lake, table)

    commit_with_retry(lake, table.layer, table.name, write)


def write_census(frame: DataFrame, lake: Lake, table: Table, census_id: str, *, goes_on: bool) -> None:
    """Write the table's rows of one census, in one commit.

    goes_on  whether the table may have rows of this census, which are replaced. The rows of a new census are appended
             where locks keep other runs away: to find what to replace, Delta reads the log of the whole table, which is
             half the time of a small write

    Raises CorruptLake as `append` does, and Contended.
    """
    if goes_on or not lake.has_locks:
        replace_census(frame, lake, table, census_id)
    else:
        append(frame, lake, table, f"{census_id}/{table.name}", may_repeat=False)


def replace_census(frame: DataFrame, lake: Lake, table: Table, census_id: str) -> None:
    """Replace the table's rows of one census by those of the frame, as `replace_rows` does."""
    replace_rows(frame, lake, table, "census_id", census_id)


def replace_rows(frame: DataFrame, lake: Lake, table: Table, column: str, value: str) -> None:
    """Replace the rows whose column has this value by the frame's, in one commit; an empty frame deletes them.

    The first write creates the table. Delta refuses the commit when a row of the frame has another value.
    Raises CorruptLake as `append` does, and Contended.
    """

    def write() -> None:
        new = _is_new(frame.sparkSession, lake, table)
        writer = table_writer.of_frame(frame, lake, table, new=new)
        if new and lake.root:
            # Not an append: if another writer has just created the table with the same rows, they would be there twice.
            writer = writer.mode("error")
        else:
            writer = writer.mode("overwrite").option("replaceWhere", f"{column} = {quoted(value)}")
        table_writer.save(writer, lake, table)

    commit_with_retry(lake, table.layer, table.name, write)


def commit(spark: SparkSession, lake: Lake, table: Table, statement: str) -> None:
    """Run a SQL statement that writes to the table, with retries as in `commit_with_retry`. Raises Contended."""

    def write() -> None:
        spark.sql(statement)

    commit_with_retry(lake, table.layer, table.name, write)


def _is_new(spark: SparkSession, lake: Lake, table: Table) -> bool:
    """Whether the next write creates the table. Raises CorruptLake as `find` does, and where the table lost its log.

    A first write that was cut off left a folder for the log: only files without that folder are of a lost table.
    """
    if exists(spark, lake, table):
        return False
    if lake.folder and not (lake.folder / table.layer / table.name / "_delta_log").exists():
        require_never_written(lake, table)
    return True


def found(spark: SparkSession, lake: Lake, layer: str, name: str) -> DataFrame | None:
    """The table of that name, with the columns that it has; None when there is none. Raises CorruptLake if damaged."""
    if _is_missing(spark, lake, layer, name):
        return None
    try:
        frame = spark.table(lake.name(layer, name))
        _ = frame.schema  # on Connect the name is resolved here
    except Exception as error:
        if isinstance(error, AnalysisException) and error.getCondition() in _ABSENT:
            return None
        raise table_writer.corrupt(lake.name(layer, name), error) from error
    return frame


def _is_missing(spark: SparkSession, lake: Lake, layer: str, name: str) -> bool:
    """Whether a check that raises no error shows that the table is missing.

    A folder is looked for in a moment, where Spark takes a twentieth of a second to find no table, some fifty times in
    the first census of a lake. The server of Spark Connect logs every failed query with a stack trace, so there the
    catalog is asked first. For a URI there is no such check.
    """
    if lake.folder is not None:
        try:
            (lake.folder / layer / name).stat()
        except FileNotFoundError:
            return is_remote() or default_file_system(spark).startswith("file:")
        except OSError:
            return False  # Spark says what is wrong with it
        return False
    return is_remote() and lake.catalog is not None and not spark.catalog.tableExists(lake.name(layer, name))
