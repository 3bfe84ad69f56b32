"""Writers of tables: a new table gets its columns, comments and properties from its declaration, by its first write."""

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, DataFrameWriter, SparkSession
from pyspark.sql.types import StructType
from pyspark.sql.utils import is_remote

from kafka_census.declarations.table import Table
from kafka_census.errors import CensusError, CorruptLake
from kafka_census.errors.causes import explained
from kafka_census.errors.one_line import one_line
from kafka_census.lake.columns import with_columns_of
from kafka_census.lake.commit_retry import conflict_in
from kafka_census.lake.ddl import column_ddl, quoted
from kafka_census.lake.lake import Lake
from kafka_census.lake.shape import difference

RETENTION = ("delta.setTransactionRetentionDuration", "interval 30 days")
"""How long Delta remembers an `app_id`; without this property each `app_id` stays in the log for ever."""

_MINIMA = {
    "landing": ("delta.dataSkippingStatsColumns", "scope,wave"),
    "published": ("delta.dataSkippingNumIndexedCols", "0"),
}
"""By layer, the columns for which Delta keeps statistics, where not for all. Pages are read by census, RPC, scope and
wave. A published table is read by census, its partition column; within its files Parquet's own statistics prune.
Statistics of all columns cost a small write a sixth of its time."""


def create(spark: SparkSession, lake: Lake, table: Table) -> None:
    """CREATE TABLE IF NOT EXISTS, with all comments and properties."""
    columns = ", ".join(column_ddl(field) for field in table.schema.fields)
    properties = ", ".join(f"'{name}' = '{value}'" for name, value in _properties(table))
    folders = partitioned_by(table)
    partitioned = f"PARTITIONED BY ({', '.join(folders)}) " if folders else ""
    try:
        spark.sql(
            f"CREATE TABLE IF NOT EXISTS {lake.name_of(table)} ({columns}) USING delta {partitioned}"
            f"COMMENT {quoted(table.comment)} "
            f"TBLPROPERTIES ({properties})"
        )
    except PySparkException as error:
        if conflict_in(error):
            raise
        raise corrupt(lake.name_of(table), error) from error


def of_frame(frame: DataFrame, lake: Lake, table: Table, *, new: bool) -> DataFrameWriter:
    """A writer of the frame; a new table is created by its first write: one commit less than with CREATE TABLE.

    CREATE TABLE comes first in a catalog, for the table's comment, and on Spark Connect: there a client of 4.2 gives
    each string its collation by name, and Delta would keep that in the table's schema, which readers without Spark
    cannot read then.
    """
    created = new and (lake.catalog is not None or is_remote())
    if created:
        create(frame.sparkSession, lake, table)
    writer = _ordered(frame, lake, table, new=new).write.format("delta")
    if new and not created:
        for name, value in _properties(table):
            writer = writer.option(name, value)
        if partitioned_by(table):
            writer = writer.partitionBy(*partitioned_by(table))
    return writer


def _properties(table: Table) -> tuple[tuple[str, str], ...]:
    """The table properties, which a table has from its first write on."""
    return (RETENTION, _MINIMA[table.layer]) if table.layer in _MINIMA else (RETENTION,)


def partitioned_by(table: Table) -> tuple[str, ...]:
    """The columns that give the folders of the table's files."""
    return table.partitioned_by or (("census_id",) if table.layer == "published" else ())


def _ordered(frame: DataFrame, lake: Lake, table: Table, *, new: bool) -> DataFrame:
    """The frame with its columns in table order. Names and types must match; Delta itself checks for nulls.

    A new table gets all of its columns, with their comments.
    """
    own = set(frame.columns)
    needed = [field for field in table.schema.fields if field.name in own or field.name not in table.may_lack]
    differs = difference(frame.schema, StructType(needed), ordered=False).phrases
    if differs:
        raise CorruptLake(f"cannot write to {lake.name_of(table)}: {differs[0]}")
    return with_columns_of(frame, table.schema if new else StructType(needed), commented=new)


def save(writer: DataFrameWriter, lake: Lake, table: Table) -> None:
    """Write to the table, in one commit."""
    if lake.root:
        writer.save(lake.path(table.layer, table.name))
    else:
        writer.saveAsTable(lake.name_of(table))


def corrupt(name: str, error: Exception) -> CensusError:
    """The error in one line; of the class of its cause where that is known, else CorruptLake."""
    kind = type(explained(error, str) or CorruptLake())
    return kind(f"{name} cannot be used as a Delta table: {one_line(error, str)}")
