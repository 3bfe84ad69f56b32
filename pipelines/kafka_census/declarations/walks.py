"""The walks of a census, as data that both halves share.

The plan makes requests from the walks; the completeness gate compares the landed pages with them. Neither half
imports the other for that.
"""

from dataclasses import replace

from kafka_census.declarations.walk import PARTITIONS, Except, Keys, Only, Walk
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.lookup import GROUP_COORDINATOR, TRANSACTION_COORDINATOR, AllBrokers, AnyBroker, PartitionLeader

OFFSETS_TOPIC = "__consumer_offsets"
"""The internal topic whose partitions' leaders coordinate groups."""

TRANSACTIONS_TOPIC = "__transaction_state"
"""The internal topic whose partitions' leaders coordinate transactional ids."""

RAFT_LOG = "__cluster_metadata"
"""KRaft's metadata log, which is in brokers' log dirs and is no topic."""

SHARE_STATE_TOPIC = "__share_group_state"
"""The internal topic that keeps the start offsets of share groups."""

# Kafka's codes, by their meaning for an item.
_TOPIC_GONE = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})
_NO_LEADER = frozenset({ErrorCode.LEADER_NOT_AVAILABLE})  # for a partition of a share group, whose row says so
# Also answered for a group whose type has changed since it was listed.
_GROUP_GONE = frozenset({ErrorCode.GROUP_ID_NOT_FOUND})
_TRANSACTIONAL_ID_GONE = frozenset({ErrorCode.TRANSACTIONAL_ID_NOT_FOUND})
# Each answers whether the principal may DESCRIBE an id that does not exist.
_PROBE_ANSWERS = frozenset(
    {ErrorCode.INVALID_REQUEST, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, ErrorCode.TRANSACTIONAL_ID_NOT_FOUND}
)
# Each answers whether an ACL hides the topic: TOPIC_AUTHORIZATION_FAILED means that it does.
_UNLISTED_ANSWERS = frozenset({*_TOPIC_GONE, *_NO_LEADER, ErrorCode.TOPIC_AUTHORIZATION_FAILED})
_NO_AUTHORIZER = frozenset({ErrorCode.SECURITY_DISABLED})
_NO_CREDENTIALS = frozenset({ErrorCode.RESOURCE_NOT_FOUND})
_DIR_OFFLINE = frozenset({ErrorCode.KAFKA_STORAGE_ERROR})  # a broken disk: `log_dir_usage` has a row for it

_TOPICS = Keys("Metadata", "names", ("topic",))
_SIZED_TOPICS = Keys("Metadata", "names", ("topic", "partition_count"), Only("error_code", (0,)))
_UNLISTED = Keys("DescribeLogDirs", "log_dirs", ("topic",), Except("topic", (RAFT_LOG,)), unless=_TOPICS)
_GROUPS = Keys("ListGroups", "groups", ("group_id",))
_OPEN_TRANSACTIONS = Keys(
    "DescribeProducers",
    "partitions",
    ("topic", "partition"),
    Except("current_txn_start_offset", (-1,), null=-1),
)
_TRANSACTIONAL_IDS = Keys("ListTransactions", "transactions", ("transactional_id",))
_COMMITS = (("OffsetFetch", "groups"), ("DescribeShareGroupOffsets", "groups"))
_UNNAMED = "classic"
"""The type of groups whose broker does not report types: such brokers have no other type."""


def _group_type(*types: str) -> Keys:
    return replace(_GROUPS, only=Only("group_type", types, null=_UNNAMED))


def _other_group_types(*types: str) -> Keys:
    return replace(_GROUPS, only=Except("group_type", types, null=_UNNAMED))


def _of_groups(rpc: str, keys: Keys) -> Walk:
    """A walk of groups, each at its coordinator."""
    return Walk(rpc, "groups", GROUP_COORDINATOR, keys, answered_by=("group_id",), ordinary=_GROUP_GONE)


def _of_partitions(rpc: str, scope: str, keys: Keys = PARTITIONS) -> Walk:
    """A walk of partitions, by default of all partitions, each at its leader."""
    return Walk(rpc, scope, PartitionLeader(), keys, answered_by=("topic", "partition"), ordinary=_TOPIC_GONE)


WALKS = (
    Walk("DescribeCluster", "cluster"),
    Walk("ApiVersions", "features", lookup=AllBrokers()),
    Walk("Metadata", "names", about=("topic",), ordinary=_TOPIC_GONE),
    # Before and after the walk of partitions: a reassignment that ends in between is only in the first answer.
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
    # A topic found only in a log dir is new since the listing, or hidden: its answer by name tells which.
    Walk("Metadata", "unlisted", keys=_UNLISTED, answered_by=("topic",), ordinary=_UNLISTED_ANSWERS),
    Walk("ListGroups", "groups", lookup=AllBrokers(), lives_in=OFFSETS_TOPIC),
    Walk("FindCoordinator", "groups", keys=_GROUPS, answered_by=("key",), creates=OFFSETS_TOPIC),
    # The RPC of its type describes every group: other RPCs answer "Dead". A group of an unknown type is a row, too.
    _of_groups("DescribeGroups", _other_group_types("consumer", "share", "streams")),
    _of_groups("ConsumerGroupDescribe", _group_type("consumer")),
    _of_groups("ShareGroupDescribe", _group_type("share")),
    _of_groups("StreamsGroupDescribe", _group_type("streams")),
    # Log starts before commits: deleteRecords and retention may move a start past a commit that was in range.
    _of_partitions("ListOffsets", "earliest"),
    _of_partitions("ListOffsets", "max_timestamp"),
    # Commits before end offsets, or a lag could be negative.
    replace(
        _of_groups("OffsetFetch", _other_group_types("share")),
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
    # Before and after transactions are listed and described: a transaction open in both was open in between.
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
"""Every walk, after the walks that it comes after; `levels.levels` says which walks are taken together."""


def walk_named(rpc: str, scope: str) -> Walk:
    """The walk of this RPC and scope."""
    return next(walk for walk in WALKS if (walk.rpc, walk.scope) == (rpc, scope))
