"""Skew in time: a census is no snapshot, and a table reports how far apart its answers came."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from kafka_census.census.gate.completeness import Walked
from kafka_census.census.gate.verdict import Verdict
from kafka_census.declarations.table import Table
from kafka_census.declarations.thresholds import Thresholds
from kafka_census.terminal.human import human_time

RULE = "answers_are_of_one_time"


@dataclass(frozen=True)
class Skew:
    """When the first and the last answer of a table were received; None without an answer."""

    first: datetime | None = None
    last: datetime | None = None

    @classmethod
    def of(cls, walks: Iterable[Walked]) -> "Skew":
        """The skew over all walks that a table reads."""
        each = list(walks)
        return cls(
            min((walk.first_received_at for walk in each if walk.first_received_at), default=None),
            max((walk.observed_to for walk in each if walk.observed_to), default=None),
        )

    @property
    def length(self) -> timedelta:
        """The time between the first and the last answer."""
        return self.last - self.first if self.first and self.last else timedelta()


NO_SKEW = Skew()
"""The skew of a table without an answer."""


def judge_skew(table: Table, skew: Skew, thresholds: Thresholds) -> Verdict:
    """A warning where the answers of one table came further apart than `gate.max_skew`."""
    wide = skew.length > thresholds.max_skew
    came = f"the answers that the table is computed from came within {human_time(skew.length)}"
    limit = f", more than gate.max_skew ({human_time(thresholds.max_skew)}): its rows are of different times"
    return Verdict(
        table_name=table.name,
        rule=RULE,
        kind="time",
        severity="warning",
        outcome="warn" if wide else "pass",
        checked_rows=0,
        failed_rows=0,
        failing_keys=(),
        message=came + (limit if wide else ""),
    )
