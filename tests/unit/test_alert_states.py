"""Figures and states of a census that ended: what is known, what stays as it was, and when a state opens and closes."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest

from harness.promtool import promtool
from kafka_census.alerts import textfile
from kafka_census.alerts.facts import Facts
from kafka_census.alerts.metrics import COUNTS, METRICS, figures
from kafka_census.alerts.states import STATES, changes
from kafka_census.census.gate.causes import Cause
from kafka_census.census.gate.gate import Judgement, TableJudgement
from kafka_census.declarations.census import Census
from kafka_census.pages.missing_read import MissingRead

START = datetime(2026, 11, 25, 12, 0, tzinfo=UTC)
CENSUS = Census("20261125T120000000Z-9f3a1c", "kraft-id", "prod", START, ("brokers", "under_min_isr_partitions"))
TABLES = frozenset(table for metric in COUNTS for table in metric.sql)
GONE = MissingRead("DescribeLogDirs", 3, "BROKER_NOT_ALIVE", "it has no endpoint")
CALM = dict.fromkeys((metric.name for metric in COUNTS), 0.0)
UNTOLD = {name: figure for name, figure in CALM.items() if name != "kafka_census_disk_low"}
RUN = ("exit_code", "timestamp_seconds", "duration_seconds")


def judgement(outcome: Literal["publish", "refuse"] = "publish", incomplete: tuple[str, ...] = ()) -> Judgement:
    """What the gate said of tables, some of which lack an answer of broker 3."""
    tables = tuple(
        TableJudgement(name, name not in incomplete, (GONE,) * (name in incomplete), "proven", 0, 1, START, START)
        for name in sorted(TABLES)
    )
    causes = (Cause("broker 3 did not answer", ("DescribeLogDirs",), incomplete),) if outcome == "refuse" else ()
    return Judgement(outcome, tables, causes, ())


def ended(minutes: int = 1, **known: object) -> Facts:
    calm = Facts("prod", START + timedelta(minutes=minutes), 0, TABLES, CENSUS, True, judgement(), CALM)
    return replace(calm, **known)  # type: ignore[arg-type]


def found(**counts: float) -> Mapping[str, float]:
    return CALM | {f"kafka_census_{name}": count for name, count in counts.items()}


def refused(minutes: int = 1, **counts: float) -> Facts:
    said = judgement("refuse", tuple(TABLES))
    return ended(minutes, exit_code=3, published=False, judgement=said, counts=found(**counts))


def failed(minutes: int = 1) -> Facts:
    return ended(minutes, exit_code=1, published=False, judgement=None, counts={})


def reported(facts: Facts, before: Mapping[str, datetime]) -> tuple[list[str], Mapping[str, datetime]]:
    changed = changes(figures(facts, {}), before, facts.ended_at)
    still = dict(before)
    for change in changed:
        if change.event == "opened":
            assert change.since == facts.ended_at
            still[change.state.name] = change.since
        else:
            assert still.pop(change.state.name) == change.since
    return [f"{change.state.name} {change.event} {change.count:g}" for change in changed], still


def told(facts: Facts, before: Mapping[str, float] | None = None) -> dict[str, float]:
    """Its figures, without the beginning of their names."""
    return {name.removeprefix("kafka_census_"): figure for name, figure in figures(facts, before or {}).items()}


def test_a_published_census_says_all_that_it_knows() -> None:
    at = START.timestamp() + 60
    known = told(ended(counts=found(offline=2)))
    assert sorted(f"kafka_census_{name}" for name in known) == sorted(metric.name for metric in METRICS)
    # The lake tells states apart by their names.
    assert len({state.name for state in STATES}) == len(STATES)
    run = {"last_run_timestamp_seconds": at, "last_run_duration_seconds": 60, "last_run_exit_code": 0}
    run |= {"last_success_timestamp_seconds": at, "offline": 2, "refusal_causes": 0}
    assert known.items() >= run.items()


def test_a_refused_census_counts_and_is_no_success() -> None:
    at = START.timestamp()
    known = told(refused(minutes=90, offline=2), figures(ended(), {}))
    run = {"last_run_timestamp_seconds": at + 90 * 60, "last_run_exit_code": 3, "offline": 2}
    run |= {"last_success_timestamp_seconds": at + 60, "refusal_causes": 1, "missing_answers": 1}
    assert known.items() >= (run | {"incomplete_tables": len(TABLES)}).items()


def test_a_census_that_failed_leaves_what_it_did_not_count() -> None:
    before = figures(refused(offline=2), {})
    known = figures(failed(minutes=5), before)
    changed = {name for name, figure in known.items() if figure != before.get(name)}
    assert changed == {f"kafka_census_last_run_{name}" for name in RUN}
    assert set(figures(failed(), {})) == changed


def test_a_0_of_an_incomplete_table_or_of_rows_that_do_not_tell_proves_nothing() -> None:
    """A count of it does: there are so many at least."""
    before = figures(ended(counts=found(offline=5)), {})
    lacking = judgement(incomplete=("under_min_isr_partitions",))
    some = ended(judgement=lacking, counts=found(offline=1))
    assert [told(one, before)["offline"] for one in (ended(judgement=lacking), some)] == [5, 1]
    assert "offline" not in told(ended(judgement=lacking))
    assert told(ended(counts=UNTOLD), {"kafka_census_disk_low": 2.0})["disk_low"] == 2


def test_a_table_that_is_no_longer_asked_for_has_no_figures() -> None:
    before = figures(ended(counts=found(unreachable=1)), {})
    known = told(ended(tables=TABLES - {"brokers"}, counts={}), before)
    assert known.keys() & {"unreachable", "offline"} == {"offline"}


STORIES: dict[str, list[tuple[Facts, list[str]]]] = {
    "break, repair, break": [
        (ended(1, counts=found(offline=2)), ["offline opened 2"]),
        (ended(2, counts=found(offline=7)), []),
        (ended(3), ["offline closed 0"]),
        (ended(4, counts=found(offline=1)), ["offline opened 1"]),
    ],
    # A complete table may have rows of which a problem is not known: no log dir tells its free space any more.
    "a figure that rows do not tell closes nothing": [
        (ended(1, counts=found(disk_low=2)), ["disk_low opened 2"]),
        (ended(2, counts=UNTOLD), []),
        (ended(3), ["disk_low closed 0"]),
    ],
    "what nobody could see closes nothing": [
        (ended(1, counts=found(offline=2)), ["offline opened 2"]),
        (failed(2), ["failed opened 1"]),
        (refused(3), ["failed closed 0", "refused opened 1", f"incomplete opened {len(TABLES)}"]),
        (ended(4), ["refused closed 0", "incomplete closed 0", "offline closed 0"]),
    ],
}


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_state_opens_and_closes_once(story: list[tuple[Facts, list[str]]]) -> None:
    still: Mapping[str, datetime] = {}
    for facts, expected in story:
        lines, still = reported(facts, still)
        assert lines == expected


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = textfile.path_of(str(tmp_path), "eu-prod.1")
    known = figures(refused(offline=2, reassignment_backlog_bytes=2.0**40 + 1), {})
    textfile.write(path, "eu-prod.1", known)
    assert path.name == "kafka_census_eu-prod.1.prom"
    assert textfile.read(path) == known
    text = path.read_text(encoding="utf-8")
    assert 'kafka_census_offline{cluster="eu-prod.1"} 2.0' in text
    done = promtool("check", "metrics", reported=text)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_a_folder_or_a_format_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """No folder is made: nobody would look there."""
    with pytest.raises(OSError, match="No such file"):
        textfile.write(textfile.path_of(str(tmp_path / "away"), "prod"), "prod", {})
    path = textfile.path_of(str(tmp_path), "prod")
    path.write_text("kafka_census_offline{cluster=", encoding="utf-8")
    with pytest.raises(ValueError):  # noqa: PT011 - whatever its parser says
        textfile.read(path)
    assert textfile.read(tmp_path / "none.prom") == {}
