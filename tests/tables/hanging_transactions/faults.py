"""Rows of hanging_transactions, right and wrong."""

from kafka_census.tables.hanging_transactions.rules import HANGING_TRANSACTIONS_SUITE
from spark.fake_lake import NOON
from spark.faults import Faults, row

NOT_HANGING = row(evidence=None, confidence=None, hanging_since=None, censuses_hanging=0)
HELD = NOT_HANGING | {"verdict": "held", "reason": None, "transactional_id": "a"}
UNREAD = NOT_HANGING | row(
    verdict="unknown", producer_id=-1, current_txn_start_offset=None, rechecked_at=None, late=None, reason="not read"
)

HANGING = (
    *("row_has_identity", "verdict_has_reason", "judged_was_rechecked", "hanging_has_evidence", "evidence_is_true"),
    *("run_is_of_hanging", "key_is_unique"),
)
FAULTS = Faults(
    HANGING_TRANSACTIONS_SUITE,
    right=row(partition=0, producer_id=7, current_txn_start_offset=50, verdict="hanging")
    | row(evidence="no_transactional_id", confidence="high", reason="no transactional id has it")
    | row(rechecked_at=NOON, record_age_ms=1000, seen_for_ms=500, max_timeout_ms=900, late=True)
    | row(hanging_since=NOON, censuses_hanging=1),
    wrong={
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
    },
    besides={rule: {"nothing_hangs"} for rule in HANGING}
    | {"low_confidence_has_doubt": {"nothing_seems_to_hang"}}
    | {"hanging": {"nothing_hangs"}, "low confidence": {"nothing_seems_to_hang"}, "not read": {"was_judged"}},
    valid={
        "hanging": {},
        "held": HELD,
        "ended": NOT_HANGING | {"verdict": "ended"},
        "low confidence": {"confidence": "low", "doubt": "may be hidden", "late": None},
        "not read": UNREAD,
    },
    counts={"rows": len},
)
