"""Names of error codes in tables: the same as in the collecting half."""

from pyspark.sql import SparkSession

from kafka_census.kafka import error_codes
from kafka_census.pages.error_name import error_name


def test_an_error_has_the_same_name_in_both_halves(spark: SparkSession) -> None:
    """Every code, one without a name, and null."""
    codes = [*sorted(error_codes.NAMES), 0, 999, -50, -30_000, None]
    frame = spark.createDataFrame([(code,) for code in codes], "code int")
    reported = {row.code: row.name for row in frame.select("code", error_name("code").alias("name")).collect()}
    assert reported == {code: None if code is None else error_codes.error_name(code) for code in codes}
