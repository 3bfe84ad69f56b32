"""One file per RPC; `RPCS` lists them all, in the order of a census."""

from kafka_census.kafka.paging.rpc import Rpc
from kafka_census.kafka.rpc.api_versions import API_VERSIONS
from kafka_census.kafka.rpc.consumer_group_describe import CONSUMER_GROUP_DESCRIBE
from kafka_census.kafka.rpc.describe_acls import DESCRIBE_ACLS
from kafka_census.kafka.rpc.describe_client_quotas import DESCRIBE_CLIENT_QUOTAS
from kafka_census.kafka.rpc.describe_cluster import DESCRIBE_CLUSTER
from kafka_census.kafka.rpc.describe_configs import (
    DESCRIBE_CONFIGS_BROKERS,
    DESCRIBE_CONFIGS_TOPICS,
    DESCRIBE_CONFIGS_TOPICS_ALL,
)
from kafka_census.kafka.rpc.describe_groups import DESCRIBE_GROUPS
from kafka_census.kafka.rpc.describe_log_dirs import DESCRIBE_LOG_DIRS
from kafka_census.kafka.rpc.describe_producers import DESCRIBE_PRODUCERS, DESCRIBE_PRODUCERS_RECHECK
from kafka_census.kafka.rpc.describe_quorum import DESCRIBE_QUORUM
from kafka_census.kafka.rpc.describe_share_group_offsets import DESCRIBE_SHARE_GROUP_OFFSETS
from kafka_census.kafka.rpc.describe_topic_partitions import DESCRIBE_TOPIC_PARTITIONS
from kafka_census.kafka.rpc.describe_transactions import DESCRIBE_TRANSACTIONS, DESCRIBE_TRANSACTIONS_PROBE
from kafka_census.kafka.rpc.describe_user_scram_credentials import DESCRIBE_USER_SCRAM_CREDENTIALS
from kafka_census.kafka.rpc.find_coordinator import FIND_COORDINATOR_GROUPS, FIND_COORDINATOR_TRANSACTIONS
from kafka_census.kafka.rpc.list_config_resources import LIST_CONFIG_RESOURCES
from kafka_census.kafka.rpc.list_groups import LIST_GROUPS
from kafka_census.kafka.rpc.list_offsets import (
    LIST_OFFSETS_EARLIEST,
    LIST_OFFSETS_LAST_STABLE,
    LIST_OFFSETS_LATEST,
    LIST_OFFSETS_MAX_TIMESTAMP,
)
from kafka_census.kafka.rpc.list_partition_reassignments import (
    LIST_PARTITION_REASSIGNMENTS,
    LIST_PARTITION_REASSIGNMENTS_BEFORE,
)
from kafka_census.kafka.rpc.list_transactions import LIST_TRANSACTIONS
from kafka_census.kafka.rpc.metadata import METADATA, METADATA_UNLISTED
from kafka_census.kafka.rpc.offset_fetch import OFFSET_FETCH
from kafka_census.kafka.rpc.share_group_describe import SHARE_GROUP_DESCRIBE
from kafka_census.kafka.rpc.streams_group_describe import STREAMS_GROUP_DESCRIBE

RPCS = (
    DESCRIBE_CLUSTER,
    API_VERSIONS,
    METADATA,
    METADATA_UNLISTED,
    LIST_PARTITION_REASSIGNMENTS_BEFORE,
    DESCRIBE_TOPIC_PARTITIONS,
    DESCRIBE_CONFIGS_TOPICS,
    DESCRIBE_CONFIGS_TOPICS_ALL,
    DESCRIBE_CONFIGS_BROKERS,
    LIST_PARTITION_REASSIGNMENTS,
    DESCRIBE_LOG_DIRS,
    LIST_GROUPS,
    FIND_COORDINATOR_GROUPS,
    DESCRIBE_GROUPS,
    CONSUMER_GROUP_DESCRIBE,
    SHARE_GROUP_DESCRIBE,
    STREAMS_GROUP_DESCRIBE,
    OFFSET_FETCH,
    DESCRIBE_SHARE_GROUP_OFFSETS,
    LIST_OFFSETS_EARLIEST,
    LIST_OFFSETS_LATEST,
    LIST_OFFSETS_LAST_STABLE,
    LIST_OFFSETS_MAX_TIMESTAMP,
    DESCRIBE_PRODUCERS,
    LIST_TRANSACTIONS,
    DESCRIBE_TRANSACTIONS_PROBE,
    FIND_COORDINATOR_TRANSACTIONS,
    DESCRIBE_TRANSACTIONS,
    DESCRIBE_PRODUCERS_RECHECK,
    DESCRIBE_ACLS,
    DESCRIBE_CLIENT_QUOTAS,
    DESCRIBE_USER_SCRAM_CREDENTIALS,
    LIST_CONFIG_RESOURCES,
    DESCRIBE_QUORUM,
)


def rpc(name: str, scope: str) -> Rpc:
    """The RPC of this name and scope. Raises KeyError when there is none."""
    for known in RPCS:
        if (known.name, known.scope) == (name, scope):
            return known
    raise KeyError((name, scope))


__all__ = ["RPCS", "rpc"]
