"""Rows of scram_users, right and wrong."""

from kafka_census.tables.scram_users.rules import SCRAM_USERS_SUITE
from spark.faults import Faults, row

REFUSED = row(mechanism="", iterations=None, mechanisms=[], only_sha_256=None, reason="refused")
FAULTS = Faults(
    SCRAM_USERS_SUITE,
    right=row(mechanism="SCRAM-SHA-512", iterations=4096, mechanisms=["SCRAM-SHA-512"], only_sha_256=False),
    wrong={
        "described_or_reason": {"reason": "refused"},
        "mechanism_is_among_the_users": {"mechanism": "SCRAM-SHA-256"},
        "user_was_described": REFUSED,
        "iterations_are_enough": {"iterations": 1},
    },
    besides={"refused": {"user_was_described"}},
    valid={
        "credential": {},
        "only the weaker": row(mechanism="SCRAM-SHA-256", mechanisms=["SCRAM-SHA-256"], only_sha_256=True),
        "refused": REFUSED,
    },
    counts={"credentials": len},
)
