"""A rule for every transform: with any input, its rows have the table's columns."""

from pyspark.sql import SparkSession

from kafka_census.lake.union import union
from kafka_census.tables.transforms import TRANSFORMS
from spark.landed_items import compute


def test_of_nothing_it_makes_no_row_of_the_declared_names_and_types_in_order(spark: SparkSession) -> None:
    tables = {transform.table.name: transform.table for transform in TRANSFORMS}
    of_nothing = {name: compute(spark, table) for name, table in tables.items()}
    declared = {name: [(one.name, one.dataType.simpleString()) for one in of.computed] for name, of in tables.items()}
    assert {name: frame.dtypes for name, frame in of_nothing.items()} == declared
    rows = union([frame.selectExpr(f"'{name}' AS made") for name, frame in of_nothing.items()]).collect()
    assert rows == []
