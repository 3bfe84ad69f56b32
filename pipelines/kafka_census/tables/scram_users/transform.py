"""Every SCRAM credential as Kafka reports it, with the other mechanisms of its user."""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.scram_users.columns import SCRAM_USERS
from kafka_census.tables.shared.reasons import words

_STRONGER = "SCRAM-SHA-512"


def scram_users(*, users: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:  # noqa: ARG001 - a listing has all pages or none
    """One row per user and mechanism.

    Columns: those of `SCRAM_USERS`. The input is the items of DescribeUserScramCredentials.
    """
    # A user that could not be described has no mechanism, and `collect_set` leaves nulls out.
    of_user = users.groupBy("user").agg(F.sort_array(F.collect_set("mechanism")).alias("mechanisms"))
    described = F.col("mechanism") != ""
    return (
        users.join(of_user, "user")
        .withColumn("mechanism", F.coalesce("mechanism", F.lit("")))
        .withColumns(
            {
                "only_sha_256": F.when(described, ~F.array_contains("mechanisms", _STRONGER)),
                "reason": words("DescribeUserScramCredentials answered ", error_name("error_code")),
                "observed_at": F.col("received_at"),
            }
        )
        .select(*SCRAM_USERS.computed.names)
    )


SCRAM_USERS_TRANSFORM = Transform(SCRAM_USERS, scram_users, {"users": ("DescribeUserScramCredentials", "scram_users")})
