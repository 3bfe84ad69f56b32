"""Each expectation of hanging_transactions lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import HANGING_TRANSACTIONS_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "partition": 0,
    "producer_id": 7,
    "current_txn_start_offset": 50,
    "verdict": "hanging",
    "evidence": "no_transactional_id",
    "confidence": "high",
    "reason": "no transactional id has it",
    "rechecked_at": NOON,
    "record_age_ms": 1000,
    "seen_for_ms": 500,
    "max_timeout_ms": 900,
    "late": True,
    "hanging_since": NOON,
    "censuses_hanging": 1,
}
NOT_HANGING = {"evidence": None, "confidence": None, "hanging_since": None, "censuses_hanging": 0}
HELD = NOT_HANGING | {"verdict": "held", "reason": None, "transactional_id": "a"}
UNREAD = NOT_HANGING | {
    "verdict": "unknown",
    "producer_id": -1,
    "current_txn_start_offset": None,
    "rechecked_at": None,
    "late": None,
    "reason": "not read",
}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"observed_at": None},
    "verdict_is_known_word": NOT_HANGING | {"verdict": "perhaps"},
    "verdict_has_reason": {"reason": None},
    "judged_was_rechecked": {"rechecked_at": None},
    "hanging_has_evidence": {"evidence": None},
    "evidence_is_true": {"transactional_id": "a"},
    "confidence_is_of_hanging": {"confidence": None},
    "low_confidence_has_doubt": {"confidence": "low"},
    "held_has_id": HELD | {"transactional_id": None},
    "run_is_of_hanging": {"censuses_hanging": 0},
    "nothing_hangs": {},
    "nothing_seems_to_hang": {"confidence": "low", "doubt": "may be hidden"},
    "was_judged": UNREAD | {"producer_id": 7},
}


def key(topic: str, producer_id: int = 7) -> str:
    """The key of a row in failures."""
    return f"topic={topic}, partition=0, producer_id={producer_id}"


def test_right_rows_pass(spark: SparkSession) -> None:
    """A hanging, a held and an ended transaction, and a partition that was not read: all rows are valid."""
    ended = NOT_HANGING | {"verdict": "ended"}
    rows = [RIGHT | {"topic": "a"}, RIGHT | HELD | {"topic": "b"}, RIGHT | ended | {"topic": "c"}]
    low = {"topic": "d", "confidence": "low", "doubt": "may be hidden", "late": None}
    found = failures(spark, SUITE, [*rows, RIGHT | low, RIGHT | UNREAD | {"topic": "e"}], {"rows": 5}, "now")
    assert found == {
        "nothing_hangs": (key("a"),),
        "nothing_seems_to_hang": (key("d"),),
        "was_judged": (key("e", -1),),
    }


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    besides = broken_besides(spark, SUITE, RIGHT, WRONG, by="topic", counted={"rows": 99})
    hanging = {rule for rule, fault in WRONG.items() if (RIGHT | fault)["confidence"] == "high"} - {"nothing_hangs"}
    assert besides == {
        **{rule: {"nothing_hangs"} for rule in (*hanging, "key_is_unique")},
        "low_confidence_has_doubt": {"nothing_seems_to_hang"},
    }


def test_empty_table_passes_only_where_nothing_is_open(spark: SparkSession) -> None:
    """No rows are right where all partitions were read and no transaction is open, and nowhere else."""
    assert failures(spark, SUITE, [], {"rows": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"rows": 1}, "now") == {"row_count": ()}
