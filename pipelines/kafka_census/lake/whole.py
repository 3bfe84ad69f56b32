"""Whether published tables hold the rows that `publications` promises (`kafka_census.lake.promised`), counted by Spark.

One query reads the footers of the files of the named censuses, and no row. A table that lost rows would read as a table
in which nothing is wrong.
"""

from collections.abc import Collection, Mapping

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.declarations.table import Table
from kafka_census.errors import CensusError, CorruptLake
from kafka_census.errors.one_line import one_line
from kafka_census.lake import promised, store
from kafka_census.lake.history import Find
from kafka_census.lake.lake import Lake
from kafka_census.lake.union import union

Promised = Mapping[Table, Mapping[str, int | None]]
"""The number of rows by published table and census; None where `publications` does not say."""


def require_rows(spark: SparkSession, lake: Lake, of: Promised, find: Find = store.find) -> None:
    """Raises CorruptLake for a table that is lost, or does not hold these rows."""
    there = {table: table_of(spark, lake, table, rows, find) for table, rows in of.items() if rows}
    held = _counted(there, of)
    for table, rows in of.items():
        wrong = promised.damage(lake.name_of(table), rows, held.get(table.name, {}))
        if wrong:
            raise CorruptLake(wrong)


def damaged(spark: SparkSession, lake: Lake, of: Promised) -> dict[Table, str]:
    """The line of each table that is lost, cannot be read, or does not hold these rows; also of an older release."""
    try:
        require_rows(spark, lake, of, store.readable)
    except Exception:  # noqa: BLE001 - found again below, table by table
        return {table: line for table in of if (line := _line(spark, lake, table, of[table])) is not None}
    return {}


def table_of(
    spark: SparkSession, lake: Lake, table: Table, censuses: Collection[str], find: Find = store.find
) -> DataFrame:
    """All rows of a table in which these censuses are published, with the columns of `find`.

    Raises CorruptLake where the table is lost.
    """
    found = find(spark, lake, table)
    if found is None:
        raise CorruptLake(promised.lost_table(lake.name_of(table), max(censuses)))
    return found


def _line(spark: SparkSession, lake: Lake, table: Table, rows: Mapping[str, int | None]) -> str | None:
    try:
        require_rows(spark, lake, {table: rows}, store.readable)
    except Exception as error:  # noqa: BLE001 - whatever it is, the table cannot be read
        return str(error) if isinstance(error, CensusError) else one_line(error, str)
    return None


def _counted(frames: Mapping[Table, DataFrame], of: Promised) -> Mapping[str, Mapping[str, int]]:
    """The number of rows by census, by table name."""
    rows = [
        frame.where(F.col("census_id").isin(list(of[table]))).select(F.lit(table.name).alias("table"), "census_id")
        for table, frame in frames.items()
    ]
    held: dict[str, dict[str, int]] = {}
    # One shuffle counts all tables.
    for row in union(rows).groupBy("table", "census_id").count().collect() if rows else ():
        held.setdefault(row["table"], {})[row["census_id"]] = row["count"]
    return held
