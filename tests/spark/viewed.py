"""A table as the report shows it: the rows worth showing, and the sentences about all rows."""

from typing import Any

from pyspark.sql import Row, SparkSession

from kafka_census.declarations.view import View
from kafka_census.reading.report.found import find
from kafka_census.terminal.columns import WIDTH, cells_of, table
from spark.landed_items import rows_of


def reported(spark: SparkSession, view: View, rows: list[dict[str, Any]]) -> tuple[list[Row], list[str]]:
    """The rows that are worth showing, in order, and the sentences about all rows."""
    frame = rows_of(spark, view.table, rows)
    found = find([view], lambda _table: frame, {view.table.name: len(rows)}, len(rows))[view.table.name]
    assert found.shown_rows == len(found.worst)
    lines = table(view.columns, [view.cells(row) for row in found.worst])
    assert max(map(cells_of, lines)) <= WIDTH
    return list(found.worst), list(view.totals(found.counts, found.sums))
