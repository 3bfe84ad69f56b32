"""apply and undo, run after run: lost answers, crashes at each step, protection, partial restorations, planted rows."""

import json
from collections.abc import Iterator
from contextlib import nullcontext
from unittest.mock import patch

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from emulator.asking import serving
from emulator.committing import commit
from emulator.deleting import TOPICS, Died, Emulated, names, refusing, served, unheard
from kafka_census.lake.run_lock import hold
from kafka_census.tables.deletions import DELETION_CHECKS, DELETION_WAVES, DELETIONS
from kafka_census.tables.table import Table
from kafka_census.workflows.deletion_run import Waves
from kafka_emulator.declared import OffsetSection
from kafka_emulator.fault_actions import FaultSection
from kafka_emulator.faults import Faults

DELETE_GROUPS, OFFSET_COMMIT = 42, 8
WHOLE = {"t": 5, "u": 5}


@pytest.fixture(scope="module")
def deleting(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    """Many groups on three brokers, and a lake; each test takes groups of its own."""
    denied: set[str] = set()
    with serving(served(100, denied)) as server:
        folder, servers = tmp_path_factory.mktemp("deleting"), server.bootstrap_servers
        yield Emulated(spark, folder, servers, server.world.cluster_id, TOPICS, server=server, denied=denied)


def test_lost_answers_count_until_a_look_tells(deleting: Emulated) -> None:
    """Brokers delete and never answer: three are deleted in all runs together, and the audit tables say which."""
    groups = names(8, first=0)
    plan_id = deleting.plan(groups)
    fault = FaultSection.model_validate({"api": "DeleteGroups", "do": "drop", "always": True})
    with patch.object(deleting.server, "faults", Faults((fault,))):
        first = deleting.run("apply", plan_id, max_deletes=3)
        gone = [name for name in groups if name not in deleting.there(groups)]
        assert first.startswith(f"NotAllDone: 3 groups of plan {plan_id} are not deleted: 3 ANSWER_LOST")
        assert "5 were not tried: deletion.max_deletes is 3" in deleting.out
        assert len(gone) == 3
        assert deleting.audit(plan_id) == {name: [("apply", "unknown", True)] for name in gone}
        assert deleting.run("apply", plan_id, yes=False, max_deletes=3) == ""
        assert "would delete 0 groups: 5 wait, 0 are deleted already" in deleting.out
        assert "Of 3 groups it is not known whether an earlier run deleted them" in deleting.out
        assert deleting.run("apply", plan_id, max_deletes=3) == ""
        reported = [("apply", "unknown", True), ("look", "gone", True)]
        assert deleting.audit(plan_id) == dict.fromkeys(gone, reported)
    assert len(deleting.there(groups)) == 5
    assert deleting.run("undo", plan_id) == ""
    assert {name: deleting.offsets(name) for name in groups} == dict.fromkeys(groups, WHOLE)


def test_what_is_gone_after_a_refused_request_counts_and_is_restored(deleting: Emulated) -> None:
    """A request was refused, and its group found there; by the next run the group is gone."""
    groups = names(3, first=90)
    plan_id = deleting.plan(groups)

    with refusing(deleting.server, 30):
        assert "3 GROUP_AUTHORIZATION_FAILED" in deleting.run("apply", plan_id)
    assert deleting.there(groups) == groups
    deleting.server.world.delete_groups(groups[:1])
    assert deleting.run("apply", plan_id, max_deletes=2) == ""
    assert deleting.there(groups) == groups[2:]
    refused = ("apply", "refused", True)
    assert deleting.audit(plan_id) == {
        groups[0]: [refused, ("apply", "gone", False)],
        groups[1]: [refused, ("apply", "deleted", True)],
        groups[2]: [refused],
    }
    assert deleting.run("undo", plan_id) == ""
    assert {name: deleting.offsets(name) for name in groups} == dict.fromkeys(groups, WHOLE)


def test_what_a_look_finds_as_it_was_is_deleted_then(deleting: Emulated) -> None:
    """The request was never carried out: it counts no more, and is not undone; a group that lives by then is kept."""
    groups = names(3, first=8)
    plan_id = deleting.plan(groups)
    with unheard(deleting.server):
        assert deleting.run("apply", plan_id, max_deletes=3).endswith("then run this again")
    assert deleting.there(groups) == groups
    commit(deleting.server.world, groups[0], OffsetSection(topic="t", partition=0, offset=6))
    assert deleting.run("apply", plan_id, max_deletes=2) == ""
    unknown = ("apply", "unknown", True)
    assert deleting.audit(plan_id) == {
        groups[0]: [unknown, ("look", "kept", True)],
        groups[1]: [unknown, ("look", "still_there", False), ("apply", "deleted", True)],
        groups[2]: [unknown, ("look", "still_there", False)],
    }
    # The one that lives may have been deleted and have come back: with it, two are.
    assert deleting.there(groups) == [groups[0], groups[2]]
    assert deleting.run("undo", plan_id) == ""
    assert [(row.group_id, row.outcome) for row in deleting.reported(plan_id) if row.step == "undo"] == [
        (groups[1], "restored")
    ]


def test_what_was_restored_is_not_deleted_again(deleting: Emulated) -> None:
    groups = names(2, first=58)
    plan_id = deleting.plan(groups)
    fault = FaultSection.model_validate({"api": "DeleteGroups", "do": "drop", "always": True})
    with patch.object(deleting.server, "faults", Faults((fault,))):
        assert "2 ANSWER_LOST" in deleting.run("apply", plan_id)
    assert deleting.there(groups) == []
    assert deleting.run("undo", plan_id) == ""
    with deleting.watched(DELETE_GROUPS) as frames:
        assert deleting.run("apply", plan_id) == ""
    assert frames == []
    assert {name: deleting.offsets(name) for name in groups} == dict.fromkeys(groups, WHOLE)


def test_what_is_protected_since_the_plan_is_kept_by_name(deleting: Emulated) -> None:
    """The patterns of now hold; the group is in the audit and in what is printed, and nobody is asked for it."""
    groups = names(3, first=11)
    plan_id = deleting.plan(groups)
    with deleting.watched(DELETE_GROUPS) as frames:
        assert deleting.run("apply", plan_id, protect=(f"{groups[0]}*",)) == ""
    assert not any(groups[0].encode() in frame for frame in frames)
    assert deleting.there(groups) == [groups[0]]
    kept = [
        (row.group_id, row.outcome, row.sent, row.reason) for row in deleting.reported(plan_id) if row.outcome == "kept"
    ]
    assert kept == [(groups[0], "kept", False, f"protected by {groups[0]}* (deletion.protect)")]
    assert f"1 group of the plan kept by deletion.protect: group protected by {groups[0]} {groups[0]}*" in deleting.out
    # What is protected was deleted before, and is given back all the same.
    assert deleting.run("undo", plan_id, protect=("g-*",), as_json=True) == ""
    assert deleting.there(groups) == groups
    restored = [{"outcome": "restored", "error": None, "groups": 2}]
    assert json.loads(deleting.out) == {"plan_id": plan_id, "sent": True, "outcomes": restored, "unsent": 0}


def test_an_undo_restores_every_partition_or_says_so(deleting: Emulated) -> None:
    """A part was refused: exit 3, and a later run commits what is lacking and nothing else."""
    groups = names(3, first=14)
    plan_id = deleting.plan(groups)
    assert deleting.run("apply", plan_id) == ""
    deleting.denied.add("u")
    first = deleting.run("undo", plan_id)
    assert first.startswith(f"NotAllDone: 3 groups of plan {plan_id} are not restored: 3 TOPIC_AUTHORIZATION_FAILED")
    assert {name: deleting.offsets(name) for name in groups} == {name: {"t": 5} for name in groups}
    row = next(row for row in deleting.reported(plan_id) if row.step == "undo")
    assert (row.outcome, row.partitions, row.reason) == ("partly_restored", 1, "1 of 2 partitions were not taken")
    deleting.denied.clear()
    # A consumer of one group goes on meanwhile, in a partition that was restored.
    commit(deleting.server.world, groups[0], OffsetSection(topic="t", partition=0, offset=9))
    with deleting.watched(OFFSET_COMMIT) as frames:
        assert deleting.run("undo", plan_id) == ""
    assert len(frames) == 2
    assert {name: deleting.offsets(name) for name in groups} == {
        groups[0]: {"t": 9}, groups[1]: WHOLE, groups[2]: WHOLE
    }  # fmt: skip
    last = {row.group_id: (row.outcome, row.partitions) for row in deleting.reported(plan_id)[-3:]}
    assert last == {groups[0]: ("kept", 0), groups[1]: ("restored", 2), groups[2]: ("restored", 2)}
    with deleting.watched(OFFSET_COMMIT) as frames:
        assert deleting.run("undo", plan_id) == ""
    assert frames == []


@pytest.mark.parametrize(
    ("first", "deaths", "noted"),
    [
        (
            17,
            [(DELETION_CHECKS, True, 0), (DELETION_CHECKS, False, 0), (DELETION_WAVES, True, 0), (DELETIONS, True, 3)],
            ("look", "gone", True),
        ),
        (22, [(DELETION_WAVES, False, 0), (DELETIONS, False, 0), (DELETIONS, False, 3)], ("apply", "deleted", True)),
    ],
    ids=["not noted", "noted"],
)
def test_an_apply_that_ends_anywhere_goes_on(
    deleting: Emulated, first: int, deaths: list[tuple[Table, bool, int]], noted: tuple[str, str, bool]
) -> None:
    """No step is the one after which a limit is passed, a group is forgotten, or what was deleted cannot come back.

    Run after run dies before or after its commit to a table, with as many groups deleted by then. After an announced
    wave without an outcome the commit to `deletions` is that of the look.
    """
    groups = names(5, first=first)
    plan_id = deleting.plan(groups)
    for table, before, deleted in deaths:
        with deleting.dying(table, before=before), pytest.raises(Died):
            deleting.run("apply", plan_id, max_deletes=3)
        assert len(groups) - len(deleting.there(groups)) == deleted
    assert deleting.run("apply", plan_id, max_deletes=3) == ""
    assert set(groups) - set(deleting.there(groups)) == set(groups[:3])
    ends = {name: reported[-1] for name, reported in deleting.audit(plan_id).items()}
    assert ends == dict.fromkeys(groups[:3], noted)
    assert deleting.run("undo", plan_id) == ""
    assert {name: deleting.offsets(name) for name in groups} == dict.fromkeys(groups, WHOLE)


@pytest.mark.parametrize("before", [True, False])
def test_an_undo_that_ends_anywhere_goes_on(deleting: Emulated, before: bool) -> None:
    """What it restored and did not note is known by its offsets, a part of it too."""
    groups = names(2, first=47 + 2 * before)
    plan_id = deleting.plan(groups)
    assert deleting.run("apply", plan_id) == ""
    with deleting.dying(DELETIONS, before=before), pytest.raises(Died):
        deleting.run("undo", plan_id)
    assert {name: deleting.offsets(name) for name in groups} == dict.fromkeys(groups, WHOLE)
    with deleting.watched(OFFSET_COMMIT) as frames:
        assert deleting.run("undo", plan_id) == ""
    assert frames == []
    undone = [(row.group_id, row.outcome, row.sent) for row in deleting.reported(plan_id) if row.step == "undo"]
    assert undone == [(name, "restored", not before) for name in groups]


def test_rows_that_were_not_written_by_apply_are_not_restored(deleting: Emulated) -> None:
    """Offsets that were edited, rows that were added or lost, an older release's rows, rows of a run that never was."""
    groups = names(2, first=51)
    plan_id = deleting.plan(groups)
    assert deleting.run("apply", plan_id) == ""
    checks = deleting.lake.name("audit", DELETION_CHECKS.name)
    waves = deleting.lake.name("audit", DELETION_WAVES.name)
    ours = f"plan_id = '{plan_id}'"
    planted = deleting.rows(DELETION_CHECKS).where(f"{ours} AND group_id = '{groups[0]}'")
    moved = F.transform("offsets", lambda one: one.withField("committed_offset", F.lit(0).cast("bigint")))

    def refused(table: str, statement: str, why: str) -> None:
        version = deleting.spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").collect()[0]["version"]
        deleting.spark.sql(statement)
        reported = deleting.run("undo", plan_id)
        assert reported.startswith(f"ConfigError: plan {plan_id} cannot be undone: the rows of run ")
        assert why in reported
        deleting.spark.sql(f"RESTORE TABLE {table} TO VERSION AS OF {version}")

    planted.withColumn("offsets", moved).withColumn("group_id", F.lit("victim")).createOrReplaceTempView("planted")
    edited = "do not have the hash that is noted in audit/deletion_waves: they were edited; nothing was sent"
    with deleting.watched(OFFSET_COMMIT) as frames:
        refused(checks, f"INSERT INTO {checks} SELECT * FROM planted", edited)
        refused(checks, f"DELETE FROM {checks} WHERE {ours} AND group_id = '{groups[0]}'", edited)
        refused(checks, f"UPDATE {checks} SET offsets = array() WHERE {ours}", edited)
        refused(waves, f"DELETE FROM {waves} WHERE {ours}", "an older release wrote them, or they were edited")
    assert frames == []
    never = "plan_id, '20991121T184500123Z-9f3a1c', * EXCEPT (plan_id, run_id)"
    deleting.spark.sql(f"INSERT INTO {checks} SELECT {never} FROM planted")
    assert deleting.run("undo", plan_id) == ""
    assert "1 row of audit/deletion_checks belong to no wave in audit/deletion_waves" in deleting.out
    assert {name: deleting.offsets(name) for name in groups} == dict.fromkeys(groups, WHOLE)
    assert deleting.offsets("victim") == {}


def test_two_runs_at_once_keep_to_one_limit(deleting: Emulated) -> None:
    """One holds the lock. Without any lock they may meet anywhere: no more is deleted, and nothing counts twice."""
    groups = names(5, first=53)
    plan_id = deleting.plan(groups)
    with hold(deleting.lake, ["one"], "a test"):
        assert "cluster 'one' is in use by process" in deleting.run("apply", plan_id)
    announce = Waves._announce
    others: list[str] = []

    def meanwhile(self: Waves, checks: DataFrame) -> None:
        """Another run of the plan, of other groups, comes between the look at the audit tables and the announcement."""
        if not others:
            others.append("begun")
            others.append(deleting.run("apply", plan_id, max_deletes=3, protect=(groups[0],)))
        announce(self, checks)

    with (
        patch("kafka_census.lake.run_lock.hold", lambda *_: nullcontext()),
        patch.object(Waves, "_announce", meanwhile),
    ):
        reported = deleting.run("apply", plan_id, max_deletes=3)
    assert others == ["begun", ""]
    assert set(deleting.there(groups)) == {groups[0], groups[4]}
    assert reported.startswith(f"NotAllDone: 3 groups of plan {plan_id} are not deleted: 3 failed")
    assert deleting.run("apply", plan_id, max_deletes=3) == ""
    assert len(deleting.there(groups)) == 2
