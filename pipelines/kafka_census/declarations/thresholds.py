"""Thresholds of the gate: how far row counts may change, and how far answers may lie apart in time.

This module holds values only, without Great Expectations, so that the configuration takes its defaults from it.
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
"""Tables whose rows are events, such as moves: no rows left is a good state."""


@dataclass(frozen=True)
class Thresholds:
    """`gate` of the configuration.

    keep_rows          share of the rows of the previous census that a table must have; fewer rows refuse the census
    keep_rows_of       the same for single tables, by name; 0 accepts any loss
    keep_rows_from     rows in the previous census from which on `keep_rows` applies
    grow_rows          factor by which a table may grow; a larger factor is a warning
    max_skew           time between the first and the last answer of a table; a longer time is a warning
    quarantine_rows    failing rows that are kept for each expectation
    accept_row_counts  whether a loss of rows is only a warning, for one run
    """

    keep_rows: float = 0.5
    keep_rows_of: Mapping[str, float] = field(default_factory=lambda: MappingProxyType(dict.fromkeys(COME_AND_GO, 0.0)))
    keep_rows_from: int = 100
    grow_rows: float = 4.0
    max_skew: timedelta = timedelta(minutes=10)
    quarantine_rows: int = 1000
    accept_row_counts: bool = False


DEFAULTS = Thresholds()
"""The defaults."""
