"""What is asked of whom in a census, as data both halves agree on.

A `Landed` is one kind of walk: an RPC and a scope (the RPC's name alone is not
enough: DescribeConfigs walks topics at any broker, and brokers each at itself).
The plan makes requests from it; the completeness gate checks the landed pages
against it. Neither half imports the other for that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Only:
    """Items whose `column`, or `null` where that is null, is one of `values` (`among` False: is none of them)."""

    column: str
    values: tuple[str, ...] | tuple[int, ...]
    null: str | int | None = None
    among: bool = True

    @property
    def sql(self) -> str:
        """The condition, in Spark's SQL."""
        column = self.column if self.null is None else f"coalesce({self.column}, {self.null!r})"
        among = f"coalesce({column} IN ({', '.join(map(repr, self.values))}), FALSE)"
        return among if self.among else f"NOT {among}"

    def holds(self, item: Mapping[str, Any]) -> bool:
        """The same in Python."""
        value = item[self.column]
        return ((self.null if value is None else value) in self.values) == self.among


@dataclass(frozen=True)
class Keys:
    """Keys that landed items name: `columns` of an item, joined by a slash; none where one of them is null."""

    rpc: str
    scope: str
    columns: tuple[str, ...]
    only: Only | None = None

    @property
    def sql(self) -> str:
        """The key of an item, in Spark's SQL; null for none."""
        key = joined(self.columns)
        return f"IF({self.only.sql}, {key}, NULL)" if self.only else key

    def of(self, item: Mapping[str, Any]) -> str | None:
        """The same in Python."""
        parts = [item[column] for column in self.columns]
        named = None not in parts and (self.only is None or self.only.holds(item))
        return "/".join(map(str, parts)) if named else None


@dataclass(frozen=True)
class At:
    """Which broker to ask for a key: the column `node` of items that name the key; below 0 or absent where unknown."""

    keys: Keys
    node: str


def joined(columns: tuple[str, ...]) -> str:
    """Columns as one key, in Spark's SQL."""
    parts = ", '/', ".join(columns)
    return f"concat({parts})" if len(columns) > 1 else parts


@dataclass(frozen=True)
class Landed:
    """One kind of walk.

    every_node   True: each node of the route owes its own chain.
                 False: any alive node may answer, or, with `at`, the one where its keys are.
    keys         the landed listing that the walk's windows are cut from, or None.
    answered_by  the columns of an item that name the key which it answers (keyed walks).
    at           where each key is answered: its coordinator or leader; None where any broker knows it.
    creates      the internal topic that asking would create: nobody is asked before it has been seen.
    fallback     a whole walk: where the keys come from when its answer is too large or too late.
    """

    rpc: str
    scope: str
    every_node: bool = False
    keys: Keys | None = None
    answered_by: tuple[str, ...] = ()
    at: At | None = None
    creates: str | None = None
    fallback: Keys | None = None


OFFSETS_TOPIC = "__consumer_offsets"
"""The internal topic whose partitions' leaders coordinate groups."""

TRANSACTIONS_TOPIC = "__transaction_state"
"""The internal topic whose partitions' leaders coordinate transactional ids."""

_TOPICS = Keys("Metadata", "names", ("topic",))
_SIZED_TOPICS = Keys("Metadata", "names", ("topic", "partition_count"), Only("error_code", (0,)))
_PARTITIONS = Keys("DescribeTopicPartitions", "topics", ("topic", "partition"))
_GROUPS = Keys("ListGroups", "groups", ("group_id",))
_OPEN_TRANSACTIONS = Keys(
    "DescribeProducers",
    "partitions",
    ("topic", "partition"),
    Only("current_txn_start_offset", (-1,), null=-1, among=False),
)
_TRANSACTIONAL_IDS = Keys("ListTransactions", "transactions", ("transactional_id",))
_UNNAMED = "classic"
"""The type of groups whose broker does not tell types: it has no other."""


def _group_type(*types: str, among: bool = True) -> Keys:
    return replace(_GROUPS, only=Only("group_type", types, null=_UNNAMED, among=among))


def _coordinators(scope: str) -> At:
    return At(Keys("FindCoordinator", scope, ("key",), Only("error_code", (0,))), "node_id")


def _of_groups(rpc: str, keys: Keys) -> Landed:
    """A walk of groups, each at its coordinator."""
    return Landed(rpc, "groups", keys=keys, answered_by=("group_id",), at=_coordinators("groups"))


def _of_partitions(rpc: str, scope: str, keys: Keys = _PARTITIONS) -> Landed:
    """A walk of partitions, by default of all, each at its leader."""
    leaders = At(_PARTITIONS, "leader_id")
    return Landed(rpc, scope, keys=keys, answered_by=("topic", "partition"), at=leaders)


LANDED = (
    Landed("DescribeCluster", "cluster"),
    Landed("Metadata", "names"),
    Landed("DescribeTopicPartitions", "topics", keys=_TOPICS, answered_by=("topic",)),
    Landed("DescribeConfigs", "topics", keys=_TOPICS, answered_by=("resource_name",)),
    Landed("DescribeConfigs", "topics_all", keys=_TOPICS, answered_by=("resource_name",)),
    Landed("DescribeConfigs", "brokers", every_node=True),
    Landed("ListPartitionReassignments", "cluster", fallback=_SIZED_TOPICS),
    Landed("DescribeLogDirs", "log_dirs", every_node=True),
    Landed("ListGroups", "groups", every_node=True),
    Landed("FindCoordinator", "groups", keys=_GROUPS, answered_by=("key",), creates=OFFSETS_TOPIC),
    # Every group is described by the RPC of its type: by another one's it is "Dead". A type yet unknown is a row too.
    _of_groups("DescribeGroups", _group_type("consumer", "share", "streams", among=False)),
    _of_groups("ConsumerGroupDescribe", _group_type("consumer")),
    _of_groups("ShareGroupDescribe", _group_type("share")),
    _of_groups("StreamsGroupDescribe", _group_type("streams")),
    # Before the end offsets, or else a lag could be negative.
    _of_groups("OffsetFetch", _group_type("share", among=False)),
    _of_groups("DescribeShareGroupOffsets", _group_type("share")),
    _of_partitions("ListOffsets", "earliest"),
    _of_partitions("ListOffsets", "latest"),
    _of_partitions("ListOffsets", "last_stable"),
    # Before and after the transactions are listed and described: what is open in both was open in between.
    _of_partitions("DescribeProducers", "partitions"),
    Landed("ListTransactions", "transactions", every_node=True),
    Landed("DescribeTransactions", "probe"),
    Landed(
        "FindCoordinator",
        "transactional_ids",
        keys=_TRANSACTIONAL_IDS,
        answered_by=("key",),
        creates=TRANSACTIONS_TOPIC,
    ),
    Landed(
        "DescribeTransactions",
        "transactional_ids",
        keys=_TRANSACTIONAL_IDS,
        answered_by=("transactional_id",),
        at=_coordinators("transactional_ids"),
    ),
    _of_partitions("DescribeProducers", "recheck", _OPEN_TRANSACTIONS),
    Landed("DescribeAcls", "acls"),
    Landed("DescribeClientQuotas", "quotas"),
    Landed("DescribeUserScramCredentials", "scram_users"),
    Landed("ListConfigResources", "config_resources"),
    Landed("DescribeQuorum", "quorum"),
)
"""Every walk, in the order in which a census takes them."""
