"""What must hold for `scram_users`: one row for each listed credential; a cluster without SCRAM has no rows."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.scram_users.columns import SCRAM_USERS

_RULES = (
    Rule(
        "described_or_reason",
        "(mechanism = '') = (reason IS NOT NULL) AND (mechanism = '') = (iterations IS NULL)",
        "A credential has a mechanism and iterations, or the row says why the user was not described.",
    ),
    Rule(
        "mechanism_is_among_the_users",
        "mechanism = '' OR array_contains(mechanisms, mechanism)",
        "The mechanism is one of the user's.",
    ),
    Rule("user_was_described", "mechanism != ''", "The user could be described; where not, see reason.", "warning"),
    Rule(
        "iterations_are_enough",
        "iterations IS NULL OR iterations >= 4096",
        "Rounds of hashing are at least 4096, which is the least that Kafka takes.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    return census.listed("DescribeUserScramCredentials", "scram_users").agg(F.count("*").alias("credentials"))


SCRAM_USERS_SUITE = Suite(
    SCRAM_USERS, _counts, _RULES, (row_count("credentials", "There is one row for each credential that was listed."),)
)
