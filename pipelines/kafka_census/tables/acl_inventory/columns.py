"""Published table: every access control entry, with dangerous grants flagged."""

from pyspark.sql.types import ArrayType, BooleanType, StringType, StructType, TimestampType

from kafka_census.declarations.table import CLUSTER, OWNER, Question, Read, Table, column

_STRING, _TIME = StringType(), TimestampType()

DANGERS = (
    "no_authorizer",
    *("everyone", "unauthenticated", "every_resource"),
    *("cluster_all", "cluster_alter", "cluster_alter_configs", "cluster_action"),
    *("internal_topics", "impersonation", "endless_transactions"),
)
"""The names of the rules by which a grant is dangerous."""

ACL_INVENTORY = Table(
    name="acl_inventory",
    layer="published",
    comment="One row per access control entry; what it grants is flagged where it is dangerous, with the reason.",
    schema=StructType(
        [
            column("census_id", _STRING, "The census this row belongs to; sorts by time."),
            column("cluster_id", _STRING, "Kafka's own id of the cluster."),
            CLUSTER,
            column("observed_at", _TIME, "When the answer that this row is from was received."),
            column(
                "resource_type",
                _STRING,
                "topic, group, cluster, transactional_id, delegation_token or user; empty, as all of the entry, in "
                "the only row of a cluster without authorizer.",
            ),
            column("resource_name", _STRING, "Name or prefix; * stands for every name, where literal."),
            column("pattern_type", _STRING, "literal or prefixed."),
            column("principal", _STRING, "Such as User:alice; User:* stands for everyone."),
            column("host", _STRING, "Host that the entry is for; * stands for every host, which is usual."),
            column("operation", _STRING, "By Kafka's name in lower case, such as describe, read or all."),
            column("permission", _STRING, "allow or deny."),
            column("is_dangerous", BooleanType(), "One of the rules holds, each of which is about what is allowed."),
            column(
                "dangers",
                ArrayType(_STRING, containsNull=False),
                f"Names of the rules that hold: {', '.join(DANGERS)}.",
            ),
            column("reason", _STRING, "Why each of them is dangerous, in words; null when none holds."),
            OWNER,
        ]
    ),
    key=("resource_type", "resource_name", "pattern_type", "principal", "host", "operation", "permission"),
    owned_by=(("principals", "principal"),),
    reads=(Read("DescribeAcls", "acls"),),
    questions=(
        Question(
            "Which grants are dangerous, and why?",
            """SELECT principal, operation, resource_type, pattern_type, resource_name, reason
FROM current_acl_inventory
WHERE is_dangerous
ORDER BY principal, resource_type, resource_name, operation""",
        ),
        Question(
            "Who may read or write the topic orders?",
            """SELECT principal, host, operation, permission, pattern_type, resource_name
FROM current_acl_inventory
WHERE resource_type = 'topic' AND operation IN ('read', 'write', 'all')
  AND (pattern_type = 'literal' AND resource_name IN ('*', 'orders')
       OR pattern_type = 'prefixed' AND resource_name = left('orders', length(resource_name)))
ORDER BY principal, operation""",
        ),
    ),
)
