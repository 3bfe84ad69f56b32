"""Short names of views, which people guess: the name of a table alone is its `current_<table>`.

They exist in `kafka-census sql` only. In Spark, temporary views of such names would hide tables of the reader's, and a
view in a catalog with a name such as `users` would be anybody's.
"""

from collections.abc import Collection, Mapping

from kafka_census.tables import NAMES

OTHERS: Mapping[str, tuple[str, str]] = {
    "acls": ("acl_inventory", "one row per ACL."),
    "coordinators": ("coordinator_load", "one row per broker: the groups and transactional ids that it coordinates."),
    "groups": ("group_lag", "one row per group that brokers list, with its state, members and lag."),
    "impact": ("failure_impact", "one row per thing that can be lost: what stops then."),
    "lag": ("consumer_lag", "one row per group and partition: offsets and lag."),
    "log_dirs": ("log_dir_usage", "one row per log dir of a broker."),
    "members": ("group_members", "one row per member of a group."),
    "producers": ("producer_state", "one row per partition: its producer ids and open transactions."),
    "reassignments": ("reassignment_backlog", "one row per replica that is being moved."),
    "transactions": ("transaction_coordinator_placement", "one row per transactional id."),
    "users": ("scram_users", "one row per SCRAM user and mechanism."),
}
"""Names that no table has: the table that each stands for, and what its rows are."""


def table_of(name: str, published: Collection[str]) -> str | None:
    """The table whose `current_<table>` a short name is; None for any other name.

    published  the names of tables that the lake has, of which another release may know more
    """
    if name in OTHERS:
        return OTHERS[name][0]
    return name if name in NAMES or name in published else None
