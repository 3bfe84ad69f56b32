"""The notebooks run unchanged, on the names that Databricks provides: `spark`, `dbutils`, `display`.

The lake is that of an incident in the large emulated world; the notebooks show the facts of that incident.
"""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from emulator.incident import LOST, RECOVERED, RULE, Incident
from harness.both_engines import by_duckdb
from harness.large_world import BROKEN, BROKERS
from kafka_emulator.replicas import NO_LEADER
from tools import notebook

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.py"))
Frames = list[list[Row]]


@pytest.fixture(scope="module")
def shown(
    spark: SparkSession, after_incident: Incident, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Frames]:
    folder = tmp_path_factory.mktemp("notebooks")

    def run(number: int, plots: int, **widgets: str) -> Frames:
        frames: Frames = []

        def display(frame: DataFrame) -> None:
            frames.append(frame.collect())

        before = _files(after_incident.lake)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            given = {"lake": after_incident.lake, **widgets}
            made = notebook.run(NOTEBOOKS[number - 1], spark, given, display).absolute()
        assert [plot.stat().st_size > 5000 for plot in made.iterdir()] == [True] * plots
        assert _files(after_incident.lake) == before
        return frames

    return run


def _files(lake: str) -> list[str]:
    return sorted(str(path) for path in Path(lake).rglob("*"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_in_databricks_source_format(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# Databricks notebook source\n# MAGIC %md\n# MAGIC # ")
    assert text.count("\n# COMMAND ----------\n\n") == text.count("# COMMAND") >= 4
    assert text.count('dbutils.widgets.text("lake", ') == 1


def test_first_look(shown: Callable[..., Frames], after_incident: Incident) -> None:
    published, wrong, by_status, worst = shown(1, plots=1)
    partitions = after_incident.now["under_min_isr_partitions"]
    refusing = {(row["topic"], row["partition"]) for row in partitions if not row["ready_for_acks_all"]}
    statuses = Counter(row["status"] for row in partitions)
    hanging = [row["verdict"] for row in after_incident.now["hanging_transactions"]]
    found = {row.problem: (row.found, row.not_known) for row in wrong}
    assert all(row.is_complete for row in published)
    assert statuses["OFFLINE"] + statuses["UNDER"] == len(refusing)
    assert (found["offline"], found["under_min_isr"]) == ((statuses["OFFLINE"], 0), (statuses["UNDER"], 0))
    assert found["under_replicated"] == (statuses["AT"] + statuses["UNDER_REPLICATED"], 0)
    assert found["log_dir_offline"] == (1, 0)
    assert found["unreachable"] == (0, 0)
    assert found["hanging"] == (hanging.count("hanging"), hanging.count("unknown"))
    assert {row.status: row.partitions for row in by_status} == statuses
    assert by_status[0].status == "OFFLINE"
    assert {(row.topic, row.partition) for row in worst} == refusing


def test_who_coordinates_my_group(shown: Callable[..., Frames], after_incident: Incident) -> None:
    world, name = after_incident.during.world, "connect"
    placed, commits, heirs, load = shown(2, plots=1, group=name)
    partition = after_incident.during.states["__consumer_offsets", world.groups.partition_of(name)]
    assert [(row.group_id, row.found_coordinator, row.agreement) for row in placed] == [
        (name, partition.leader, "agree")
    ]
    assert [(row.partition, row.can_commit) for row in commits] == [(world.groups.partition_of(name), True)]
    assert [row.takes_over for row in heirs] == [next(one for one in partition.isr if one != partition.leader)]
    assert sum(row.groups for row in load) == len(after_incident.during.groups)


def test_groups_that_are_stuck_are_reported_so(shown: Callable[..., Frames], after_incident: Incident) -> None:
    rows = after_incident.now["under_min_isr_partitions"]
    stuck = {row["partition"] for row in rows if row["topic"] == "__consumer_offsets" and not row["ready_for_acks_all"]}
    _, commits, heirs, _ = shown(2, plots=1, group="group-")
    assert {row.can_commit for row in commits} == {True, False}
    assert all(row.can_commit == (row.partition not in stuck) for row in commits)
    waiting = {row.group_id for row in commits if not row.can_commit}
    assert {row.group_id for row in heirs if row.takes_over is None} == waiting


def test_why_was_it_refused(shown: Callable[..., Frames], after_incident: Incident) -> None:
    events, against, missing, wrong, found = shown(3, plots=1)
    offline = {
        f"topic={topic}, partition={index}"
        for (topic, index), state in after_incident.after.states.items()
        if state.leader == NO_LEADER
    }
    assert events[-1].event == "refused"
    assert [row.failed_rows for row in against if row.rule == RULE] == [len(offline)]
    assert {row.kind for row in against} == {"completeness", "expectation"}
    assert BROKEN in {row.broker_id for row in missing}
    assert {row.row_key for row in wrong if row.rule == RULE} == offline
    [row] = [row for row in found if row.status == "OFFLINE"]
    assert row.refused == len(offline) > row.current > 0


def test_incident_review(shown: Callable[..., Frames]) -> None:
    development, changed, moved, runs = shown(4, plots=1)
    assert len({row.census_id for row in development}) == 2
    assert {row.topic for row in changed if row.during == "OFFLINE"} == set(LOST)
    assert {row.topic for row in changed if row.during == "OK"} >= set(RECOVERED)
    assert moved == []
    assert [row.ended_as for row in runs] == ["refused", "published", "published"]


def test_incident_review_of_a_time(shown: Callable[..., Frames], after_incident: Incident) -> None:
    """Before the first census there was nothing, so every partition appeared with it."""
    [((_, first),)] = by_duckdb(after_incident.lake, "SELECT min(published_at) AS first FROM publications")
    _, changed, moved, _ = shown(4, plots=1, before="2020-01-01", during=first.isoformat(sep=" "))
    assert {row.before for row in changed} == {None}
    assert len(changed) == len(after_incident.before.known.states)
    assert len(moved) == len(after_incident.before.known.groups)


def test_capacity_and_skew(shown: Callable[..., Frames], after_incident: Incident) -> None:
    brokers, disks, growth, load = shown(5, plots=3)
    true = {row["broker_id"]: row for row in after_incident.now["brokers"]}
    assert {row.broker_id: (row.replicas, row.leaders) for row in brokers} == {
        broker: (row["replicas"], row["leaders"]) for broker, row in true.items()
    }
    assert [(row.broker_id, row.state) for row in disks if row.state != "online"] == [(BROKEN, "offline")]
    assert {row.broker_id for row in growth} == set(range(1, BROKERS + 1)) - {BROKEN}
    assert all(row.grew and row.bytes_per_day for row in growth)
    assert {row.broker_id: row.groups for row in load} == {
        row["broker_id"]: row["groups"] for row in after_incident.now["coordinator_load"]
    }


def test_clean_up_candidates(shown: Callable[..., Frames], after_incident: Incident) -> None:
    verdicts, candidates, left_over, unread = shown(6, plots=1)
    groups = after_incident.now["deletable_groups"]
    lag, partitions = (after_incident.now[name] for name in ("consumer_lag", "under_min_isr_partitions"))
    read = {row["topic"] for row in lag}
    assert {(row.verdict, row.group_type): row.groups for row in verdicts} == Counter(
        (row["verdict"], row["group_type"]) for row in groups
    )
    assert {row.group_id for row in candidates} == {row["group_id"] for row in groups if row["deletable"]} != set()
    assert left_over == []
    assert {row.topic: row.partitions for row in unread} == Counter(
        row["topic"] for row in partitions if not row["is_internal"] and row["topic"] not in read
    )
    assert {row.groups_not_read for row in unread} == {0}


def test_a_notebook_runs_from_the_command_line(
    after_incident: Incident, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    notebook.main([str(NOTEBOOKS[1]), f"lake={after_incident.lake}", "group=connect"])
    reported = capsys.readouterr().out
    assert reported.startswith("\n# Who coordinates my group?\n")
    assert "connect" in reported
    assert "# MAGIC" not in reported
    assert "plots: build/notebooks/02_who_coordinates_my_group/*.png" in reported
    assert (tmp_path / "build/notebooks/02_who_coordinates_my_group/1.png").is_file()
