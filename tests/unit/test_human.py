"""Sizes, durations and counts as people read them."""

from datetime import timedelta

import pytest

from kafka_census.human import counted, human_bytes, human_time


@pytest.mark.parametrize(
    ("count", "expected"),
    [(None, "?"), (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_960, "1.0 MB"), (5 * 10**18, "5000.0 PB")],
)
def test_human_bytes(count: int | None, expected: str) -> None:
    assert human_bytes(count) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"), [(None, "?"), (0, "0s"), (61, "1m 1s"), (90_061, "1d 1h"), (3600, "1h")]
)
def test_human_time(seconds: int | None, expected: str) -> None:
    assert human_time(seconds) == expected
    assert seconds is None or human_time(timedelta(seconds=seconds)) == expected


def test_counted_knows_one_from_many() -> None:
    assert [counted(1, "group"), counted(2000, "group"), counted(2, "entry", "entries")] == [
        "1 group",
        "2,000 groups",
        "2 entries",
    ]
