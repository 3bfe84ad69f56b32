"""The decision about a group after the second look, and its outcome: each with its code and reason."""

from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from kafka_census.deletion import verdicts
from kafka_census.deletion.writing import check, delete, restore

OFFSETS = [{"topic": "t", "partition": 0, "committed_offset": 5, "leader_epoch": None, "metadata": ""}]
FOUND = {"group_state": "Empty", "members": 0, "state_code": 0, "offsets_code": 0, "offsets": OFFSETS}
PLANNED = "group_id string, group_type string, offsets_fingerprint long, committed_partitions long"


def frame(spark: SparkSession, schema: pa.Schema, rows: dict[str, dict[str, Any]]) -> DataFrame:
    values = [{"group_id": name} | row for name, row in rows.items()]
    return spark.createDataFrame(
        [tuple(row.get(name) for name in schema.names) for row in values], from_arrow_schema(schema)
    )


def outcomes(judged: DataFrame) -> dict[str, tuple[str, int, str | None]]:
    return {row.group_id: (row.outcome, row.error_code, row.reason) for row in judged.collect()}


def fingerprint(spark: SparkSession) -> int:
    found = frame(spark, check.SCHEMA, {"any": FOUND}).select(verdicts.fingerprint("offsets").alias("it")).first()
    assert isinstance(found, Row)
    return int(found["it"])


NOW: dict[str, dict[str, Any]] = {
    "same": FOUND,
    "none": FOUND | {"offsets": []},
    "moved": FOUND | {"offsets": [OFFSETS[0] | {"committed_offset": 6}]},
    "more": FOUND | {"offsets": [*OFFSETS, OFFSETS[0] | {"partition": 1}]},
    "joined": FOUND | {"group_state": "Stable", "members": 2},
    "odd": FOUND | {"members": 1},
    "absent": FOUND | {"group_state": None, "state_code": 69, "offsets": []},
    "dead": FOUND | {"group_state": None, "offsets": []},
    "other type": FOUND | {"group_state": None, "state_code": 69},
    "denied": FOUND | {"group_state": None, "state_code": 30},
    "silent": FOUND | {"group_state": None, "state_code": -101, "state_message": "broker 1: refused"},
    "unread": FOUND | {"offsets_code": 16, "offsets": []},
}
"""What a look finds, by group."""


def test_a_group_is_deleted_only_if_it_is_what_the_plan_says(spark: SparkSession) -> None:
    """Anything that is not known for sure keeps the group."""
    known = fingerprint(spark)
    planned = [(name, "classic", known, 1) for name in NOW if name != "none"]
    wave = spark.createDataFrame([*planned, ("none", None, 0, 0)], PLANNED)
    moved = "its offsets moved since the plan was made: somebody commits them"
    gone = "there is no such group any more: "
    assert outcomes(verdicts.checked(wave, frame(spark, check.SCHEMA, NOW))) == {
        "same": ("delete", 0, None),
        "none": ("delete", 0, None),
        "moved": ("kept", 0, moved),
        "more": ("kept", 0, moved),
        "joined": ("kept", 68, "it is Stable, members: 2"),
        "odd": ("kept", 68, "it is Empty, members: 1"),
        "absent": ("gone", 69, f"{gone}somebody else deleted it, or Kafka did"),
        "dead": ("gone", 69, f"{gone}somebody else deleted it, or Kafka did"),
        "other type": ("kept", 0, "it is not of type classic any more"),
        "denied": ("refused", 30, "see its error"),
        "silent": ("failed", -101, "broker 1: refused"),
        "unread": ("failed", 16, "see its error"),
    }


def test_a_look_tells_what_became_of_a_deletion_without_a_known_outcome(spark: SparkSession) -> None:
    """An existing group may have been deleted and re-created: only an unchanged group was surely not deleted."""
    known = fingerprint(spark)
    names = ("same", "absent", "moved", "joined", "denied", "silent", "unread")
    wave = spark.createDataFrame([(name, "classic", known, 1) for name in names], PLANNED)
    looked = verdicts.looked(wave, frame(spark, check.SCHEMA, {name: NOW[name] for name in names})).collect()
    assert {row.group_id: (row.outcome, row.sent, row.error_code) for row in looked} == {
        "same": ("still_there", False, 0),
        "absent": ("gone", True, 69),
        "moved": ("kept", True, 0),
        "joined": ("kept", True, 68),
        "denied": ("refused", False, 30),
        "silent": ("failed", False, -101),
        "unread": ("failed", False, 16),
    }
    reasons = {row.group_id: row.reason for row in looked}
    assert reasons["same"] == "the group is as the plan says: what an earlier run sent for it was not carried out"
    assert "an earlier run sent its deletion, and did not learn the outcome" in reasons["absent"]


def test_what_was_answered_is_reported(spark: SparkSession) -> None:
    sent: dict[str, dict[str, Any]] = {
        "done": {"sent": True, "moved": False, "error_code": 0},
        "moved": {"sent": False, "moved": True, "error_code": 0},
        "gone": {"sent": True, "moved": False, "error_code": 69},
        "joined": {"sent": True, "moved": False, "error_code": 68},
        "denied": {"sent": True, "moved": False, "error_code": 30},
        "invalid": {"sent": True, "moved": False, "error_code": 24},
        "lost": {"sent": True, "moved": False, "error_code": -109, "error_message": "no answer"},
        "loading": {"sent": True, "moved": False, "error_code": 14},
        "failed": {"sent": True, "moved": False, "error_code": -1},
        "silent": {"sent": False, "moved": False, "error_code": -101, "error_message": "refused"},
        "unasked": {"sent": False, "moved": False, "error_code": 14},
    }
    assert outcomes(verdicts.deleted(frame(spark, delete.SCHEMA, sent))) == {
        "done": ("deleted", 0, None),
        "moved": ("kept", 0, "its offsets moved in the moment before: somebody commits them"),
        "gone": ("gone", 69, "there is no such group any more: an answer to us was lost, or somebody else deleted it"),
        "joined": ("kept", 68, "a member joined in the moment before"),
        "denied": ("refused", 30, "see its error"),
        "invalid": ("failed", 24, "see its error"),
        "lost": ("unknown", -109, "no answer"),
        "loading": ("unknown", 14, "its error does not prove that nothing was done"),
        "failed": ("unknown", -1, "its error does not prove that nothing was done"),
        "silent": ("failed", -101, "refused"),
        "unasked": ("failed", 14, "see its error"),
    }


def test_what_was_restored_is_reported(spark: SparkSession) -> None:
    sent: dict[str, dict[str, Any]] = {
        "whole": {"sent": True, "error_code": 0, "partitions": 2},
        "before": {"sent": False, "error_code": 0, "partitions": 2},
        "part": {"sent": True, "error_code": 3, "partitions": 1},
        "lost": {"sent": True, "error_code": -109, "partitions": 1, "error_message": "no answer"},
        "nothing": {"sent": True, "error_code": 3, "partitions": 0},
        "denied": {"sent": True, "error_code": 30, "partitions": 0},
        "loading": {"sent": True, "error_code": 14, "partitions": 0},
        "failed": {"sent": True, "error_code": -1, "partitions": 1},
        "lives": {"sent": False, "error_code": 0, "partitions": 0, "lives": "it is Stable, of type consumer"},
        "silent": {"sent": False, "error_code": 15, "partitions": 0, "error_message": "nobody"},
    }
    saved = spark.createDataFrame([(name, 2) for name in sent], "group_id string, saved int")
    assert outcomes(verdicts.restored(frame(spark, restore.SCHEMA, sent).join(saved, "group_id"))) == {
        "whole": ("restored", 0, None),
        "before": ("restored", 0, "all of its saved offsets were there already"),
        "part": ("partly_restored", 3, "1 of 2 partitions were not taken"),
        "lost": ("unknown", -109, "no answer"),
        "nothing": ("failed", 3, "see its error"),
        "denied": ("refused", 30, "see its error"),
        "loading": ("unknown", 14, "its error does not prove that nothing was done"),
        "failed": ("unknown", -1, "its error does not prove that nothing was done"),
        "lives": ("kept", 0, "there is such a group: it is Stable, of type consumer"),
        "silent": ("failed", 15, "nobody"),
    }
