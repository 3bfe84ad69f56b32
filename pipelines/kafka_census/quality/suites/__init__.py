"""The suites, one a published table."""

from kafka_census.quality.suites.suite_group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT_SUITE
from kafka_census.quality.suites.suite_reassignment_backlog import REASSIGNMENT_BACKLOG_SUITE
from kafka_census.quality.suites.suite_under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS_SUITE

SUITES = (GROUP_COORDINATOR_PLACEMENT_SUITE, UNDER_MIN_ISR_PARTITIONS_SUITE, REASSIGNMENT_BACKLOG_SUITE)
"""Every suite; each published table has exactly one."""
