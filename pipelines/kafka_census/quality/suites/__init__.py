"""The suites, one per published table."""

from kafka_census.quality.suites.suite_acl_inventory import ACL_INVENTORY_SUITE
from kafka_census.quality.suites.suite_brokers import BROKERS_SUITE
from kafka_census.quality.suites.suite_changes import CHANGES_SUITE
from kafka_census.quality.suites.suite_config_drift import CONFIG_DRIFT_SUITE
from kafka_census.quality.suites.suite_consumer_lag import CONSUMER_LAG_SUITE
from kafka_census.quality.suites.suite_coordinator_load import COORDINATOR_LOAD_SUITE
from kafka_census.quality.suites.suite_deletable_groups import DELETABLE_GROUPS_SUITE
from kafka_census.quality.suites.suite_group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT_SUITE
from kafka_census.quality.suites.suite_group_lag import GROUP_LAG_SUITE
from kafka_census.quality.suites.suite_group_members import GROUP_MEMBERS_SUITE
from kafka_census.quality.suites.suite_hanging_transactions import HANGING_TRANSACTIONS_SUITE
from kafka_census.quality.suites.suite_log_dir_usage import LOG_DIR_USAGE_SUITE
from kafka_census.quality.suites.suite_producer_state import PRODUCER_STATE_SUITE
from kafka_census.quality.suites.suite_quorum import QUORUM_SUITE
from kafka_census.quality.suites.suite_quotas import QUOTAS_SUITE
from kafka_census.quality.suites.suite_reassignment_backlog import REASSIGNMENT_BACKLOG_SUITE
from kafka_census.quality.suites.suite_reassignment_backlog_by_broker import REASSIGNMENT_BACKLOG_BY_BROKER_SUITE
from kafka_census.quality.suites.suite_scram_users import SCRAM_USERS_SUITE
from kafka_census.quality.suites.suite_topic_readiness import TOPIC_READINESS_SUITE
from kafka_census.quality.suites.suite_topics import TOPICS_SUITE
from kafka_census.quality.suites.suite_transaction_coordinator_placement import TRANSACTION_COORDINATOR_PLACEMENT_SUITE
from kafka_census.quality.suites.suite_under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS_SUITE

SUITES = (
    GROUP_COORDINATOR_PLACEMENT_SUITE,
    TRANSACTION_COORDINATOR_PLACEMENT_SUITE,
    COORDINATOR_LOAD_SUITE,
    UNDER_MIN_ISR_PARTITIONS_SUITE,
    TOPIC_READINESS_SUITE,
    REASSIGNMENT_BACKLOG_SUITE,
    REASSIGNMENT_BACKLOG_BY_BROKER_SUITE,
    CONSUMER_LAG_SUITE,
    GROUP_LAG_SUITE,
    GROUP_MEMBERS_SUITE,
    DELETABLE_GROUPS_SUITE,
    TOPICS_SUITE,
    PRODUCER_STATE_SUITE,
    HANGING_TRANSACTIONS_SUITE,
    BROKERS_SUITE,
    LOG_DIR_USAGE_SUITE,
    CONFIG_DRIFT_SUITE,
    ACL_INVENTORY_SUITE,
    QUOTAS_SUITE,
    QUORUM_SUITE,
    SCRAM_USERS_SUITE,
    CHANGES_SUITE,
)
"""Every suite; each published table has exactly one."""
