"""Rows of deletable_groups, right and wrong."""

from datetime import timedelta

from kafka_census.tables.deletable_groups.rules import DELETABLE_GROUPS_SUITE
from spark.fake_lake import NOON
from spark.faults import Faults, row

LATER = NOON + timedelta(seconds=1)
IN_USE = {"verdict": "in_use", "deletable": False, "reason": "somebody commits"}
USED = IN_USE | row(
    members=2, group_state="Stable", evidence=[], empty_since=None, censuses_empty=0, censuses_left_behind=0
)
NOT_READ = (
    *("offsets_fingerprint", "offsets_moved", "offsets_unchanged_since", "end_offsets", "end_offsets_grew"),
    *("committed_partitions", "partitions_gone", "group_state"),
)
UNREAD = USED | dict.fromkeys(NOT_READ) | {"verdict": "unknown"}
FAULTS = Faults(
    DELETABLE_GROUPS_SUITE,
    right=row(verdict="deletable", deletable=True, evidence=["empty", "left_behind"], group_state="Empty")
    | row(members=0, empty_since=NOON, censuses_empty=3, committed_partitions=2, partitions_gone=1)
    | row(offsets_fingerprint=12345, offsets_moved=False, offsets_unchanged_since=NOON, end_offsets=100)
    | row(end_offsets_grew=True, censuses_left_behind=2),
    wrong={
        "verdict_is_known_word": IN_USE | {"verdict": "perhaps"},
        "deletable_is_verdict": IN_USE | {"verdict": "deletable"},
        "verdict_has_reason": {"reason": "for no reason"},
        "deletable_has_evidence": {"evidence": ["empty"]},
        "deletable_is_without_members": {"members": 1},
        "deletable_did_not_move": {"offsets_moved": True, "end_offsets_grew": None},
        "deletable_was_counted": {"censuses_empty": 0, "empty_since": None, "censuses_left_behind": 0},
        "evidence_is_known_words": {"evidence": ["empty", "looks_old"]},
        "run_has_begin": {"empty_since": LATER},
        "left_behind_is_within_run": {"censuses_left_behind": 4},
        "offsets_have_begin": {"offsets_unchanged_since": None},
        "gone_is_within_committed": {"partitions_gone": 3},
        "growth_is_of_unmoved": IN_USE | {"offsets_moved": True},
        "group_was_read": IN_USE | {"verdict": "unknown"},
    },
    besides={"never read": {"group_was_read"}},
    valid={"deletable": {}, "in use, and has no name": USED | {"group_id": ""}, "never read": UNREAD},
    counts={"groups": len},
    at_least=True,
)
