"""Times as a few words."""

from datetime import timedelta

import pytest

from kafka_census.wording import span


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0, "0s"), (59, "59s"), (3600, "1h"), (3661, "1h 1min"), (90_000, "1d 1h")]
)
def test_ages_are_told_in_two_units(seconds: int, expected: str) -> None:
    """`1h 5min` says enough."""
    assert span(timedelta(seconds=seconds)) == expected
