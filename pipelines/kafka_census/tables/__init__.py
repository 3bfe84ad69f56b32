"""The meeting point of the two halves: names, places, columns with comments, keys.

Collecting writes landed pages and books; computing reads them. Neither knows the other.
`TABLES` are what people read, `BOOKS` what the census says of itself, `LANDED` what is asked.
"""

from kafka_census.tables.books import BOOKS
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.landed import LANDED
from kafka_census.tables.reassignment_backlog import REASSIGNMENT_BACKLOG
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS

TABLES = (GROUP_COORDINATOR_PLACEMENT, UNDER_MIN_ISR_PARTITIONS, REASSIGNMENT_BACKLOG)
"""Every published table."""

__all__ = ["BOOKS", "LANDED", "TABLES"]
