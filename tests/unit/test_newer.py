"""What became of a census that is newer than the published one that a reader shows."""

from datetime import UTC, datetime, timedelta

import pytest

from kafka_census.reading.newer import Event, age, newer

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def events(*those: str) -> list[Event]:
    """Events such as `2 refused`: each a minute after the one before it."""
    pairs = [one.split() for one in those]
    return [Event(of, event, NOON + timedelta(minutes=at), "why") for at, (of, event) in enumerate(pairs)]


@pytest.mark.parametrize(
    ("those", "line"),
    [
        (["1 published", "2 started", "2 refused"], "A newer census, 2, was refused 58m ago: why"),
        (["2 failed", "2 resumed", "2 failed"], "A newer census, 2, ended with an error 58m ago: why"),
        (["2 started", "2 failed", "2 resumed"], "A newer census, 2, has not ended, and was resumed 58m ago"),
        (["3 started", "2 started", "2 refused"], "A newer census, 3, has not ended, and was started 1h ago"),
        (["2 refused", "2 cleared"], "A newer census, 2, was refused 1h ago: why"),
        (["2 refused", "3 published"], None),
        (["2 gated", "2 published", "2 retired"], None),
        (["0 refused", "1 published"], None),
        ([], None),
    ],
)
def test_the_newest_census_is_named_unless_it_is_published(those: list[str], line: str | None) -> None:
    found = newer(events(*those), "1")
    assert (found and found.line(NOON + timedelta(hours=1))) == line


def test_a_clock_that_was_ahead_makes_no_negative_age() -> None:
    (event,) = events("2 refused")
    assert " 0s ago" in event.line(NOON - timedelta(hours=1))


def test_an_age_says_when_it_is_too_great() -> None:
    at, now = NOON, NOON + timedelta(hours=3)
    assert [age(at, now, allowed and timedelta(hours=allowed)) for allowed in (None, 3, 2)] == [
        "3h ago",
        "3h ago",
        "3h ago, more than schedule.max_age (2h)",
    ]
