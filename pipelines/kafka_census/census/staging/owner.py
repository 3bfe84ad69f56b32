"""The column `owner` of a table, by the patterns of `declarations.owners`."""

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

from kafka_census.declarations.owners import Owner
from kafka_census.declarations.table import Table


def owner_of(table: Table, owners: Sequence[Owner]) -> Column:
    """The owner of a row of the table; null where nobody has it."""
    found = [_of_kind(kind, F.expr(name), owners) for kind, name in table.owned_by]
    return F.coalesce(*found, F.lit(None).cast("string"))


def _of_kind(kind: str, name: Column, owners: Sequence[Owner]) -> Column:
    pairs = [(pattern, owner.name) for owner in owners for of, pattern in owner.patterns if of == kind]
    nobody = F.lit(None).cast("string")
    return reduce(
        lambda others, pair: F.when(_matches(name, pair[0]), F.lit(pair[1])).otherwise(others), reversed(pairs), nobody
    )


def _matches(name: Column, pattern: str) -> Column:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
