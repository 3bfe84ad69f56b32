"""One census: one run over one cluster, and its name.

A census id sorts by the time at which the census started and is unique without a
coordinator: `20261121T184500123Z-9f3a1c` is UTC to the millisecond and six random
hex digits. It is a path and partition value, so it holds no other characters.
"""

import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from kafka_census.clock import Clock
from kafka_census.errors import ConfigError, CorruptLake

Shows = Literal["computed", "published", "unpublished"]
"""What a report is about: the newest computed census, the last published one, or the newest unpublished one."""

_ID = re.compile(r"(\d{8}T\d{6})(\d{3})Z-[0-9a-f]{6}")


@dataclass(frozen=True)
class Census:
    """The identity of a census, which every step receives.

    census_id   sortable and unique, made by `new_census_id`
    cluster_id  Kafka's id of the cluster, from the answers of its brokers
    cluster     the configured name
    started_at  aware UTC; a resumed census keeps the first start
    tables      names of the published tables that this census computes
    """

    census_id: str
    cluster_id: str
    cluster: str
    started_at: datetime
    tables: tuple[str, ...]


def new_census_id(clock: Clock, after: str | None = None) -> str:
    """A fresh id for a census that starts now; greater than the id `after`, even if the clock went back since."""
    now = clock.now().astimezone(UTC)
    if after is not None:
        now = max(now, started_at(after) + timedelta(milliseconds=1))
    return f"{now:%Y%m%dT%H%M%S}{now.microsecond // 1000:03d}Z-{secrets.token_hex(3)}"


def started_at(census_id: str) -> datetime:
    """The aware start time in a census id, to the millisecond.

    Raises ConfigError when the text, which comes from the command line, is not a census id.
    """
    match = _ID.fullmatch(census_id)
    if not match:
        raise ConfigError(f"{census_id!r} is no census id; one looks like 20261121T184500123Z-9f3a1c")
    try:
        second = datetime.strptime(match[1], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        raise ConfigError(f"{census_id!r} is no census id: its date does not exist") from None
    return second + timedelta(milliseconds=int(match[2]))


def checked(census_id: str, where: str) -> str:
    """A census id from a table. Raises CorruptLake for any other text, which would become a part of SQL."""
    try:
        started_at(census_id)
    except ConfigError:
        raise CorruptLake(f"{where} holds the census id {census_id!r}, which is none: delete those rows") from None
    return census_id
