"""What of each published table is worth reading on a terminal, and what is worst; one file a table."""

from kafka_census.report.views.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT_VIEW
from kafka_census.report.views.reassignment_backlog import REASSIGNMENT_BACKLOG_VIEW
from kafka_census.report.views.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS_VIEW
from kafka_census.report.views.view import View

VIEWS = (UNDER_MIN_ISR_PARTITIONS_VIEW, GROUP_COORDINATOR_PLACEMENT_VIEW, REASSIGNMENT_BACKLOG_VIEW)
"""The tables in the order in which they are told: what hurts writers first."""

__all__ = ["VIEWS", "View"]
