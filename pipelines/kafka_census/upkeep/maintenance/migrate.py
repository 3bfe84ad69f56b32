"""Give the tables of an older release the columns that this one declares.

Columns are added to tables, and to the structs inside (fields of landed
items). Existing rows get null in them, or an empty list where the new column is a
list, since lists are never null. A list gets its comment last, so that a list without a
comment shows that a migration was interrupted.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, StructType

from kafka_census.declarations.table import Table
from kafka_census.lake import store
from kafka_census.lake.ddl import comment_of, type_ddl
from kafka_census.lake.lake import Lake
from kafka_census.lake.shape import Absent, difference
from kafka_census.lake.store import commit
from kafka_census.terminal.progress import Progress, timed


@dataclass(frozen=True)
class Change:
    """The changes of one table.

    absent  columns to add
    fill    outermost lists, added now or by an interrupted migration, whose nulls become empty lists
    """

    table: Table
    absent: tuple[Absent, ...]
    fill: tuple[str, ...]


def changes(spark: SparkSession, lake: Lake, tables: Iterable[Table]) -> tuple[Change, ...]:
    """The changes that existing tables need; empty where this release wrote the lake.

    Raises CorruptLake where a column has another type, or is unknown to this release.
    """
    found = []
    for table in tables:
        frame = store.readable(spark, lake, table)
        if frame is None:
            continue
        differs = difference(frame.schema, table.schema)
        fill = tuple(
            field.name for field in table.schema.fields if _is_unfilled(field.name, frame.schema, table.schema)
        )
        if differs.older or fill:
            found.append(Change(table, differs.absent, fill))
    return tuple(found)


def migrate(spark: SparkSession, lake: Lake, change: Change, progress: Progress) -> None:
    """Carry out one change; after a crash, a second call continues it."""
    table = change.table
    name = lake.name_of(table)
    with timed(progress, "migrated", table=table.folder, columns=len(change.absent)):
        if change.absent:
            added = ", ".join(_added(column) for column in change.absent)
            commit(spark, lake, table, f"ALTER TABLE {name} ADD COLUMNS ({added})")
        for column in change.fill:
            commit(spark, lake, table, f"UPDATE {name} SET `{column}` = array() WHERE `{column}` IS NULL")
            comment = comment_of(table.schema[column])
            commit(spark, lake, table, f"ALTER TABLE {name} ALTER COLUMN `{column}` COMMENT {comment}")


def _is_unfilled(name: str, found: StructType, wanted: StructType) -> bool:
    """Whether a column is a list that is missing, or has no comment yet."""
    if not isinstance(wanted[name].dataType, ArrayType):
        return False
    return name not in found.names or not found[name].metadata.get("comment")


def _added(column: Absent) -> str:
    """A column for ADD COLUMNS, with its position; an outermost list has no comment."""
    path = ".".join(f"`{part}`" for part in (*column.inside, column.field.name))
    is_list = isinstance(column.field.dataType, ArrayType) and not column.inside
    comment = "" if is_list else f" COMMENT {comment_of(column.field)}"
    after = f"AFTER `{column.after}`" if column.after else "FIRST"
    return f"{path} {type_ddl(column.field.dataType)}{comment} {after}"
