"""The meeting point of the two halves: names, places, columns with comments, keys.

Collecting writes landed pages and books; computing reads them. Neither knows the other.
`TABLES` are what people read, `BOOKS` what the census says of itself, `LANDED` what is asked.
"""

from collections.abc import Collection

from kafka_census.tables.books import BOOKS
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.landed import LANDED
from kafka_census.tables.reassignment_backlog import REASSIGNMENT_BACKLOG
from kafka_census.tables.table import Table
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS

TABLES = (GROUP_COORDINATOR_PLACEMENT, UNDER_MIN_ISR_PARTITIONS, REASSIGNMENT_BACKLOG)
"""Every published table; what one is made of comes before it."""


def tables_named(names: Collection[str]) -> tuple[Table, ...]:
    """The tables of these names, and those that they are made of, in the order of `TABLES`."""
    wanted = set(names)
    for table in reversed(TABLES):
        if table.name in wanted:
            wanted |= {other.name for other in table.made_of}
    return tuple(table for table in TABLES if table.name in wanted)


__all__ = ["BOOKS", "LANDED", "TABLES", "tables_named"]
