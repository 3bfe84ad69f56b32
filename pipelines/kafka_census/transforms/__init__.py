"""Transforms: pure functions from landed items to published tables, one file per table.

Each takes one DataFrame per role, by keyword, and returns the table's rows: the columns of `Table.computed`, in order.
A role is the items of a walk (see `pages.items`) or the rows of a table that this table is made of. Other roles are
`missing` (a sequence of `MissingRead`: the pages that are missing or refused in this census, at most one per broker and
walk) and, where the `Transform` asks for them, `previous` (this table's rows of the last published census, maybe none),
`desired` (a sequence of `Desired`: the desired configs of the cluster), and those of a comparison.
"""

from kafka_census.pages.missing_read import MissingRead
from kafka_census.transforms.acl_inventory import ACL_INVENTORY_TRANSFORM
from kafka_census.transforms.brokers import BROKERS_TRANSFORM
from kafka_census.transforms.changes import CHANGES_TRANSFORM
from kafka_census.transforms.config_drift import CONFIG_DRIFT_TRANSFORM
from kafka_census.transforms.consumer_lag import CONSUMER_LAG_TRANSFORM
from kafka_census.transforms.coordinator_load import COORDINATOR_LOAD_TRANSFORM
from kafka_census.transforms.deletable_groups import DELETABLE_GROUPS_TRANSFORM
from kafka_census.transforms.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT_TRANSFORM
from kafka_census.transforms.group_lag import GROUP_LAG_TRANSFORM
from kafka_census.transforms.group_members import GROUP_MEMBERS_TRANSFORM
from kafka_census.transforms.hanging_transactions import HANGING_TRANSACTIONS_TRANSFORM
from kafka_census.transforms.java_hash import java_hash, java_hash_sql, offsets_partition
from kafka_census.transforms.log_dir_usage import LOG_DIR_USAGE_TRANSFORM
from kafka_census.transforms.producer_state import PRODUCER_STATE_TRANSFORM
from kafka_census.transforms.quorum import QUORUM_TRANSFORM
from kafka_census.transforms.quotas import QUOTAS_TRANSFORM
from kafka_census.transforms.reassignment_backlog import REASSIGNMENT_BACKLOG_TRANSFORM
from kafka_census.transforms.reassignment_backlog_by_broker import REASSIGNMENT_BACKLOG_BY_BROKER_TRANSFORM
from kafka_census.transforms.scram_users import SCRAM_USERS_TRANSFORM
from kafka_census.transforms.topic_readiness import TOPIC_READINESS_TRANSFORM
from kafka_census.transforms.topics import TOPICS_TRANSFORM
from kafka_census.transforms.transaction_coordinator_placement import TRANSACTION_COORDINATOR_PLACEMENT_TRANSFORM
from kafka_census.transforms.transform import Earlier, Transform
from kafka_census.transforms.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS_TRANSFORM

TRANSFORMS = (
    GROUP_COORDINATOR_PLACEMENT_TRANSFORM,
    TRANSACTION_COORDINATOR_PLACEMENT_TRANSFORM,
    COORDINATOR_LOAD_TRANSFORM,
    UNDER_MIN_ISR_PARTITIONS_TRANSFORM,
    TOPIC_READINESS_TRANSFORM,
    REASSIGNMENT_BACKLOG_TRANSFORM,
    REASSIGNMENT_BACKLOG_BY_BROKER_TRANSFORM,
    CONSUMER_LAG_TRANSFORM,
    GROUP_LAG_TRANSFORM,
    GROUP_MEMBERS_TRANSFORM,
    DELETABLE_GROUPS_TRANSFORM,
    TOPICS_TRANSFORM,
    PRODUCER_STATE_TRANSFORM,
    HANGING_TRANSACTIONS_TRANSFORM,
    BROKERS_TRANSFORM,
    LOG_DIR_USAGE_TRANSFORM,
    CONFIG_DRIFT_TRANSFORM,
    ACL_INVENTORY_TRANSFORM,
    QUOTAS_TRANSFORM,
    QUORUM_TRANSFORM,
    SCRAM_USERS_TRANSFORM,
    CHANGES_TRANSFORM,
)
"""Every transform, in the order of `TABLES`."""

__all__ = ["TRANSFORMS", "Earlier", "MissingRead", "Transform", "java_hash", "java_hash_sql", "offsets_partition"]
