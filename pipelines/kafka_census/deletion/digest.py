"""Hashes over rows of an audit table, which detect edits."""

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import TimestampType

from kafka_census.tables.table import Table


def digest(table: Table) -> Column:
    """An aggregate: one hash over all rows of the table, independent of their order."""
    return F.coalesce(F.bit_xor(row_hash(table, table.columns)), F.lit(0).cast("bigint"))


def row_hash(table: Table, columns: Sequence[str]) -> Column:
    """The hash over these columns of a row.

    Times are hashed as microseconds, and nulls are left out, so that no setting of the session matters.
    """
    types = {field.name: field.dataType for field in table.schema.fields}
    values = [
        F.unix_micros(name).alias(name) if isinstance(types[name], TimestampType) else F.col(name) for name in columns
    ]
    return F.xxhash64(F.to_json(F.struct(*values), {"ignoreNullFields": "true"}))
