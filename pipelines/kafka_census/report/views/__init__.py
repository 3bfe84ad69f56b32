"""The view of each published table on a terminal: the shown rows and their order; one file per table."""

from kafka_census.report.views.acl_inventory import ACL_INVENTORY_VIEW
from kafka_census.report.views.brokers import BROKERS_VIEW
from kafka_census.report.views.changes import CHANGES_VIEW
from kafka_census.report.views.config_drift import CONFIG_DRIFT_VIEW
from kafka_census.report.views.consumer_lag import CONSUMER_LAG_VIEW
from kafka_census.report.views.coordinator_load import COORDINATOR_LOAD_VIEW
from kafka_census.report.views.deletable_groups import DELETABLE_GROUPS_VIEW
from kafka_census.report.views.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT_VIEW
from kafka_census.report.views.group_lag import GROUP_LAG_VIEW
from kafka_census.report.views.group_members import GROUP_MEMBERS_VIEW
from kafka_census.report.views.hanging_transactions import HANGING_TRANSACTIONS_VIEW
from kafka_census.report.views.log_dir_usage import LOG_DIR_USAGE_VIEW
from kafka_census.report.views.producer_state import PRODUCER_STATE_VIEW
from kafka_census.report.views.quorum import QUORUM_VIEW
from kafka_census.report.views.quotas import QUOTAS_VIEW
from kafka_census.report.views.reassignment_backlog import REASSIGNMENT_BACKLOG_VIEW
from kafka_census.report.views.reassignment_backlog_by_broker import REASSIGNMENT_BACKLOG_BY_BROKER_VIEW
from kafka_census.report.views.scram_users import SCRAM_USERS_VIEW
from kafka_census.report.views.topic_readiness import TOPIC_READINESS_VIEW
from kafka_census.report.views.topics import TOPICS_VIEW
from kafka_census.report.views.transaction_coordinator_placement import TRANSACTION_COORDINATOR_PLACEMENT_VIEW
from kafka_census.report.views.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS_VIEW
from kafka_census.report.views.view import View

VIEWS = (
    UNDER_MIN_ISR_PARTITIONS_VIEW,
    TOPIC_READINESS_VIEW,
    GROUP_COORDINATOR_PLACEMENT_VIEW,
    TRANSACTION_COORDINATOR_PLACEMENT_VIEW,
    COORDINATOR_LOAD_VIEW,
    REASSIGNMENT_BACKLOG_BY_BROKER_VIEW,
    REASSIGNMENT_BACKLOG_VIEW,
    HANGING_TRANSACTIONS_VIEW,
    GROUP_LAG_VIEW,
    CONSUMER_LAG_VIEW,
    GROUP_MEMBERS_VIEW,
    DELETABLE_GROUPS_VIEW,
    TOPICS_VIEW,
    PRODUCER_STATE_VIEW,
    BROKERS_VIEW,
    LOG_DIR_USAGE_VIEW,
    CONFIG_DRIFT_VIEW,
    ACL_INVENTORY_VIEW,
    QUOTAS_VIEW,
    QUORUM_VIEW,
    SCRAM_USERS_VIEW,
    CHANGES_VIEW,
)
"""The views in the order of the report: tables that affect writers first."""

__all__ = ["VIEWS", "View"]
