"""Rows of an older release's table, moved into the table of this one.

They are appended in one commit, then deleted from the old table: after an interrupt in between, the repeated append
changes nothing. An old table without rows has been moved, or never had rows; its folder may be deleted by hand.
"""

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StructType

from kafka_census.lake import store
from kafka_census.lake.former_names import renamed
from kafka_census.lake.lake import Lake
from kafka_census.lake.shape import nullable
from kafka_census.progress import Progress, timed
from kafka_census.tables.table import Table


def move(
    rows: DataFrame, lake: Lake, old: tuple[str, str], table: Table, columns: StructType, progress: Progress
) -> None:
    """Append the rows of an old table to a table, and delete them from the old table.

    old      layer and name of the old table
    columns  the columns of `table` that the rows get: null, or an empty list, where the rows lack a column
    """
    layer, name = old
    rows = renamed(rows, columns)
    with timed(progress, "migrated", table=f"{layer}/{name}"):
        lists = [field for field in columns.fields if isinstance(field.dataType, ArrayType)]
        empty = [F.array().cast(one.dataType).alias(one.name) for one in lists if one.name not in rows.columns]
        # Delta does not know that lists hold no nulls if a table was created by its first write.
        store.append(rows.select("*", *empty).to(nullable(columns)), lake, table, f"migrate/{layer}/{name}")
        own = replace(table, layer=layer, name=name)
        store.commit(rows.sparkSession, lake, own, f"DELETE FROM {lake.name_of(own)}")
