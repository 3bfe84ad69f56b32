"""A census and its id."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from kafka_census.clock import Clock
from kafka_census.declarations.census import new_census_id, started_at
from kafka_census.errors import ConfigError


class _Stopped(Clock):
    """A clock that shows one time."""

    def __init__(self, time: datetime) -> None:
        self.time = time

    def now(self) -> datetime:
        return self.time


def test_ids_sort_by_the_time_of_their_start() -> None:
    times = [datetime(2026, 12, 31, 23, 59, 59, ms * 1000, tzinfo=UTC) for ms in (0, 9, 10, 999)]
    times.append(datetime(2027, 1, 1, tzinfo=UTC))
    ids = [new_census_id(_Stopped(time)) for time in times]
    assert ids == sorted(ids)


def test_an_id_follows_another_though_the_clock_went_back() -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    ahead = new_census_id(_Stopped(now + timedelta(hours=3)))
    assert new_census_id(_Stopped(now), after=ahead) > ahead
    behind = new_census_id(_Stopped(now - timedelta(hours=3)))
    assert started_at(new_census_id(_Stopped(now), after=behind)) == now


def test_an_id_carries_its_start_in_utc_to_the_millisecond() -> None:
    time = datetime(2026, 11, 21, 20, 45, 0, 123456, tzinfo=timezone(timedelta(hours=2)))
    found = new_census_id(_Stopped(time))
    assert found.startswith("20261121T184500123Z-")
    assert started_at(found) == datetime(2026, 11, 21, 18, 45, 0, 123000, tzinfo=UTC)


def test_two_ids_of_one_millisecond_differ() -> None:
    clock = _Stopped(datetime(2026, 11, 21, tzinfo=UTC))
    assert len({new_census_id(clock) for _ in range(50)}) == 50


@pytest.mark.parametrize(
    "text", ["", "latest", "20261121T184500123Z", "20261121T184500123Z-9f3a1c'", "20269921T184500123Z-9f3a1c"]
)
def test_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="no census id"):
        started_at(text)
