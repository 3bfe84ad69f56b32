"""What the gate lets pass of numbers: how far row counts may move, how far answers may lie apart in time.

Values only, without Great Expectations: the configuration has its defaults from here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType

COME_AND_GO = (
    "reassignment_backlog",
    "reassignment_backlog_by_broker",
    "hanging_transactions",
    "config_drift",
    "changes",
)
"""Tables whose rows are events: that none is left is good news."""


@dataclass(frozen=True)
class Thresholds:
    """`gate` of the configuration.

    keep_rows          share of the rows of the census before that a table must have; fewer refuses
    keep_rows_of       the same for single tables, by name; 0 lets any loss pass
    keep_rows_from     rows from which on a table is held to that
    grow_rows          factor by which a table may grow; more warns
    max_skew           time that may lie between the first and the last answer of a table; more warns
    quarantine_rows    failing rows that are kept of each expectation
    accept_row_counts  for one run: a loss of rows only warns
    """

    keep_rows: float = 0.5
    keep_rows_of: Mapping[str, float] = field(default_factory=lambda: MappingProxyType(dict.fromkeys(COME_AND_GO, 0.0)))
    keep_rows_from: int = 100
    grow_rows: float = 4.0
    max_skew: timedelta = timedelta(minutes=10)
    quarantine_rows: int = 1000
    accept_row_counts: bool = False


DEFAULTS = Thresholds()
"""What is not configured."""
