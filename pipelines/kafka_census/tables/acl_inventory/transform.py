"""Every access control entry, and which entries are dangerous.

Only what an entry itself grants is judged, by the rules of `DANGERS`: whether another entry denies the same, and who
the members of a principal are, is not known here. Entries that deny are never dangerous. Host * is usual. A cluster
without an authorizer has no entries and is one row, because everyone may do everything there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.declarations.walks import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.acl_inventory.columns import ACL_INVENTORY

_INTERNAL_TOPICS = (OFFSETS_TOPIC, TRANSACTIONS_TOPIC, "__share_group_state", "__cluster_metadata")
_EVERY_NAME = "pattern_type = 'literal' AND resource_name = '*'"
_INTERNAL = " OR ".join(
    f"IF(pattern_type = 'prefixed', startswith('{topic}', resource_name), resource_name IN ('{topic}', '*'))"
    for topic in _INTERNAL_TOPICS
)


@dataclass(frozen=True)
class Danger:
    """A rule: SQL over an entry that allows something, and why the granted right is dangerous."""

    name: str
    holds: str
    why: str


DANGERS = (
    Danger("everyone", "principal = 'User:*'", "granted to everyone"),
    Danger("unauthenticated", "principal = 'User:ANONYMOUS'", "granted to whoever does not authenticate"),
    Danger(
        "every_resource",
        f"operation = 'all' AND resource_type != 'cluster' AND {_EVERY_NAME}",
        "may do everything to every resource of the type",
    ),
    Danger("cluster_all", "resource_type = 'cluster' AND operation = 'all'", "may do everything to the cluster"),
    Danger(
        "cluster_alter",
        "resource_type = 'cluster' AND operation = 'alter'",
        "may change ACLs and so grant itself everything",
    ),
    Danger(
        "cluster_alter_configs",
        "resource_type = 'cluster' AND operation = 'alter_configs'",
        "may change the configs of brokers",
    ),
    Danger(
        "cluster_action",
        "resource_type = 'cluster' AND operation = 'cluster_action'",
        "may act as a broker and so read every topic",
    ),
    Danger(
        "internal_topics",
        "resource_type = 'topic' AND operation IN ('write', 'alter', 'alter_configs', 'delete', 'all') "
        f"AND ({_INTERNAL})",
        "may change Kafka's internal topics, in which all groups' offsets are",
    ),
    Danger(
        "impersonation",
        "resource_type = 'user' AND operation IN ('create_tokens', 'all')",
        "may create tokens that log in as that user",
    ),
    Danger(
        "endless_transactions",
        "resource_type = 'transactional_id' AND operation = 'two_phase_commit'",
        "may hold transactions open for ever, and consumers of committed records with them",
    ),
)
"""What makes an entry that allows something dangerous."""

NO_AUTHORIZER = Danger(
    "no_authorizer", "error_code != 0", "no authorizer is configured (SECURITY_DISABLED): everyone may do everything"
)
"""The only row of a cluster that has no ACLs because nothing checks them."""


def acl_inventory(*, acls: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:  # noqa: ARG001 - a listing has all pages or none
    """One row per entry. Columns: those of `ACL_INVENTORY`. The input is the items of DescribeAcls."""
    rules = [
        F.when(F.expr(f"{condition} AND ({danger.holds})"), _words_of(danger))
        for condition, danger in (
            (NO_AUTHORIZER.holds, NO_AUTHORIZER),
            *(("permission = 'allow'", one) for one in DANGERS),
        )
    ]
    held = F.filter(F.array(*rules), lambda danger: danger.isNotNull())
    return (
        acls.withColumn("held", held)
        .withColumns(
            {
                "dangers": F.transform("held", lambda danger: danger["name"]),
                "is_dangerous": F.size("held") > 0,
                "reason": F.nullif(F.array_join(F.transform("held", lambda danger: danger["why"]), "; "), F.lit("")),
                "observed_at": F.col("received_at"),
                # A null of an entry would be a hole; the row without an entry is empty.
                **{name: F.when(F.expr(NO_AUTHORIZER.holds), "").otherwise(F.col(name)) for name in ACL_INVENTORY.key},
            }
        )
        .select(*ACL_INVENTORY.computed.names)
    )


def _words_of(danger: Danger) -> Column:
    return F.struct(F.lit(danger.name).alias("name"), F.lit(danger.why).alias("why"))


ACL_INVENTORY_TRANSFORM = Transform(ACL_INVENTORY, acl_inventory, {"acls": ("DescribeAcls", "acls")})
