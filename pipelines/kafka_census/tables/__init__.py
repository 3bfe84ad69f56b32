"""The declarations that both halves share: tables with layers, columns, comments and keys, and walks.

Collecting writes landed pages and audit tables; computing reads them. Neither half imports the other.
`TABLES` are the tables that people read, `AUDIT_TABLES` the record of what censuses did, `WALKS` the requests.
"""

from collections.abc import Collection

from kafka_census.tables.acl_inventory import ACL_INVENTORY
from kafka_census.tables.alerts import ALERTS
from kafka_census.tables.audit import CENSUS_AUDIT_TABLES
from kafka_census.tables.brokers import BROKERS
from kafka_census.tables.changes import CHANGES
from kafka_census.tables.config_drift import CONFIG_DRIFT
from kafka_census.tables.consumer_lag import CONSUMER_LAG
from kafka_census.tables.coordinator_load import COORDINATOR_LOAD
from kafka_census.tables.deletable_groups import DELETABLE_GROUPS
from kafka_census.tables.deletions import DELETION_AUDIT_TABLES
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.group_lag import GROUP_LAG
from kafka_census.tables.group_members import GROUP_MEMBERS
from kafka_census.tables.hanging_transactions import HANGING_TRANSACTIONS
from kafka_census.tables.log_dir_usage import LOG_DIR_USAGE
from kafka_census.tables.producer_state import PRODUCER_STATE
from kafka_census.tables.quorum import QUORUM
from kafka_census.tables.quotas import QUOTAS
from kafka_census.tables.reassignment_backlog import REASSIGNMENT_BACKLOG
from kafka_census.tables.reassignment_backlog_by_broker import REASSIGNMENT_BACKLOG_BY_BROKER
from kafka_census.tables.scram_users import SCRAM_USERS
from kafka_census.tables.table import Table
from kafka_census.tables.topic_readiness import TOPIC_READINESS
from kafka_census.tables.topics import TOPICS
from kafka_census.tables.transaction_coordinator_placement import TRANSACTION_COORDINATOR_PLACEMENT
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS
from kafka_census.tables.walks import WALKS

TABLES = (
    GROUP_COORDINATOR_PLACEMENT,
    TRANSACTION_COORDINATOR_PLACEMENT,
    COORDINATOR_LOAD,
    UNDER_MIN_ISR_PARTITIONS,
    TOPIC_READINESS,
    REASSIGNMENT_BACKLOG,
    REASSIGNMENT_BACKLOG_BY_BROKER,
    CONSUMER_LAG,
    GROUP_LAG,
    GROUP_MEMBERS,
    DELETABLE_GROUPS,
    TOPICS,
    PRODUCER_STATE,
    HANGING_TRANSACTIONS,
    BROKERS,
    LOG_DIR_USAGE,
    CONFIG_DRIFT,
    ACL_INVENTORY,
    QUOTAS,
    QUORUM,
    SCRAM_USERS,
    CHANGES,
)
"""Every published table; a table comes after the tables that it is made of."""

AUDIT_TABLES = (*CENSUS_AUDIT_TABLES, ALERTS, *DELETION_AUDIT_TABLES)
"""Every audit table."""


def tables_named(names: Collection[str]) -> tuple[Table, ...]:
    """The tables of these names, and the tables that they are made of, in the order of `TABLES`."""
    wanted = set(names)
    for table in reversed(TABLES):
        if table.name in wanted:
            wanted |= {other.name for other in table.made_of}
    return tuple(table for table in TABLES if table.name in wanted)


__all__ = ["AUDIT_TABLES", "TABLES", "WALKS", "tables_named"]
