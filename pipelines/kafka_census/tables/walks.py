"""What is asked of whom in a census, as data both halves agree on.

A `Walk` is one kind of walk: an RPC and a scope (the RPC's name alone is not
enough: DescribeConfigs walks topics at any broker, and brokers each at itself).
The plan makes requests from it; the completeness gate checks the landed pages
against it. Neither half imports the other for that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from kafka_census.error_codes import ErrorCode
from kafka_census.lookup import (
    ANY_BROKER,
    GROUP_COORDINATOR,
    TRANSACTION_COORDINATOR,
    AllBrokers,
    AnyBroker,
    LookupStrategy,
    PartitionLeader,
)


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
    """Keys that landed items name: `columns` of an item, joined by a slash; none where one of them is null.

    unless  keys that these name too are left out
    """

    rpc: str
    scope: str
    columns: tuple[str, ...]
    only: Only | None = None
    unless: "Keys | None" = None

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
class Located:
    """Landed items that say which broker answers a key.

    keys     the items, and the keys that they name
    node     their column with the broker's id; below 0 or null where no broker answers
    unowned  codes that are an ordinary answer for a key of which `node` says that no broker answers
    """

    keys: Keys
    node: str
    unowned: frozenset[int] = frozenset()


def joined(columns: tuple[str, ...]) -> str:
    """Columns as one key, in Spark's SQL."""
    parts = ", '/', ".join(columns)
    return f"concat({parts})" if len(columns) > 1 else parts


@dataclass(frozen=True)
class Walk:
    """One kind of walk.

    lookup       which broker answers: all that the route names, any alive one, or that of each key.
    keys         the landed listing that the walk's windows are cut from, or None.
    answered_by  the columns of an item that name the key which it answers (keyed walks).
    creates      the internal topic that asking would create: nobody is asked before it has been seen.
    fallback     a whole walk: where the keys come from when its answer is too large or too late.
    about        the columns that name what an item is about, where `answered_by` does not.
    ordinary     codes in `error_code` of an item that are an answer as good as any: what was asked for was deleted
                 since it was listed, or the code is what the walk is to find out. Any other code is an item
                 that was refused (`pages.item_errors`).
    lives_in     the internal topic that holds what the walk tells: of a partition without a leader nothing is
                 told, without an error (`pages.leaderless`).
    after        walks (rpc, scope) that must have ended before this one begins, for the sake of time; those that it
                 takes keys or places from must in any case (`comes_after`).
    """

    rpc: str
    scope: str
    lookup: LookupStrategy = ANY_BROKER
    keys: Keys | None = None
    answered_by: tuple[str, ...] = ()
    creates: str | None = None
    fallback: Keys | None = None
    about: tuple[str, ...] = ()
    ordinary: frozenset[int] = frozenset()
    lives_in: str | None = None
    after: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> tuple[str, str]:
        """(rpc, scope): what tells walks apart."""
        return self.rpc, self.scope

    @property
    def asks_all_brokers(self) -> bool:
        """Whether each broker owes a chain of its own."""
        return isinstance(self.lookup, AllBrokers)

    @property
    def asks_controller(self) -> bool:
        """Whether only the controller answers in ZooKeeper mode."""
        return isinstance(self.lookup, AnyBroker) and self.lookup.controller

    @property
    def located(self) -> Located | None:
        """What says which broker answers a key; None where that does not depend on keys."""
        return _LOCATED.get(self.lookup)

    @property
    def sources(self) -> frozenset[tuple[str, str]]:
        """The walks whose items this one is planned from: where its keys are listed and placed; its internal topic."""
        named = (self.keys, self.keys.unless if self.keys else None, self.located.keys if self.located else None)
        seen = {("Metadata", "names")} if self.creates else set()
        return frozenset(seen | {(keys.rpc, keys.scope) for keys in named if keys})

    @property
    def comes_after(self) -> frozenset[tuple[str, str]]:
        """The walks that must have ended before this one begins, where a census takes them."""
        return self.sources | frozenset(self.after)


OFFSETS_TOPIC = "__consumer_offsets"
"""The internal topic whose partitions' leaders coordinate groups."""

TRANSACTIONS_TOPIC = "__transaction_state"
"""The internal topic whose partitions' leaders coordinate transactional ids."""

RAFT_LOG = "__cluster_metadata"
"""A log of KRaft's in brokers' log dirs, and no topic."""

SHARE_STATE_TOPIC = "__share_group_state"
"""The internal topic that keeps the start offsets of share groups."""

# Kafka's codes, by what they say of an item.
_TOPIC_GONE = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})
_NO_LEADER = frozenset({ErrorCode.LEADER_NOT_AVAILABLE})  # of a share group's partition: its row says so
# Also of a group that became one of another type since it was listed.
_GROUP_GONE = frozenset({ErrorCode.GROUP_ID_NOT_FOUND})
_TRANSACTIONAL_ID_GONE = frozenset({ErrorCode.TRANSACTIONAL_ID_NOT_FOUND})
_NOT_LED = frozenset({ErrorCode.LEADER_NOT_AVAILABLE, ErrorCode.NOT_LEADER_OR_FOLLOWER})
# Each says whether the principal may describe an id that nobody has.
_PROBE_ANSWERS = frozenset(
    {ErrorCode.INVALID_REQUEST, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, ErrorCode.TRANSACTIONAL_ID_NOT_FOUND}
)
# Each says whether an ACL hides the topic: TOPIC_AUTHORIZATION_FAILED does.
_UNLISTED_ANSWERS = frozenset({*_TOPIC_GONE, *_NO_LEADER, ErrorCode.TOPIC_AUTHORIZATION_FAILED})
_NO_AUTHORIZER = frozenset({ErrorCode.SECURITY_DISABLED})
_NO_CREDENTIALS = frozenset({ErrorCode.RESOURCE_NOT_FOUND})
_DIR_OFFLINE = frozenset({ErrorCode.KAFKA_STORAGE_ERROR})  # a broken disk: `log_dir_usage` has a row for it

_TOPICS = Keys("Metadata", "names", ("topic",))
_SIZED_TOPICS = Keys("Metadata", "names", ("topic", "partition_count"), Only("error_code", (0,)))
_UNLISTED = Keys("DescribeLogDirs", "log_dirs", ("topic",), Only("topic", (RAFT_LOG,), among=False), unless=_TOPICS)
_PARTITIONS = Keys("DescribeTopicPartitions", "topics", ("topic", "partition"))
_GROUPS = Keys("ListGroups", "groups", ("group_id",))
_OPEN_TRANSACTIONS = Keys(
    "DescribeProducers",
    "partitions",
    ("topic", "partition"),
    Only("current_txn_start_offset", (-1,), null=-1, among=False),
)
_TRANSACTIONAL_IDS = Keys("ListTransactions", "transactions", ("transactional_id",))
_COMMITS = (("OffsetFetch", "groups"), ("DescribeShareGroupOffsets", "groups"))
_UNNAMED = "classic"
"""The type of groups whose broker does not tell types: it has no other."""


def _group_type(*types: str, among: bool = True) -> Keys:
    return replace(_GROUPS, only=Only("group_type", types, null=_UNNAMED, among=among))


def _coordinators(scope: str) -> Located:
    return Located(Keys("FindCoordinator", scope, ("key",), Only("error_code", (0,))), "node_id")


_LOCATED: Mapping[LookupStrategy, Located] = {
    GROUP_COORDINATOR: _coordinators("groups"),
    TRANSACTION_COORDINATOR: _coordinators("transactional_ids"),
    PartitionLeader(): Located(_PARTITIONS, "leader_id", unowned=_NOT_LED),
}


def _of_groups(rpc: str, keys: Keys) -> Walk:
    """A walk of groups, each at its coordinator."""
    return Walk(rpc, "groups", GROUP_COORDINATOR, keys, answered_by=("group_id",), ordinary=_GROUP_GONE)


def _of_partitions(rpc: str, scope: str, keys: Keys = _PARTITIONS) -> Walk:
    """A walk of partitions, by default of all, each at its leader."""
    return Walk(rpc, scope, PartitionLeader(), keys, answered_by=("topic", "partition"), ordinary=_TOPIC_GONE)


WALKS = (
    Walk("DescribeCluster", "cluster"),
    Walk("Metadata", "names", about=("topic",), ordinary=_TOPIC_GONE),
    # Before and after the partitions: a reassignment that ends in between is in the first answer only.
    Walk("ListPartitionReassignments", "before", lookup=AnyBroker(controller=True), fallback=_SIZED_TOPICS),
    Walk(
        "DescribeTopicPartitions",
        "topics",
        keys=_TOPICS,
        answered_by=("topic",),
        ordinary=_TOPIC_GONE,
        after=(("ListPartitionReassignments", "before"),),
    ),
    Walk("DescribeConfigs", "topics", keys=_TOPICS, answered_by=("resource_name",), ordinary=_TOPIC_GONE),
    Walk("DescribeConfigs", "topics_all", keys=_TOPICS, answered_by=("resource_name",), ordinary=_TOPIC_GONE),
    Walk("DescribeConfigs", "brokers", lookup=AllBrokers(), about=("resource_name",)),
    Walk(
        "ListPartitionReassignments",
        "cluster",
        lookup=AnyBroker(controller=True),
        fallback=_SIZED_TOPICS,
        after=(("DescribeTopicPartitions", "topics"),),
    ),
    Walk("DescribeLogDirs", "log_dirs", lookup=AllBrokers(), about=("log_dir",), ordinary=_DIR_OFFLINE),
    # A topic that is in a log dir alone was created since the names were listed, or is hidden: asked by name, it shows.
    Walk("Metadata", "unlisted", keys=_UNLISTED, answered_by=("topic",), ordinary=_UNLISTED_ANSWERS),
    Walk("ListGroups", "groups", lookup=AllBrokers(), lives_in=OFFSETS_TOPIC),
    Walk("FindCoordinator", "groups", keys=_GROUPS, answered_by=("key",), creates=OFFSETS_TOPIC),
    # Every group is described by the RPC of its type: by another one's it is "Dead". A type yet unknown is a row too.
    _of_groups("DescribeGroups", _group_type("consumer", "share", "streams", among=False)),
    _of_groups("ConsumerGroupDescribe", _group_type("consumer")),
    _of_groups("ShareGroupDescribe", _group_type("share")),
    _of_groups("StreamsGroupDescribe", _group_type("streams")),
    # Log starts before commits: deleteRecords and retention move a start past a commit that was in range when read.
    _of_partitions("ListOffsets", "earliest"),
    # Commits before the end offsets, or else a lag could be negative.
    replace(
        _of_groups("OffsetFetch", _group_type("share", among=False)),
        ordinary=_GROUP_GONE | _TOPIC_GONE,
        after=(("ListOffsets", "earliest"),),
    ),
    replace(
        _of_groups("DescribeShareGroupOffsets", _group_type("share")),
        ordinary=_GROUP_GONE | _TOPIC_GONE | _NO_LEADER,
        lives_in=SHARE_STATE_TOPIC,
        after=(("ListOffsets", "earliest"),),
    ),
    replace(_of_partitions("ListOffsets", "latest"), after=_COMMITS),
    replace(_of_partitions("ListOffsets", "last_stable"), after=_COMMITS),
    # Before and after the transactions are listed and described: what is open in both was open in between.
    _of_partitions("DescribeProducers", "partitions"),
    Walk(
        "ListTransactions",
        "transactions",
        lookup=AllBrokers(),
        lives_in=TRANSACTIONS_TOPIC,
        after=(("DescribeProducers", "partitions"),),
    ),
    Walk("DescribeTransactions", "probe", about=("transactional_id",), ordinary=_PROBE_ANSWERS),
    Walk(
        "FindCoordinator",
        "transactional_ids",
        keys=_TRANSACTIONAL_IDS,
        answered_by=("key",),
        creates=TRANSACTIONS_TOPIC,
    ),
    Walk(
        "DescribeTransactions",
        "transactional_ids",
        keys=_TRANSACTIONAL_IDS,
        answered_by=("transactional_id",),
        lookup=TRANSACTION_COORDINATOR,
        ordinary=_TRANSACTIONAL_ID_GONE,
    ),
    replace(
        _of_partitions("DescribeProducers", "recheck", _OPEN_TRANSACTIONS),
        after=(("DescribeTransactions", "transactional_ids"),),
    ),
    Walk("DescribeAcls", "acls", about=("resource_name",), ordinary=_NO_AUTHORIZER),
    Walk("DescribeClientQuotas", "quotas"),
    Walk("DescribeUserScramCredentials", "scram_users", about=("user",), ordinary=_NO_CREDENTIALS),
    Walk("ListConfigResources", "config_resources"),
    Walk("DescribeQuorum", "quorum", about=("topic", "partition")),
)
"""Every walk; those that one comes after stand before it. Which ones are taken together: `walks.levels`."""


def walk_named(rpc: str, scope: str) -> Walk:
    """The walk of that name."""
    return next(walk for walk in WALKS if (walk.rpc, walk.scope) == (rpc, scope))
