"""A hash over rows of an audit table, which detects edits."""

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import TimestampType

from kafka_census.tables.table import Table


def digest(table: Table) -> Column:
    """An aggregate: one hash over all rows of the table, independent of their order.

    Times are hashed as microseconds, and nulls are left out, so that no setting of the session matters.
    """
    values = [
        F.unix_micros(field.name).alias(field.name) if isinstance(field.dataType, TimestampType) else F.col(field.name)
        for field in table.schema.fields
    ]
    row = F.xxhash64(F.to_json(F.struct(*values), {"ignoreNullFields": "true"}))
    return F.coalesce(F.bit_xor(row), F.lit(0).cast("bigint"))
