"""Retention: what stays, what goes, and that it does not matter how often the rule is applied."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_census.declarations.census import Census
from kafka_census.upkeep.maintenance.retention import Known, Retention, removable, to_clear, to_retire

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
RULES = Retention(landed=7 * DAY, every=2 * DAY, daily=6 * DAY, grace=DAY, resume_within=DAY / 24)
HOURS = 24 * 9


def known(hours_ago: float, cluster: str = "c", tables: Iterable[str] = ("a", "b"), *, touched: float = 0) -> Known:
    """A census that started so many hours ago, and was last touched `touched` hours ago (0: when it started)."""
    started = NOW - timedelta(hours=hours_ago)
    made = Census(f"{started:%Y%m%dT%H%M%S}000Z-00000{cluster}", cluster, cluster, started, tuple(tables))
    touched_at = NOW - timedelta(hours=touched) if touched else started
    return Known(made, frozenset(tables), touched_at)


def hours(found: Iterable[Known]) -> list[float]:
    return [(NOW - one.census.started_at) / timedelta(hours=1) for one in found]


def after(visible: Iterable[Known], now: datetime) -> list[Known]:
    gone = to_retire(visible, RULES, now)
    return [one for one in visible if one not in gone]


histories = st.lists(
    st.builds(
        known, st.integers(0, HOURS), st.sampled_from(["c", "d"]), st.sets(st.sampled_from(["a", "b"]), min_size=1)
    ),
    unique_by=lambda one: one.census.census_id,
)


@given(histories)
def test_what_readers_were_promised_stays_and_growth_is_bounded(visible: list[Known]) -> None:
    """Every census while it is young, then the last of each day, table and cluster; and the last of all, always.

    Of what is old, at most one census per day, table and cluster is left; of what is very old, the last alone.
    """
    left = after(visible, NOW)
    for one in visible:
        census = one.census
        if NOW - census.started_at <= RULES.every:
            assert one in left
        for table in one.visible_in:
            ours = [other for other in left if other.census.cluster_id == census.cluster_id]
            same = [other for other in ours if table in other.visible_in]
            assert max(other.census.census_id for other in same) >= census.census_id
            if NOW - census.started_at <= RULES.daily:
                day = [other for other in same if other.census.started_at.date() == census.started_at.date()]
                assert max(other.census.census_id for other in day) >= census.census_id
    old = [one for one in left if NOW - one.census.started_at > RULES.every]
    days = [(one.census.cluster_id, one.census.started_at.date()) for one in old]
    assert all(days.count(day) <= 2 for day in days)
    for one in old:
        if NOW - one.census.started_at > RULES.daily:
            ours = [other for other in left if other.census.cluster_id == one.census.cluster_id]
            later = [other.visible_in for other in ours if other.census.census_id > one.census.census_id]
            assert one.visible_in - frozenset().union(*later)


def test_a_cluster_is_its_id_and_its_present_name() -> None:
    """Of two clusters with a copied id each keeps its last census; of a renamed one only the last stays."""
    prod, dev = known(300, "prod"), known(200, "dev")
    copied = [replace(one, census=replace(one.census, cluster_id="copied")) for one in (prod, dev)]
    assert to_retire(copied, RULES, NOW) == ()
    assert hours(to_retire(copied, replace(RULES, present={"prod": "dev"}), NOW)) == [300]


@given(histories, st.integers(0, HOURS))
def test_applied_often_or_seldom_the_same_is_left(visible: list[Known], hours_before: int) -> None:
    earlier = NOW - timedelta(hours=hours_before)
    then = [one for one in visible if one.census.started_at <= earlier]
    since = [one for one in visible if one not in then]
    assert set(after([*after(then, earlier), *since], NOW)) == set(after(visible, NOW))


def test_the_last_of_a_utc_day_is_kept() -> None:
    """At noon: 60, 61 and 84 hours ago are midnight, an hour before it, and midnight of the day before."""
    visible = [known(1), known(60), known(61), known(62), known(84), known(24 * 8)]
    assert hours(to_retire(visible, RULES, NOW)) == [24 * 8, 84, 62]


def test_what_was_said_is_done_and_pages_go_once_when_they_are_old() -> None:
    for other in (known(1), known(24 * 8)):
        assert hours(to_retire([replace(known(3), retired=True), other], RULES, NOW)) == [3]

    ages = [known(24 * 8), known(24 * 7.5, tables=()), known(24 * 7), replace(known(24 * 9), cleared=True)]
    assert hours(to_clear(ages, RULES, NOW)) == [24 * 8, 24 * 7.5]


PATIENT = replace(RULES, resume_within=9 * DAY, grace=0 * DAY)


@pytest.mark.parametrize(
    ("one", "rules", "goes"),
    [
        (replace(known(48, tables=(), touched=25), retired=True), RULES, True),
        (replace(known(48, tables=(), touched=23), retired=True), RULES, False),
        (known(24 * 8, tables=(), touched=25), RULES, True),
        (known(48, tables=(), touched=25), RULES, False),
        (known(48, tables=["a"], touched=25), RULES, False),
        (known(24 * 8, tables=(), touched=40), PATIENT, False),
    ],
    ids=["retired", "within its grace", "never published", "with its pages", "visible", "may go on"],
)
def test_rows_go_when_nobody_can_see_them(one: Known, rules: Retention, goes: bool) -> None:
    """A grace after the last thing that happened to the census, and never those of a visible one.

    What was refused or left unfinished may be judged or computed again while its landed pages are there.
    """
    assert (one.census.census_id in removable([one], rules, NOW)) is goes
