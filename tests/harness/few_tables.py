"""Three published tables: enough to test what holds for any table, in a fraction of a whole census' time."""

from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS

FEW_TABLES = (GROUP_COORDINATOR_PLACEMENT, UNDER_MIN_ISR_PARTITIONS, REASSIGNMENT_BACKLOG)
