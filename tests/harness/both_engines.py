"""The same statement in Spark and in DuckDB, and their rows in a comparable form."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import Row, SparkSession

from harness.documented import SQL, block_with
from kafka_census.reading.sql.session import Session
from kafka_census.tables.all_tables import TABLES

Rows = list[tuple[tuple[str, Any], ...]]

_IN_ITS_OWN_DIALECT = {
    "If broker 3 were lost, which brokers would take over its groups and transactional ids?": "current_coordinator_load"
}
IN_DUCKDB: Mapping[str, str] = {
    question.sql: block_with(SQL, _IN_ITS_OWN_DIALECT[question.text]).text
    if question.text in _IN_ITS_OWN_DIALECT
    else question.sql
    for table in TABLES
    for question in table.questions
}
"""Every question of the data dictionary in Spark's SQL and in DuckDB's: where they differ, as docs/sql.md asks it."""


def by_spark(spark: SparkSession, statement: str) -> Rows:
    return comparable(row.asDict() for row in spark.sql(statement).collect())


def by_duckdb(lake: str, statement: str) -> Rows:
    [rows] = all_by_duckdb(lake, [statement])
    return rows


def all_by_duckdb(lake: str, statements: Iterable[str]) -> list[Rows]:
    """The rows of each statement, all of the same publications."""
    return [
        comparable(dict(zip(result.columns, row, strict=True)) for row in result.rows)
        for result in Session(lake).results(";\n".join(statements))
    ]


def comparable(rows: Iterable[Mapping[str, Any]]) -> Rows:
    """Rows in a fixed order, structs as dicts, times aware: Spark's are naive, in this process's time zone."""
    return sorted((tuple((name, _value(value)) for name, value in row.items()) for row in rows), key=repr)


def _value(value: object) -> object:
    match value:
        case Row():
            return _value(value.asDict())
        case dict():
            return {name: _value(each) for name, each in value.items()}
        case list():
            return [_value(each) for each in value]
        case datetime():
            return value.astimezone(UTC)
        case _:
            return value
