"""Counts the metrics of a census in its tables, in one query over all of these tables."""

from collections.abc import Callable, Collection, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.alerts.metrics import COUNTS
from kafka_census.lake.union import union
from kafka_census.tables.table import Table


def count(tables: Collection[str], rows_of: Callable[[Table], DataFrame]) -> Mapping[str, float]:
    """The figures by the name of their metric, without those that are not known.

    tables   names of the tables that the census computed
    rows_of  returns the rows of the census in a table
    """
    counted = dict.fromkeys(metric.table for metric in COUNTS if metric.table.name in tables)
    if not counted:
        return {}
    alike = [
        rows_of(table).agg(
            F.map_from_arrays(
                F.array(*(F.lit(metric.name) for metric in COUNTS if metric.table == table)),
                F.array(*(F.expr(metric.sql).cast("double") for metric in COUNTS if metric.table == table)),
            ).alias("figures")
        )
        for table in counted
    ]
    figures = [one for row in union(alike).collect() for one in row["figures"].items()]
    return {name: figure for name, figure in figures if figure is not None}
