"""A rule for every transform: with any input, its rows have the table's columns."""

import pytest
from pyspark.sql import DataFrame, SparkSession

from kafka_census.declarations.transform import Transform
from kafka_census.lake.union import union
from kafka_census.tables.transforms import TRANSFORMS
from spark.landed_items import compute


@pytest.fixture(scope="module")
def of_nothing(spark: SparkSession) -> dict[str, DataFrame]:
    return {transform.table.name: compute(spark, transform.table) for transform in TRANSFORMS}


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda transform: transform.table.name)
def test_names_and_types_are_the_declared_ones_in_order(of_nothing: dict[str, DataFrame], transform: Transform) -> None:
    declared = [(field.name, field.dataType.simpleString()) for field in transform.table.computed]
    computed = of_nothing[transform.table.name]
    assert [(field.name, field.dataType.simpleString()) for field in computed.schema] == declared


def test_of_nothing_it_makes_no_row(of_nothing: dict[str, DataFrame]) -> None:
    rows = union([frame.selectExpr(f"'{name}' AS made") for name, frame in of_nothing.items()]).collect()
    assert rows == []
