"""SCRAM credentials by user and mechanism; a user that could not be described is a row."""

from pyspark.sql import SparkSession

from kafka_census.tables.scram_users import SCRAM_USERS
from spark.landed_items import compute, item, rows_by


def test_credentials_and_what_else_their_user_has(spark: SparkSession) -> None:
    """A user with both mechanisms, one with only the weaker, and one that Kafka refused to describe."""
    listed = [
        item(user="both", error_code=0, mechanism="SCRAM-SHA-512", iterations=8192),
        item(user="both", error_code=0, mechanism="SCRAM-SHA-256", iterations=4096),
        item(user="weak", error_code=0, mechanism="SCRAM-SHA-256", iterations=4096),
        item(user="gone", error_code=91),
    ]
    rows = rows_by(compute(spark, SCRAM_USERS, users=listed), "user", "mechanism")
    reported = {key: (row.iterations, row.mechanisms, row.only_sha_256, row.reason) for key, row in rows.items()}
    both = ["SCRAM-SHA-256", "SCRAM-SHA-512"]
    assert reported == {
        ("both", "SCRAM-SHA-512"): (8192, both, False, None),
        ("both", "SCRAM-SHA-256"): (4096, both, False, None),
        ("weak", "SCRAM-SHA-256"): (4096, ["SCRAM-SHA-256"], True, None),
        ("gone", ""): (None, [], None, "DescribeUserScramCredentials answered RESOURCE_NOT_FOUND"),
    }


def test_nothing_that_could_be_a_secret_has_a_column() -> None:
    """User, mechanism, iterations, and values derived from them."""
    own = set(SCRAM_USERS.computed.names) - {"census_id", "cluster_id", "observed_at"}
    assert own == {"user", "mechanism", "iterations", "mechanisms", "only_sha_256", "reason"}
