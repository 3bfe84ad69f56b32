"""Counts the metrics of a census in its tables, in one query over all of these tables."""

from collections.abc import Callable, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.alerts.metrics import COUNTS
from kafka_census.declarations.table import Table
from kafka_census.errors import CorruptLake
from kafka_census.lake.union import union


def count(row_counts: Mapping[str, int], rows_of: Callable[[Table], DataFrame]) -> Mapping[str, float]:
    """The figures by the name of their metric, without those that are not known.

    row_counts  the number of rows of each table that the census computed, as the gate counted them
    rows_of     returns the rows of the census in a table

    Raises CorruptLake where a table does not hold these rows any more.
    """
    counted = dict.fromkeys(metric.table for metric in COUNTS if metric.table.name in row_counts)
    if not counted:
        return {}
    alike = [
        rows_of(table).agg(
            F.lit(table.folder).alias("table"),
            F.count("*").alias("rows"),
            F.map_from_arrays(
                F.array(*(F.lit(metric.name) for metric in COUNTS if metric.table == table)),
                F.array(*(F.expr(metric.sql).cast("double") for metric in COUNTS if metric.table == table)),
            ).alias("figures"),
        )
        for table in counted
    ]
    rows = union(alike).collect()
    for row in rows:
        expected = row_counts[row["table"].rpartition("/")[2]]
        if row["rows"] != expected:
            raise CorruptLake(f"{row['table']} is damaged: the gate counted {expected:,} rows, it has {row['rows']:,}")
    figures = [one for row in rows for one in row["figures"].items()]
    return {name: figure for name, figure in figures if figure is not None}
