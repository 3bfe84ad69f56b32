"""Hashes over rows of an audit table, which detect edits."""

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import TimestampType

from kafka_census.declarations.deletions import DELETION_PLANS
from kafka_census.declarations.table import Table


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


def with_header() -> Column:
    """The column `digest` of `deletion_plans`: the hash over the groups, XOR the hash over the row's other columns.

    Applied to such a row, the hash over the groups again.
    """
    header = row_hash(DELETION_PLANS, [name for name in DELETION_PLANS.columns if name != "digest"])
    return F.col("digest").bitwiseXOR(header).alias("digest")
