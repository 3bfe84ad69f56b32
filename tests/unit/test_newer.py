"""What became of a census that is newer than the published one that a reader shows."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import kafka_census
from harness.page_lake import write_census
from harness.small_lake import NOON, census_id
from kafka_census.errors import Stale
from kafka_census.reading.newer import Event, age, newer
from kafka_census.tables.brokers.columns import BROKERS


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


def test_only_of_a_refused_census_there_is_a_report() -> None:
    """Of one that is computed and not judged, or judged and not published, `report --unpublished` is an error."""
    those = events("2 staged", "3 gated", "4 refused", "5 failed")
    assert [event.event for event in those if event.is_shown] == ["refused"]


def test_an_age_says_when_it_is_too_great_and_is_not_negative() -> None:
    (event,) = events("2 refused")
    assert " 0s ago" in event.line(NOON - timedelta(hours=1))
    at, now = NOON, NOON + timedelta(hours=3)
    assert [age(at, now, allowed and timedelta(hours=allowed)) for allowed in (None, 3, 2)] == [
        "3h ago",
        "3h ago",
        "3h ago, more than schedule.max_age (2h)",
    ]


def test_python_is_told_how_fresh_it_is(tmp_path: Path) -> None:
    write_census(tmp_path, 1, {}, [BROKERS])
    write_census(tmp_path, 2, {}, [BROKERS], refused="broker 3 did not answer")
    found = kafka_census.current(str(tmp_path), "brokers")
    (fresh,) = found.freshness
    assert (len(found), fresh.cluster, fresh.census_id) == (1, "shop", census_id(1))
    assert fresh.age == pytest.approx(datetime.now(UTC) - NOON - timedelta(hours=1), abs=timedelta(minutes=1))
    assert fresh.newer is not None
    assert "was refused" in fresh.newer
    assert len(kafka_census.current(str(tmp_path), "brokers", max_age=fresh.age + timedelta(minutes=1))) == 1
    line = rf"^census {census_id(1)} of shop was published .* ago, more than max_age \(2h\); A newer census, "
    with pytest.raises(Stale, match=line):
        kafka_census.current(str(tmp_path), "brokers", max_age=timedelta(hours=2))
