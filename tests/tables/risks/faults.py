"""Rows of risks, right and wrong."""

from datetime import timedelta

from kafka_census.tables.risks.rules import RISKS_SUITE
from spark.fake_lake import NOON
from spark.faults import Faults, row

UNKNOWN = row(state="unknown", reason="not read", detail=None, affected=None)
ACCEPTED = row(state="accepted", accepted_until=NOON.date(), accepted_why="data of tests")
FAULTS = Faults(
    RISKS_SUITE,
    right=row(risk="one_replica", subject="topic", affected=1, detail="1 of 3 partitions", state="open"),
    wrong={
        "risk_is_known_word": {"risk": "bad_luck"},
        "state_is_known_word": {"state": "closed"},
        "subject_is_named": {"subject": "cluster"},
        "unknown_has_reason": {"state": "unknown", "reason": "not read"},
        "accepted_by_somebody_for_a_while": ACCEPTED | {"accepted_until": (NOON - timedelta(days=1)).date()},
    },
    valid={"open": {}, "unknown": UNKNOWN, "accepted": ACCEPTED},
)
