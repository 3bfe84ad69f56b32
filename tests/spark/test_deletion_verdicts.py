"""The decision about a group after the second look, and its outcome: each with its code and reason."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from kafka_census.deletion import verdicts
from kafka_census.deletion.writing import check, delete, restore

OFFSETS = [{"topic": "t", "partition": 0, "committed_offset": 5, "leader_epoch": None, "metadata": ""}]
FOUND = {"group_state": "Empty", "members": 0, "state_code": 0, "offsets_code": 0, "offsets": OFFSETS}
PLANNED = "group_id string, group_type string, offsets_fingerprint long, committed_partitions long"
SEE, LOADING = "see its error", "its error does not prove that nothing was done"
MOVED = "its offsets moved since the plan was made: somebody commits them"
NO_GROUP = "there is no such group any more: "
GONE = f"{NO_GROUP}somebody else deleted it, or Kafka did"
UNKNOWN_END = f"{NO_GROUP}an earlier run sent its deletion, and did not learn the outcome"
AS_PLANNED = "the group is as the plan says: what an earlier run sent for it was not carried out"

Outcome = tuple[str, int, str | None]


def frame(spark: SparkSession, schema: pa.Schema, rows: Mapping[str, Mapping[str, Any]]) -> DataFrame:
    values = [{"group_id": name} | dict(row) for name, row in rows.items()]
    return spark.createDataFrame(
        [tuple(row.get(name) for name in schema.names) for row in values], from_arrow_schema(schema)
    )


def outcomes(judged: DataFrame) -> dict[str, Outcome]:
    return {row.group_id: (row.outcome, row.error_code, row.reason) for row in judged.collect()}


NOW: dict[str, tuple[dict[str, Any], Outcome, tuple[str, bool, int] | None]] = {
    "same": ({}, ("delete", 0, None), ("still_there", False, 0)),
    "none": ({"offsets": []}, ("delete", 0, None), None),
    "moved": ({"offsets": [OFFSETS[0] | {"committed_offset": 6}]}, ("kept", 0, MOVED), ("kept", True, 0)),
    "more": ({"offsets": [*OFFSETS, OFFSETS[0] | {"partition": 1}]}, ("kept", 0, MOVED), None),
    "joined": (
        *({"group_state": "Stable", "members": 2}, ("kept", 68, "it is Stable, members: 2"), ("kept", True, 68)),
    ),
    "odd": ({"members": 1}, ("kept", 68, "it is Empty, members: 1"), None),
    "absent": ({"group_state": None, "state_code": 69, "offsets": []}, ("gone", 69, GONE), ("gone", True, 69)),
    "dead": ({"group_state": None, "offsets": []}, ("gone", 69, GONE), None),
    "other type": (
        *({"group_state": None, "state_code": 69}, ("kept", 0, "it is not of type classic any more"), None),
    ),
    "denied": ({"group_state": None, "state_code": 30}, ("refused", 30, SEE), ("refused", False, 30)),
    "silent": (
        {"group_state": None, "state_code": -101, "state_message": "broker 1: refused"},
        *(("failed", -101, "broker 1: refused"), ("failed", False, -101)),
    ),
    "unread": ({"offsets_code": 16, "offsets": []}, ("failed", 16, SEE), ("failed", False, 16)),
}
"""What a look finds, by group; the outcome of a first look; state, sent and code of one after an unknown outcome."""


def test_a_group_is_deleted_only_if_it_is_what_the_plan_says(spark: SparkSession) -> None:
    """Anything that is not known for sure keeps the group.

    After a deletion without a known outcome, a group may have been re-created: only an unchanged group was surely not
    deleted.
    """
    found = frame(spark, check.SCHEMA, {name: FOUND | now for name, (now, *_) in NOW.items()})
    prints = found.select("group_id", verdicts.fingerprint("offsets").alias("it")).collect()
    [known] = [row["it"] for row in prints if row.group_id == "same"]
    planned = [(name, "classic", known, 1) for name in NOW if name != "none"]
    wave = spark.createDataFrame([*planned, ("none", None, 0, 0)], PLANNED)
    assert outcomes(verdicts.checked(wave, found)) == {name: first for name, (_, first, _) in NOW.items()}
    again = {name: later for name, (*_, later) in NOW.items() if later}
    looked = {row.group_id: row for row in verdicts.looked(wave, found).collect() if row.group_id in again}
    assert {name: (row.outcome, row.sent, row.error_code) for name, row in looked.items()} == again
    assert looked["same"].reason == AS_PLANNED
    assert looked["absent"].reason == UNKNOWN_END


def test_what_was_answered_is_reported(spark: SparkSession) -> None:
    sent: dict[str, tuple[bool, bool, int, str | None, Outcome]] = {
        "done": (True, False, 0, None, ("deleted", 0, None)),
        "moved": (
            *(False, True, 0, None),
            ("kept", 0, "its offsets moved in the moment before: somebody commits them"),
        ),
        "gone": (
            *(True, False, 69, None),
            ("gone", 69, f"{NO_GROUP}an answer to us was lost, or somebody else deleted it"),
        ),
        "joined": (True, False, 68, None, ("kept", 68, "a member joined in the moment before")),
        "denied": (True, False, 30, None, ("refused", 30, SEE)),
        "invalid": (True, False, 24, None, ("failed", 24, SEE)),
        "lost": (True, False, -109, "no answer", ("unknown", -109, "no answer")),
        "loading": (True, False, 14, None, ("unknown", 14, LOADING)),
        "failed": (True, False, -1, None, ("unknown", -1, LOADING)),
        "silent": (False, False, -101, "refused", ("failed", -101, "refused")),
        "unasked": (False, False, 14, None, ("failed", 14, SEE)),
    }
    columns = ("sent", "moved", "error_code", "error_message")
    rows = {name: dict(zip(columns, values, strict=False)) for name, values in sent.items()}
    assert outcomes(verdicts.deleted(frame(spark, delete.SCHEMA, rows))) == {one: of[-1] for one, of in sent.items()}


def test_what_was_restored_is_reported(spark: SparkSession) -> None:
    restored: dict[str, tuple[bool, int, int, str | None, str | None, Outcome]] = {
        "whole": (True, 0, 2, None, None, ("restored", 0, None)),
        "before": (False, 0, 2, None, None, ("restored", 0, "all of its saved offsets were there already")),
        "part": (True, 3, 1, None, None, ("partly_restored", 3, "1 of 2 partitions were not taken")),
        "lost": (True, -109, 1, "no answer", None, ("unknown", -109, "no answer")),
        "nothing": (True, 3, 0, None, None, ("failed", 3, SEE)),
        "denied": (True, 30, 0, None, None, ("refused", 30, SEE)),
        "loading": (True, 14, 0, None, None, ("unknown", 14, LOADING)),
        "failed": (True, -1, 1, None, None, ("unknown", -1, LOADING)),
        "lives": (False, 0, 0, None, "it is Stable", ("kept", 0, "there is such a group: it is Stable")),
        "silent": (False, 15, 0, "nobody", None, ("failed", 15, "nobody")),
    }
    columns = ("sent", "error_code", "partitions", "error_message", "lives")
    rows = {name: dict(zip(columns, values, strict=False)) for name, values in restored.items()}
    saved = spark.createDataFrame([(name, 2) for name in restored], "group_id string, saved int")
    judged = verdicts.restored(frame(spark, restore.SCHEMA, rows).join(saved, "group_id"))
    assert outcomes(judged) == {name: values[-1] for name, values in restored.items()}
