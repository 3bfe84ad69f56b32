"""SCRAM credentials by user and mechanism; a user that could not be described is a row."""

from pyspark.sql import SparkSession

from kafka_census.tables.scram_users.columns import SCRAM_USERS
from spark.landed_items import compute, item


def test_a_user_that_kafka_refused_to_describe_is_a_row(spark: SparkSession) -> None:
    [row] = compute(spark, SCRAM_USERS, users=[item(user="gone", error_code=91)]).collect()
    assert (row.user, row.mechanism, row.iterations, row.mechanisms, row.only_sha_256, row.reason) == (
        *("gone", "", None, [], None, "DescribeUserScramCredentials answered RESOURCE_NOT_FOUND"),
    )


def test_nothing_that_could_be_a_secret_has_a_column() -> None:
    """User, mechanism, iterations, and values derived from them."""
    own = set(SCRAM_USERS.computed.names) - {"census_id", "cluster_id", "observed_at"}
    assert own == {"user", "mechanism", "iterations", "mechanisms", "only_sha_256", "reason"}
