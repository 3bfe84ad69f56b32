"""Facts about a census, or one of its steps, that has just ended: published, refused or failed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from kafka_census.declarations.census import Census

if TYPE_CHECKING:
    from kafka_census.census.gate.gate import Judgement


WITHOUT_SCHEDULE = timedelta(days=2)
"""The age at which what is published is overdue where the configuration has no `schedule`."""


@dataclass(frozen=True)
class Facts:
    """How the census ended.

    cluster    the configured name
    ended_at   aware UTC
    exit_code  0 done, 1 failed, 3 refused
    tables     names of the published tables that the configuration asks for
    census     None where the census failed before it had an id
    published  whether readers see the census
    judgement  None where the census failed before the gate
    counts     figures counted in the tables of the census, by the name of their metric; empty where it failed before
    max_age    the age at which what is published is stale
    """

    cluster: str
    ended_at: datetime
    exit_code: int
    tables: frozenset[str]
    census: Census | None = None
    published: bool = False
    judgement: "Judgement | None" = None
    counts: Mapping[str, float] = field(default_factory=dict)
    max_age: timedelta = WITHOUT_SCHEDULE

    @property
    def outcome(self) -> str:
        """`published`, `refused` or `failed`."""
        if self.published:
            return "published"
        return "refused" if self.judgement and self.judgement.outcome == "refuse" else "failed"
