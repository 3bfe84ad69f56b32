"""A table as the report tells it: the rows worth showing, and the sentences about all of them."""

from typing import Any

from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from kafka_census.report.text import WIDTH, cells_of, table
from kafka_census.report.views.view import View
from spark.landed_items import rows_of


def told(spark: SparkSession, view: View, rows: list[dict[str, Any]]) -> tuple[list[Row], list[str]]:
    """The rows that are worth showing, in order, and the sentences about all."""
    frame = rows_of(spark, view.table, rows)
    totals = [F.expr(total).alias(name) for name, total in view.sums]
    sums = frame.agg(F.count("*").alias("rows"), *totals).collect()[0].asDict()
    grouped = frame.groupBy(view.group_by).count().collect()
    shown = frame.where(view.only).orderBy(*map(F.expr, view.order)).collect()
    lines = table(view.columns, [view.cells(row) for row in shown])
    assert max(map(cells_of, lines)) <= WIDTH
    return shown, list(view.totals({row[0]: row[1] for row in grouped}, sums))
