"""apply and undo, run after run: two plans, each of them a story that its tests tell in this order.

A run takes seconds, so that groups of every kind share those of the first plan; a request has one group, and so each
group an answer of its own. The runs of the second plan die at each step, meet another run, and find edited rows.
"""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from unittest.mock import patch

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from pyspark.sql import DataFrame, SparkSession

from emulator.asking import serving
from emulator.committing import commit
from emulator.deleting import TOPICS, Died, Emulated, names, served, troubled
from harness.deleting import QUICK, Edit, rows_edited
from kafka_census.declarations.deletions import DELETION_CHECKS, DELETION_WAVES, DELETIONS
from kafka_census.declarations.table import Table
from kafka_census.deletion.plans import DeletionAudit
from kafka_census.deletion.waves import Waves
from kafka_census.errors import ConfigError
from kafka_census.lake.run_lock import hold
from kafka_emulator.declared import OffsetSection

DELETE_GROUPS, OFFSET_COMMIT = 42, 8
WHOLE = {"t": 5, "u": 5}

GROUPS = names(15)
LOST, REFUSED, MISSED, CALM = GROUPS[:3], GROUPS[3:7], GROUPS[7:10], GROUPS[10:]
"""Groups whose first deletion is not answered, not allowed, or comes to no broker; and others."""

GONE = [*LOST, *REFUSED[:3], MISSED[1], *CALM[:4]]
"""Those that two runs of the first plan have deleted."""

CUT_OFF = names(10, first=20)

UNKNOWN, DELETED, DENIED = ("apply", "unknown", True), ("apply", "deleted", True), ("apply", "refused", True)
STILL_THERE, GONE_SINCE, KEPT = ("look", "still_there", False), ("look", "gone", True), ("apply", "kept", False)


@pytest.fixture(scope="module")
def deleting(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    denied: set[str] = set()
    with serving(served(30, denied)) as server:
        at, cluster_id, collect = server.bootstrap_servers, server.world.cluster_id, replace(QUICK, keys_per_request=1)
        folder = tmp_path_factory.mktemp("deleting")
        yield Emulated(spark, folder, at, cluster_id, TOPICS, collect, server=server, denied=denied)


@pytest.fixture(scope="module")
def answered(deleting: Emulated) -> str:
    """The plan of the first story."""
    return deleting.plan(GROUPS)


@pytest.fixture(scope="module")
def cut_off(deleting: Emulated) -> str:
    """The plan of the second story."""
    return deleting.plan(CUT_OFF)


def test_lost_answers_count_as_deletions(deleting: Emulated, answered: str) -> None:
    """Also where the request came to no broker; a refusal does not count."""
    with troubled(deleting.server, lost=LOST, missed=MISSED, refused=REFUSED):
        reported = deleting.run("apply", answered, max_deletes=9)
    why = "4 GROUP_AUTHORIZATION_FAILED, 6 ANSWER_LOST"
    assert reported.startswith(f"NotAllDone: 10 groups of plan {answered} are not deleted: {why}")
    assert "2 were not tried: deletion.max_deletes is 9" in deleting.out
    assert deleting.there(GROUPS) == [*REFUSED, *MISSED, *CALM[3:]]
    first = dict.fromkeys(REFUSED, (DENIED,)) | dict.fromkeys(CALM[:3], (DELETED,))
    assert deleting.audit(answered) == dict.fromkeys([*LOST, *MISSED], (UNKNOWN,)) | first


def test_a_dry_run_asks_nobody(deleting: Emulated, answered: str) -> None:
    asked = dict(deleting.server.asked)
    assert deleting.run("apply", answered, yes=False, max_deletes=9) == ""
    assert "would delete 0 groups: 6 wait, 3 are deleted already" in deleting.out
    assert "Of 6 groups it is not known whether an earlier run deleted them" in deleting.out
    assert deleting.server.asked == asked


def test_the_next_run_looks_first_and_keeps_to_the_same_limit(deleting: Emulated, answered: str) -> None:
    """What was carried out counts; what was not does not, and is deleted then.

    A group that is gone after a refused request counts, and so does one that lives after a lost answer: it may have
    been deleted and have come back. The patterns of now protect, and nobody is asked for what they protect.
    """
    deleting.server.world.delete_groups(REFUSED[:1])
    commit(deleting.server.world, MISSED[0], OffsetSection(topic="t", partition=0, offset=6))
    pattern = f"{REFUSED[3]}*"
    with troubled(deleting.server, lost=CALM[3:4]), deleting.watched(DELETE_GROUPS) as frames:
        reported = deleting.run("apply", answered, max_deletes=12, protect=(pattern, MISSED[2]))
    assert reported.startswith(f"NotAllDone: 1 groups of plan {answered} are not deleted: 1 ANSWER_LOST")
    assert "1 were not tried: deletion.max_deletes is 12" in deleting.out
    kept = f"{REFUSED[3]} {pattern} {MISSED[2]} {MISSED[2]}"
    assert f"2 groups of the plan kept by deletion.protect: group protected by {kept}" in deleting.out
    assert named(frames) == [*REFUSED[1:3], MISSED[1], CALM[3]]
    assert deleting.there(GROUPS) == [name for name in GROUPS if name not in GONE]
    assert deleting.audit(answered) == {
        **dict.fromkeys(LOST, (UNKNOWN, GONE_SINCE)),
        REFUSED[0]: (DENIED, ("apply", "gone", False)),
        **dict.fromkeys(REFUSED[1:3], (DENIED, DELETED)),
        REFUSED[3]: (DENIED, KEPT),
        MISSED[0]: (UNKNOWN, ("look", "kept", True)),
        MISSED[1]: (UNKNOWN, STILL_THERE, DELETED),
        MISSED[2]: (UNKNOWN, STILL_THERE, KEPT),
        **dict.fromkeys(CALM[:3], (DELETED,)),
        CALM[3]: (UNKNOWN,),
    }
    reasons = {row["group_id"]: row["reason"] for row in deleting.reported(answered)}
    assert reasons[REFUSED[3]] == f"protected by {pattern} (deletion.protect)"


def named(frames: list[bytes]) -> list[str]:
    """The groups of the first plan that these requests name."""
    return [name for name in GROUPS if any(name.encode() in frame for frame in frames)]


def test_an_undo_restores_every_partition_or_says_so(deleting: Emulated, answered: str) -> None:
    """A part was refused: exit 3, and a later run commits what is lacking and nothing else.

    What is gone is restored, whatever is known of its deletion, and what is protected by now too.
    """
    deleting.denied.add("u")
    reported = deleting.run("undo", answered, protect=("g-*",))
    why = f"{len(GONE)} TOPIC_AUTHORIZATION_FAILED"
    assert reported.startswith(f"NotAllDone: {len(GONE)} groups of plan {answered} are not restored: {why}")
    assert {name: deleting.offsets(name) for name in GONE} == {name: {"t": 5} for name in GONE}
    undone = [row for row in deleting.reported(answered) if row["step"] == "undo"]
    assert {(row["outcome"], row["partitions"], row["reason"]) for row in undone} == {
        ("partly_restored", 1, "1 of 2 partitions were not taken")
    }
    deleting.denied.clear()
    # A consumer of one group goes on meanwhile, in a partition that was restored.
    commit(deleting.server.world, LOST[0], OffsetSection(topic="t", partition=0, offset=9))
    with deleting.watched(OFFSET_COMMIT) as frames:
        assert deleting.run("undo", answered, as_json=True) == ""
    assert len(frames) == len(GONE) - 1
    result = json.loads(deleting.out)
    result["outcomes"].sort(key=lambda one: one["outcome"])
    outcomes = [{"outcome": "kept", "error": None, "groups": 1}]
    outcomes.append({"outcome": "restored", "error": None, "groups": len(GONE) - 1})
    assert result == {"plan_id": answered, "sent": True, "outcomes": outcomes, "unsent": 0}
    last = {row["group_id"]: (row["outcome"], row["partitions"]) for row in deleting.reported(answered)[-len(GONE) :]}
    assert last == dict.fromkeys(GONE, ("restored", 2)) | {LOST[0]: ("kept", 0)}
    assert {name: deleting.offsets(name) for name in GROUPS} == dict.fromkeys(GROUPS, WHOLE) | {
        LOST[0]: {"t": 9}, MISSED[0]: {"t": 6, "u": 5}
    }  # fmt: skip
    with deleting.watched(OFFSET_COMMIT) as frames:
        assert deleting.run("undo", answered) == ""
    assert frames == []


def test_what_was_restored_is_not_deleted_again(deleting: Emulated, answered: str) -> None:
    """Nor is it looked at: an answer that was lost before the undo stays unknown."""
    with deleting.watched(DELETE_GROUPS) as frames:
        assert deleting.run("apply", answered) == ""
    assert named(frames) == CALM[4:]
    restored = ("undo", "partly_restored", True), ("undo", "restored", True)
    assert deleting.audit(answered)[CALM[3]] == (UNKNOWN, *restored)


def test_an_apply_that_ends_anywhere_goes_on(deleting: Emulated, cut_off: str) -> None:
    """No step is the one after which a limit is passed, or a group is forgotten.

    Run after run dies before or after its commit to a table, with as many groups deleted by then. After an announced
    wave without an outcome the first commit to `deletions` is that of the look.
    """
    for table, before, commits, most, deleted in (
        (DELETION_CHECKS, False, 1, 3, 0),
        (DELETION_WAVES, False, 1, 3, 0),
        (DELETIONS, False, 1, 3, 0),
        (DELETIONS, True, 1, 3, 3),
        (DELETIONS, False, 2, 5, 5),
    ):
        with deleting.dying(table, before=before, commits=commits), pytest.raises(Died):
            deleting.run("apply", cut_off, max_deletes=most)
        assert deleting.there(CUT_OFF) == CUT_OFF[deleted:]
    assert deleting.audit(cut_off) == {
        **dict.fromkeys(CUT_OFF[:3], (STILL_THERE, GONE_SINCE)),
        **dict.fromkeys(CUT_OFF[3:5], (DELETED,)),
    }


def test_two_runs_at_once_keep_to_one_limit(deleting: Emulated, cut_off: str) -> None:
    """One holds the lock. Without any lock they may meet anywhere: no more is deleted, and nothing counts twice."""
    with hold(deleting.lake, ["one"], "a test"):
        assert "cluster 'one' is in use by process" in deleting.run("apply", cut_off)
    announce = Waves._announce
    others: list[str] = []

    def meanwhile(self: Waves, checks: DataFrame) -> None:
        """Another run of the plan, of other groups, comes between the look at the audit tables and the announcement."""
        if not others:
            others.append("begun")
            others.append(deleting.run("apply", cut_off, max_deletes=8, protect=(CUT_OFF[5],)))
        announce(self, checks)

    with (
        patch("kafka_census.lake.run_lock.hold", lambda *_: nullcontext()),
        patch.object(Waves, "_announce", meanwhile),
    ):
        reported = deleting.run("apply", cut_off, max_deletes=8)
    assert others == ["begun", ""]
    assert reported.startswith(f"NotAllDone: 3 groups of plan {cut_off} are not deleted: 3 failed")
    assert deleting.run("apply", cut_off, max_deletes=8) == ""
    assert deleting.there(CUT_OFF) == [CUT_OFF[5], CUT_OFF[9]]


def test_rows_that_were_not_written_by_apply_are_not_restored(deleting: Emulated, cut_off: str) -> None:
    """Offsets that were edited, rows that were added or lost, an older release's rows, rows of a run that never was."""
    checks = deleting.lake.path(DELETION_CHECKS.layer, DELETION_CHECKS.name)
    ours = DeltaTable(checks).to_pyarrow_table(filters=[("plan_id", "=", cut_off)])
    last = max((row for row in ours.to_pylist() if row["group_id"] == CUT_OFF[0]), key=lambda row: row["run_id"])
    victim = last | {"group_id": "victim", "offsets": [one | {"committed_offset": 0} for one in last["offsets"]]}

    def edited(of: Table, edit: Edit) -> AbstractContextManager[None]:
        return rows_edited(deleting.lake, of, cut_off, edit)

    why = "do not have the hash that is noted in audit/deletion_waves: they were edited; nothing was sent"
    with edited(DELETION_CHECKS, lambda rows: [*rows, victim]), deleting.watched(OFFSET_COMMIT) as frames:
        reported = deleting.run("undo", cut_off)
    assert reported.startswith(f"ConfigError: plan {cut_off} cannot be undone: the rows of run ")
    assert (why in reported, frames) == (True, [])
    audit = DeletionAudit(deleting.spark, deleting.lake, cut_off)
    plan = audit.plan(("one",))
    for edit in (
        lambda rows: [row for row in rows if row["group_id"] != CUT_OFF[0]],
        lambda rows: [row | {"offsets": []} for row in rows],
    ):
        with edited(DELETION_CHECKS, edit), pytest.raises(ConfigError, match=why):
            audit.require_untouched(plan)
    with (
        edited(DELETION_WAVES, lambda _: []),
        pytest.raises(ConfigError, match="an older release wrote them, or they were edited"),
    ):
        audit.require_untouched(plan)
    never = victim | {"run_id": "20991121T184500123Z-9f3a1c"}
    write_deltalake(checks, pa.Table.from_pylist([never], ours.schema), mode="append")
    # Beside it those of the run that died before it announced them.
    assert audit.require_untouched(plan) == 1 + 3


def test_an_undo_that_ends_before_it_notes_what_it_restored_goes_on(deleting: Emulated, cut_off: str) -> None:
    """What it restored is known by its offsets."""
    with deleting.dying(DELETIONS, before=True), pytest.raises(Died):
        deleting.run("undo", cut_off)
    whole = dict.fromkeys(CUT_OFF, WHOLE)
    assert {name: deleting.offsets(name) for name in CUT_OFF} == whole
    with deleting.watched(OFFSET_COMMIT) as frames:
        assert deleting.run("undo", cut_off) == ""
    assert frames == []
    assert "4 rows of audit/deletion_checks belong to no wave in audit/deletion_waves" in deleting.out
    undone = [row["group_id"] for row in deleting.reported(cut_off) if (row["step"], row["sent"]) == ("undo", False)]
    assert undone == [*CUT_OFF[:5], *CUT_OFF[6:9]]
    assert ({name: deleting.offsets(name) for name in CUT_OFF}, deleting.offsets("victim")) == (whole, {})
