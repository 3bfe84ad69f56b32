"""Rows that are judged together: their conditions in SQL, and the rule that no two have the same key."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

UNIQUE = "key_is_unique"
"""The rule that no two rows have the same key."""


@dataclass(frozen=True)
class Subject:
    """Rows that are judged together.

    name    the name of the table or check
    key     the columns that identify a row
    rules   SQL conditions on each row, by rule; a row for which the SQL is null breaks the rule
    unique  columns that must identify one row; empty where this is not checked
    totals  SQL aggregates over all rows, by rule
    """

    name: str
    frame: DataFrame
    key: tuple[str, ...]
    rules: Mapping[str, str]
    unique: tuple[str, ...] = ()
    totals: Mapping[str, str] = field(default_factory=dict)


def breaks(predicate: str) -> str:
    """The condition, in SQL, on rows that break a rule."""
    return f"NOT coalesce(({predicate}), false)"
