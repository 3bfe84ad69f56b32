"""Each expectation of deletable_groups lets a right row pass and names a wrong one."""

from datetime import timedelta
from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import DELETABLE_GROUPS_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

LATER = NOON + timedelta(seconds=1)
RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "verdict": "deletable",
    "deletable": True,
    "evidence": ["empty", "left_behind"],
    "group_state": "Empty",
    "members": 0,
    "empty_since": NOON,
    "censuses_empty": 3,
    "committed_partitions": 2,
    "partitions_gone": 1,
    "offsets_fingerprint": 12345,
    "offsets_moved": False,
    "offsets_unchanged_since": NOON,
    "end_offsets": 100,
    "end_offsets_grew": True,
    "censuses_left_behind": 2,
}
IN_USE = {"verdict": "in_use", "deletable": False, "reason": "somebody commits"}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"cluster_id": None},
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
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """A deletable group, one in use, and one that was never read are all valid rows."""
    used = RIGHT | IN_USE | {"members": 2, "group_state": "Stable", "evidence": []}
    used |= {"empty_since": None, "censuses_empty": 0, "censuses_left_behind": 0}
    nothing = ("offsets_fingerprint", "offsets_moved", "offsets_unchanged_since", "end_offsets", "end_offsets_grew")
    unread = used | dict.fromkeys(nothing) | {"verdict": "unknown", "committed_partitions": None, "group_state": None}
    rows = [RIGHT | {"group_id": "g"}, used | {"group_id": ""}, unread | {"group_id": "u", "partitions_gone": None}]
    assert failures(spark, SUITE, rows, {"groups": 3}, "now") == {"group_was_read": ("group_id=u",)}


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    assert broken_besides(spark, SUITE, RIGHT, WRONG, by="group_id", counted={"groups": 99}) == {}


def test_empty_table_passes_only_without_groups(spark: SparkSession) -> None:
    """No rows are right where no group was listed, and nowhere else."""
    assert failures(spark, SUITE, [], {"groups": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"groups": 1}, "now") == {"row_count": ()}
