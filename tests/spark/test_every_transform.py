"""A rule for every transform: with any input, its rows have the table's columns."""

import pytest
from pyspark.sql import SparkSession

from kafka_census.transforms import TRANSFORMS, Transform
from spark.landed_items import compute


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda transform: transform.table.name)
def test_of_nothing_it_makes_no_row_of_its_table(spark: SparkSession, transform: Transform) -> None:
    """Names and types are the declared ones, in order, and the plan runs on empty inputs."""
    computed = compute(spark, transform.table)
    declared = [(field.name, field.dataType.simpleString()) for field in transform.table.computed]
    assert [(field.name, field.dataType.simpleString()) for field in computed.schema] == declared
    assert computed.count() == 0
