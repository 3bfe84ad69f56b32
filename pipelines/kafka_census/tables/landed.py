"""What is asked of whom in a census, as data both halves agree on.

A `Landed` is one kind of walk: an RPC and a scope (the RPC's name alone is not
enough: DescribeConfigs walks topics at any broker, and brokers each at itself).
The plan makes requests from it; the completeness gate checks the landed pages
against it. Neither half imports the other for that.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Keys:
    """Where the keys of a keyed walk come from: a column of landed items, or SQL over one."""

    rpc: str
    scope: str
    column: str


@dataclass(frozen=True)
class Landed:
    """One kind of walk.

    every_node   True: each node of the route owes its own chain.
                 False: any alive node may answer.
    keys         the landed listing that the walk's windows are cut from, or None.
    answered_by  the item column in which each asked key comes back (keyed walks).
    fallback     a whole walk: where the keys (SQL over landed items, null for none) come from
                 when its answer is too large or too late.
    """

    rpc: str
    scope: str
    every_node: bool = False
    keys: Keys | None = None
    answered_by: str | None = None
    fallback: Keys | None = None


OFFSETS_TOPIC = "__consumer_offsets"
"""The internal topic whose partitions' leaders coordinate groups."""

_TOPICS = Keys("Metadata", "names", "topic")
_SIZED_TOPICS = Keys("Metadata", "names", "IF(error_code = 0, concat(topic, '/', partition_count), NULL)")
_GROUPS = Keys("ListGroups", "groups", "group_id")

LANDED = (
    Landed("DescribeCluster", "cluster"),
    Landed("Metadata", "names"),
    Landed("DescribeTopicPartitions", "topics", keys=_TOPICS, answered_by="topic"),
    Landed("DescribeConfigs", "topics", keys=_TOPICS, answered_by="resource_name"),
    Landed("DescribeConfigs", "brokers", every_node=True),
    Landed("ListPartitionReassignments", "cluster", fallback=_SIZED_TOPICS),
    Landed("DescribeLogDirs", "log_dirs", every_node=True),
    Landed("ListGroups", "groups", every_node=True),
    Landed("FindCoordinator", "groups", keys=_GROUPS, answered_by="key"),
    Landed("ListTransactions", "transactions", every_node=True),
    Landed("DescribeAcls", "acls"),
    Landed("DescribeClientQuotas", "quotas"),
    Landed("DescribeUserScramCredentials", "scram_users"),
    Landed("ListConfigResources", "config_resources"),
    Landed("DescribeQuorum", "quorum"),
)
"""Every walk, in the order in which a census takes them."""
