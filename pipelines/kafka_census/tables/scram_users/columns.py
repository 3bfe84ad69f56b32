"""Published table: users who can log in by SCRAM, with mechanisms and never with secrets."""

from pyspark.sql.types import ArrayType, BooleanType, IntegerType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column

_STRING, _TIME = StringType(), TimestampType()

SCRAM_USERS = Table(
    name="scram_users",
    layer="published",
    comment="One row per SCRAM credential: user, mechanism, iterations. Kafka tells no secret, and none is here.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the latest answer that this row was computed from was received."),
            column("user", _STRING, "The user."),
            column(
                "mechanism",
                _STRING,
                "SCRAM-SHA-256 or SCRAM-SHA-512; empty for a user that was not described, see reason.",
            ),
            column("iterations", IntegerType(), "Rounds of hashing; Kafka takes no fewer than 4096, its default."),
            column(
                "mechanisms",
                ArrayType(_STRING, containsNull=False),
                "All mechanisms for which the user has a credential, ascending.",
            ),
            column("only_sha_256", BooleanType(), "The user cannot log in by SCRAM-SHA-512; null if not described."),
            column("reason", _STRING, "Why the user was not described; else null."),
            OWNER,
        ]
    ),
    key=("user", "mechanism"),
    owned_by=(("principals", "'User:' || user"),),
    reads=(Read("DescribeUserScramCredentials", "scram_users"),),
    questions=(
        Question(
            "Who has to be given a new credential before SCRAM-SHA-256 is switched off?",
            """SELECT user, iterations
FROM current_scram_users
WHERE only_sha_256 IS NOT FALSE
ORDER BY user""",
        ),
    ),
)
