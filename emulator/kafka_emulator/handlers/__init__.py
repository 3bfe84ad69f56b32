"""One file per RPC; HANDLERS lists every RPC that is answered."""

from kafka_emulator.handlers.api_versions import API_VERSIONS
from kafka_emulator.handlers.consumer_group_describe import CONSUMER_GROUP_DESCRIBE
from kafka_emulator.handlers.delete_groups import DELETE_GROUPS
from kafka_emulator.handlers.describe_acls import DESCRIBE_ACLS
from kafka_emulator.handlers.describe_client_quotas import DESCRIBE_CLIENT_QUOTAS
from kafka_emulator.handlers.describe_cluster import DESCRIBE_CLUSTER
from kafka_emulator.handlers.describe_configs import DESCRIBE_CONFIGS
from kafka_emulator.handlers.describe_groups import DESCRIBE_GROUPS
from kafka_emulator.handlers.describe_log_dirs import DESCRIBE_LOG_DIRS
from kafka_emulator.handlers.describe_producers import DESCRIBE_PRODUCERS
from kafka_emulator.handlers.describe_quorum import DESCRIBE_QUORUM
from kafka_emulator.handlers.describe_share_group_offsets import DESCRIBE_SHARE_GROUP_OFFSETS
from kafka_emulator.handlers.describe_topic_partitions import DESCRIBE_TOPIC_PARTITIONS
from kafka_emulator.handlers.describe_transactions import DESCRIBE_TRANSACTIONS
from kafka_emulator.handlers.describe_user_scram_credentials import DESCRIBE_USER_SCRAM_CREDENTIALS
from kafka_emulator.handlers.find_coordinator import FIND_COORDINATOR
from kafka_emulator.handlers.list_config_resources import LIST_CONFIG_RESOURCES
from kafka_emulator.handlers.list_groups import LIST_GROUPS
from kafka_emulator.handlers.list_offsets import LIST_OFFSETS
from kafka_emulator.handlers.list_partition_reassignments import LIST_PARTITION_REASSIGNMENTS
from kafka_emulator.handlers.list_transactions import LIST_TRANSACTIONS
from kafka_emulator.handlers.metadata import METADATA
from kafka_emulator.handlers.offset_fetch import OFFSET_FETCH
from kafka_emulator.handlers.share_group_describe import SHARE_GROUP_DESCRIBE
from kafka_emulator.handlers.streams_group_describe import STREAMS_GROUP_DESCRIBE

HANDLERS = (
    API_VERSIONS,
    CONSUMER_GROUP_DESCRIBE,
    DELETE_GROUPS,
    DESCRIBE_ACLS,
    DESCRIBE_CLIENT_QUOTAS,
    DESCRIBE_CLUSTER,
    DESCRIBE_CONFIGS,
    DESCRIBE_GROUPS,
    DESCRIBE_LOG_DIRS,
    DESCRIBE_PRODUCERS,
    DESCRIBE_QUORUM,
    DESCRIBE_SHARE_GROUP_OFFSETS,
    DESCRIBE_TOPIC_PARTITIONS,
    DESCRIBE_TRANSACTIONS,
    DESCRIBE_USER_SCRAM_CREDENTIALS,
    FIND_COORDINATOR,
    LIST_CONFIG_RESOURCES,
    LIST_GROUPS,
    LIST_OFFSETS,
    LIST_PARTITION_REASSIGNMENTS,
    LIST_TRANSACTIONS,
    METADATA,
    OFFSET_FETCH,
    SHARE_GROUP_DESCRIBE,
    STREAMS_GROUP_DESCRIBE,
)
