"""Which census a job works on: its id, what may be resumed, what is of the future, what is meant by name."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from kafka_census.census import run as workflow
from kafka_census.census.work import Work
from kafka_census.declarations.census import new_census_id, started_at
from kafka_census.errors import CensusError, ClockBehind, ConfigError, WrongCluster
from kafka_census.lake.cluster_key import Last
from kafka_census.lake.runs import Run
from unit.workflow.stand_ins import AHEAD, BEFORE, ENDED, Noted, Parts, Stopped, renamed, run


def test_ids_sort_by_the_time_of_their_start_and_differ_within_a_millisecond() -> None:
    times = [datetime(2026, 12, 31, 23, 59, 59, ms * 1000, tzinfo=UTC) for ms in (0, 9, 10, 999)]
    times.append(datetime(2027, 1, 1, tzinfo=UTC))
    ids = [new_census_id(Stopped(time)) for time in times]
    assert ids == sorted(ids)
    assert len({new_census_id(Stopped(times[0])) for _ in range(50)}) == 50


def test_an_id_tells_its_start_and_follows_another_though_the_clock_went_back() -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    ahead = new_census_id(Stopped(now + timedelta(hours=3)))
    assert new_census_id(Stopped(now), after=ahead) > ahead
    behind = new_census_id(Stopped(now - timedelta(hours=3)))
    assert started_at(new_census_id(Stopped(now), after=behind)) == now
    # It carries its start in UTC, to the millisecond.
    time = datetime(2026, 11, 21, 20, 45, 0, 123456, tzinfo=timezone(timedelta(hours=2)))
    found = new_census_id(Stopped(time))
    assert found.startswith("20261121T184500123Z-")
    assert started_at(found) == datetime(2026, 11, 21, 18, 45, 0, 123000, tzinfo=UTC)


def test_what_is_no_id_is_refused() -> None:
    for text in ("", "latest", "20261121T184500123Z", "20261121T184500123Z-9f3a1c'", "20269921T184500123Z-9f3a1c"):
        with pytest.raises(ConfigError, match="no census id"):
            started_at(text)


@pytest.mark.parametrize("events", ENDED)
def test_resume_starts_a_new_census_when_none_is_unfinished(work: Work, runs: Noted, events: str) -> None:
    """A scheduler may always say --resume."""
    runs.runs = [run(events)] if events else []
    workflow.run_ingest(replace(work, resume=True))
    assert runs.noted[0][0] != BEFORE
    assert runs.events[0] == "started"


def test_a_census_that_is_too_old_is_not_resumed(work: Work, parts: Parts, runs: Noted) -> None:
    """Its pages would mix two times. Asked for by name: exit code 2; by `--resume`: a new one starts and says why."""
    runs.runs = [run("started", census_id="20261121T105959000Z-00000a")]
    with pytest.raises(ConfigError, match=r"started 1h 1s ago, resume_within is 1h; start a new one"):
        workflow.run_ingest(replace(work, census_id="20261121T105959000Z-00000a"))
    assert "ingest" not in parts.called
    reported: list[str] = []
    workflow.run_ingest(replace(work, resume=True, progress=lambda event, **_fields: reported.append(event)))
    assert reported[0] == "too_old_to_resume"
    assert runs.events[0] == "started"


def of_former_name(made: Run, **changed: str) -> Run:
    return replace(made, census=replace(made.census, cluster="former-name", **changed))


OTHERS = run("started published", cluster_id="id-of-another")
LATER = Last("kraft-id", "local", "20261121T115500000Z-00000b")
SLOW = re.escape(
    f"this machine's clock is 3h 2m behind the last published census of cluster 'local', {AHEAD}: a new census "
    "would stay hidden behind that one; set the clock, or, if that census was made by a wrong clock, retire it: "
    f"kafka-census maintain --cluster local --retire {AHEAD} --apply"
)


@pytest.mark.parametrize(
    ("made", "last", "error", "line"),
    [
        # A cluster is known by its id, also where it has a new name: readers see one census of it.
        ([], [Last("kraft-id", "local", BEFORE), Last("kraft-id", "local", AHEAD)], ClockBehind, f"^{SLOW}$"),
        ([], [Last("kraft-id", "former-name", AHEAD)], ClockBehind, "clock is 3h 2m behind the last published"),
        ([OTHERS], [], WrongCluster, "kraft-id, the censuses of 'local' in this lake are of id-of-another"),
        ([of_former_name(OTHERS)], [], WrongCluster, "of 'former-name' in this lake are of id-of-another"),
    ],
)
def test_a_census_that_nobody_would_see_or_that_is_of_another_cluster_is_refused_before_anything_is_asked(
    work: Work, parts: Parts, runs: Noted, made: list[Run], last: list[Last], error: type[CensusError], line: str
) -> None:
    runs.runs, parts.published = made, last
    for resume in (False, True):
        with pytest.raises(error, match=line) as caught:
            workflow.run_census(replace(renamed(work), resume=resume))
        assert caught.value.exit_code == 1
    assert (set(parts.called) <= {"identify"}, runs.noted) == (True, [])
    # The clock of another cluster does not matter.
    runs.runs, parts.published = [], [Last("other-id", "other", AHEAD), Last("kraft-id", "local", BEFORE)]
    workflow.run_census(work)
    assert runs.events[-1] == "published"


def test_a_renamed_cluster_goes_on_and_a_refused_census_may_be_asked_again(
    work: Work, parts: Parts, runs: Noted
) -> None:
    """Under the locks of both names, and with the unfinished census of the former name."""
    parts.published = [Last("kraft-id", "former-name", "20261121T114000000Z-00000a")]
    runs.runs = [of_former_name(run("started landed failed"))]
    workflow.run_ingest(replace(renamed(work), resume=True))
    assert runs.noted == [(BEFORE, "resumed", None), (BEFORE, "landed", None)]
    assert "lock local, former-name" in parts.called
    runs.runs, parts.published = [run("started refused")], []
    workflow.run_ingest(replace(work, census_id=BEFORE))
    assert runs.events[2:] == ["resumed", "landed"]


@pytest.mark.parametrize("step", ["run_ingest", "run_transform", "run_gate", "run_publish"])
def test_a_census_from_the_future_is_not_worked_on(work: Work, parts: Parts, runs: Noted, step: str) -> None:
    """Made where the clock was ahead, it must not be published. By default steps take the last one before it."""
    runs.runs = [run("started landed staged failed", census_id=AHEAD)]
    with pytest.raises(ClockBehind, match=f"^census {AHEAD} of local starts 3h 2m after the time of this machine's"):
        getattr(workflow, step)(replace(work, census_id=AHEAD))
    assert (parts.called, runs.noted) == ([], [])
    runs.runs.append(run("started landed staged"))
    getattr(workflow, step)(replace(work, resume=True))
    assert {census_id for census_id, _, _ in runs.noted} == {BEFORE}


@pytest.mark.parametrize(
    ("events", "published", "census_id", "line"),
    [
        ("", [], BEFORE, f"has no census {BEFORE} in this lake"),
        ("started published", [], BEFORE, "is published already; start a new one"),
        # Nobody would see what the brokers are asked for.
        ("started failed", [LATER], BEFORE, f"started 5m before the last published one, {LATER.census_id},"),
    ],
)
def test_a_census_by_name_must_exist_and_be_open(
    work: Work, parts: Parts, runs: Noted, events: str, published: list[Last], census_id: str, line: str
) -> None:
    runs.runs, parts.published = [run(events)] if events else [], published
    with pytest.raises(ConfigError, match=line):
        workflow.run_census(replace(work, census_id=census_id))
    assert (set(parts.called) <= {"identify"}, runs.noted) == (True, [])
