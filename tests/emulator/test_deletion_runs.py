"""apply and undo, run after run: one plan, whose runs end anywhere, meet each other, and find edited rows.

The tests are one story, in this order. A run takes seconds, so that groups of every kind share it; a request has one
group, and so each group an answer of its own.
"""

import json
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from unittest.mock import patch

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from pyspark.sql import DataFrame, SparkSession

from emulator.asking import serving
from emulator.committing import commit
from emulator.deleting import TOPICS, Died, Emulated, names, served, troubled
from harness.deleting import QUICK, rows_edited
from kafka_census.declarations.deletions import DELETION_CHECKS, DELETION_WAVES, DELETIONS
from kafka_census.deletion.plans import DeletionAudit
from kafka_census.deletion.waves import Waves
from kafka_census.errors import ConfigError
from kafka_census.lake.run_lock import hold
from kafka_emulator.declared import OffsetSection

DELETE_GROUPS, OFFSET_COMMIT = 42, 8
WHOLE = {"t": 5, "u": 5}

GROUPS = names(17)
LOST, REFUSED, MISSED, CALM = GROUPS[:3], [*GROUPS[3:7], GROUPS[9]], [*GROUPS[7:9], GROUPS[10]], GROUPS[11:]
"""Groups whose first deletion is not answered, not allowed, or comes to no broker; and others."""

GONE = [*LOST, *REFUSED[:3], MISSED[1], REFUSED[4], *CALM[:4]]
"""Those that are gone after all runs of apply, in order."""

UNKNOWN, DELETED, DENIED = ("apply", "unknown", True), ("apply", "deleted", True), ("apply", "refused", True)
STILL_THERE, GONE_SINCE = ("look", "still_there", False), ("look", "gone", True)
KEPT, FAILED = ("apply", "kept", False), ("apply", "failed", False)
FIRST = dict.fromkeys([*LOST, *MISSED], (UNKNOWN,)) | dict.fromkeys(REFUSED, (DENIED,))
FIRST |= dict.fromkeys(CALM[:4], (DELETED,))
"""What the audit has after the first run that sent anything."""


@pytest.fixture(scope="module")
def deleting(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    denied: set[str] = set()
    with serving(served(len(GROUPS), denied)) as server:
        at, cluster_id, collect = server.bootstrap_servers, server.world.cluster_id, replace(QUICK, keys_per_request=1)
        folder = tmp_path_factory.mktemp("deleting")
        yield Emulated(spark, folder, at, cluster_id, TOPICS, collect, server=server, denied=denied)


@pytest.fixture(scope="module")
def plan_id(deleting: Emulated) -> str:
    return deleting.plan(GROUPS)


def named(frames: list[bytes]) -> list[str]:
    """The groups that these requests name."""
    return [name for name in GROUPS if any(name.encode() in frame for frame in frames)]


def test_lost_answers_count_as_deletions(deleting: Emulated, plan_id: str) -> None:
    """Also where the request came to no broker; a refusal does not count."""
    with troubled(deleting.server, lost=LOST, missed=MISSED, refused=REFUSED):
        reported = deleting.run("apply", plan_id, max_deletes=10)
    why = "5 GROUP_AUTHORIZATION_FAILED, 6 ANSWER_LOST"
    assert reported.startswith(f"NotAllDone: 11 groups of plan {plan_id} are not deleted: {why}")
    assert "2 were not tried: deletion.max_deletes is 10" in deleting.out
    assert deleting.there(GROUPS) == sorted([*REFUSED, *MISSED, *CALM[4:]])
    assert deleting.audit(plan_id) == FIRST


def test_a_dry_run_asks_nobody(deleting: Emulated, plan_id: str) -> None:
    """What a run has checked that ended before it announced anything does not count."""
    checks = deleting.lake.path(DELETION_CHECKS.layer, DELETION_CHECKS.name)
    ours = DeltaTable(checks).to_pyarrow_table()
    unsent = ours.to_pylist()[0] | {"group_id": CALM[4], "run_id": "20991121T184500123Z-9f3a1c", "outcome": "delete"}
    write_deltalake(checks, pa.Table.from_pylist([unsent], ours.schema), mode="append")
    asked = dict(deleting.server.asked)
    assert deleting.run("apply", plan_id, yes=False, max_deletes=10) == ""
    assert "would delete 0 groups: 7 wait, 4 are deleted already" in deleting.out
    assert "Of 6 groups it is not known whether an earlier run deleted them" in deleting.out
    assert deleting.server.asked == asked


def test_two_runs_at_once_keep_to_one_limit(deleting: Emulated, plan_id: str) -> None:
    """One holds the lock. Without any lock they may meet anywhere: no more is deleted, and nothing counts twice.

    The run that comes between dies before it notes what it sent: what it announced counts.
    """
    with hold(deleting.lake, ["one"], "a test"):
        assert "cluster 'one' is in use by process" in deleting.run("apply", plan_id)
    commit(deleting.server.world, MISSED[0], OffsetSection(topic="t", partition=0, offset=6))
    announce = Waves._announce
    others: list[str] = []

    def meanwhile(self: Waves, checks: DataFrame) -> None:
        """Another run of the plan, of other groups, comes between the look at the audit tables and the announcement."""
        if not others:
            others.append("begun")
            # What is protected is noted first.
            with (
                troubled(deleting.server, missed=REFUSED[:1]),
                deleting.dying(DELETIONS, commits=2),
                pytest.raises(Died),
            ):
                deleting.run("apply", plan_id, max_deletes=12, protect=(REFUSED[3],))
            others.append("died")
        announce(self, checks)

    with (
        patch("kafka_census.lake.run_lock.hold", lambda *_: nullcontext()),
        patch.object(Waves, "_announce", meanwhile),
    ):
        reported = deleting.run("apply", plan_id, max_deletes=12)
    assert others == ["begun", "died"]
    assert reported.startswith(f"NotAllDone: 4 groups of plan {plan_id} are not deleted: 4 failed")
    left = [REFUSED[0], *REFUSED[3:], *MISSED[::2], *CALM[4:]]
    assert deleting.there(GROUPS) == sorted(left)
    assert deleting.audit(plan_id) == FIRST | {
        **dict.fromkeys(LOST, (UNKNOWN, GONE_SINCE)),
        **dict.fromkeys(REFUSED[:3], (DENIED, FAILED)),
        REFUSED[3]: (DENIED, FAILED, KEPT),
        MISSED[0]: (UNKNOWN, ("look", "kept", True)),
        **dict.fromkeys(MISSED[1:], (UNKNOWN, STILL_THERE)),
    }


def test_the_next_run_looks_first_and_keeps_to_the_same_limit(deleting: Emulated, plan_id: str) -> None:
    """What was carried out counts; what was not does not, and is deleted then.

    A group that is gone after a refused request counts, and so does one that lives after a lost answer: it may have
    been deleted and have come back. The patterns of now protect, and nobody is asked for what they protect.
    """
    deleting.server.world.delete_groups(REFUSED[4:])
    pattern = f"{MISSED[2]}*"
    with troubled(deleting.server, lost=REFUSED[:1]), deleting.watched(DELETE_GROUPS) as frames:
        reported = deleting.run("apply", plan_id, max_deletes=13, protect=(pattern, CALM[5]))
    assert reported.startswith(f"NotAllDone: 1 groups of plan {plan_id} are not deleted: 1 ANSWER_LOST")
    assert "1 were not tried: deletion.max_deletes is 13" in deleting.out
    kept = f"{MISSED[2]} {pattern} {CALM[5]} {CALM[5]}"
    assert f"2 groups of the plan kept by deletion.protect: group protected by {kept}" in deleting.out
    assert named(frames) == REFUSED[:1]
    assert deleting.there(GROUPS) == [name for name in GROUPS if name not in GONE]
    assert deleting.audit(plan_id) == FIRST | {
        **dict.fromkeys(LOST, (UNKNOWN, GONE_SINCE)),
        REFUSED[0]: (DENIED, FAILED, STILL_THERE, UNKNOWN),
        **dict.fromkeys(REFUSED[1:3], (DENIED, FAILED, GONE_SINCE)),
        REFUSED[3]: (DENIED, FAILED, KEPT),
        REFUSED[4]: (DENIED, ("apply", "gone", False)),
        MISSED[0]: (UNKNOWN, ("look", "kept", True)),
        MISSED[1]: (UNKNOWN, STILL_THERE, GONE_SINCE),
        MISSED[2]: (UNKNOWN, STILL_THERE, KEPT),
        CALM[5]: (KEPT,),
    }
    reasons = {row["group_id"]: row["reason"] for row in deleting.reported(plan_id)}
    assert reasons[MISSED[2]] == f"protected by {pattern} (deletion.protect)"


def test_rows_that_were_not_written_by_apply_are_not_restored(deleting: Emulated, plan_id: str) -> None:
    """Offsets that were edited, rows that were added or lost, an older release's rows, rows of a run that never was."""
    checks = deleting.lake.path(DELETION_CHECKS.layer, DELETION_CHECKS.name)
    ours = DeltaTable(checks).to_pyarrow_table()
    [one] = [row for row in ours.to_pylist() if row["group_id"] == LOST[0]]
    victim = one | {"group_id": "victim", "offsets": [each | {"committed_offset": 0} for each in one["offsets"]]}
    why = "do not have the hash that is noted in audit/deletion_waves: they were edited; nothing was sent"
    with (
        rows_edited(deleting.lake, DELETION_CHECKS, plan_id, lambda rows: [*rows, victim]),
        deleting.watched(OFFSET_COMMIT) as frames,
    ):
        reported = deleting.run("undo", plan_id)
    assert reported.startswith(f"ConfigError: plan {plan_id} cannot be undone: the rows of run ")
    assert (why in reported, frames) == (True, [])
    audit = DeletionAudit(deleting.spark, deleting.lake, plan_id)
    plan = audit.plan(("one",))
    for of, edit, said in (
        (DELETION_CHECKS, lambda rows: [row for row in rows if row["group_id"] != LOST[0]], why),
        (DELETION_CHECKS, lambda rows: [row | {"offsets": []} for row in rows], why),
        (DELETION_WAVES, lambda _: [], "an older release wrote them, or they were edited"),
    ):
        with rows_edited(deleting.lake, of, plan_id, edit), pytest.raises(ConfigError, match=said):
            audit.require_untouched(plan)
    never = victim | {"run_id": "20991121T184500123Z-9f3a1c"}
    write_deltalake(checks, pa.Table.from_pylist([never], ours.schema), mode="append")


def test_an_undo_restores_every_partition_or_says_so(deleting: Emulated, plan_id: str) -> None:
    """A part was refused: exit 3, and a later run commits what is lacking and nothing else.

    What is gone is restored, whatever is known of its deletion, and what is protected by now too.
    """
    deleting.denied.add("u")
    reported = deleting.run("undo", plan_id, protect=("g-*",))
    why = f"{len(GONE)} TOPIC_AUTHORIZATION_FAILED"
    assert reported.startswith(f"NotAllDone: {len(GONE)} groups of plan {plan_id} are not restored: {why}")
    assert "2 rows of audit/deletion_checks belong to no wave in audit/deletion_waves" in deleting.out
    assert {name: deleting.offsets(name) for name in GONE} == {name: {"t": 5} for name in GONE}
    undone = [row for row in deleting.reported(plan_id) if row["step"] == "undo"]
    assert {(row["outcome"], row["partitions"], row["reason"]) for row in undone} == {
        ("partly_restored", 1, "1 of 2 partitions were not taken")
    }
    deleting.denied.clear()


def test_an_undo_that_ends_before_it_notes_what_it_restored_goes_on(deleting: Emulated, plan_id: str) -> None:
    """What it restored is known by its offsets, and nothing is sent again."""
    # A consumer of one group goes on meanwhile, in a partition that was restored.
    commit(deleting.server.world, LOST[0], OffsetSection(topic="t", partition=0, offset=9))
    with deleting.watched(OFFSET_COMMIT) as frames, deleting.dying(DELETIONS), pytest.raises(Died):
        deleting.run("undo", plan_id)
    assert len(frames) == len(GONE) - 1
    with deleting.watched(OFFSET_COMMIT) as frames:
        assert deleting.run("undo", plan_id, as_json=True) == ""
    assert frames == []
    result = json.loads(deleting.out)
    result["outcomes"].sort(key=lambda one: one["outcome"])
    outcomes = [{"outcome": "kept", "error": None, "groups": 1}]
    outcomes.append({"outcome": "restored", "error": None, "groups": len(GONE) - 1})
    assert result == {"plan_id": plan_id, "sent": True, "outcomes": outcomes, "unsent": 2}
    last = [(row["group_id"], row["outcome"], row["partitions"], row["sent"]) for row in deleting.reported(plan_id)]
    kept = (LOST[0], "kept", 0, False)
    assert last[-len(GONE) :] == [kept, *((name, "restored", 2, False) for name in GONE[1:])]
    assert {name: deleting.offsets(name) for name in GROUPS} == dict.fromkeys(GROUPS, WHOLE) | {
        LOST[0]: {"t": 9}, MISSED[0]: {"t": 6, "u": 5}
    }  # fmt: skip
    assert deleting.offsets("victim") == {}


def test_what_was_restored_is_not_deleted_again(deleting: Emulated, plan_id: str) -> None:
    """Nor is it looked at: an answer that was lost before the undo stays unknown."""
    restored = ("undo", "partly_restored", True), ("undo", "restored", False)
    assert deleting.audit(plan_id)[REFUSED[0]] == (DENIED, FAILED, STILL_THERE, UNKNOWN, *restored)
    audit = DeletionAudit(deleting.spark, deleting.lake, plan_id)
    assert [row.group_id for row in audit.to_delete("the next").collect()] == CALM[4:5]
    assert audit.to_look_at("the next").collect() == []
