"""Rows of coordinator_load, right and wrong."""

from typing import Any

from kafka_census.tables.coordinator_load.rules import COORDINATOR_LOAD_SUITE
from spark.faults import Faults, row

KINDS = {"groups": "offsets_partitions_led", "transactional_ids": "transactions_partitions_led"}
"""The column of led partitions, by kind of ids."""


def of(ids: str, **columns: Any) -> dict[str, Any]:
    """Columns of one kind, by the suffix of their names."""
    return {f"{ids}_{name}": value for name, value in columns.items()}


RIGHT = row(broker_state="alive", members=5, groups_undescribed=0, if_lost=[(901, 2, 1), (902, 0, 1)])
UNKNOWN = row(broker_state="unknown", members_reason="not read", if_lost=[(901, None, None)])
WRONG: dict[str, dict[str, Any]] = {}
for ids, led in KINDS.items():
    # Three ids on partitions that the broker leads.
    RIGHT |= {ids: 3, led: 4} | of(ids, expected=2.5, stranded=0, unforeseen=1, unplaced=0)
    RIGHT |= of(ids, chi_square=1.0, p_value=0.5, skew="fair")
    UNKNOWN |= of(ids, reason="not read", skew_reason="not read", unplaced=0) | {f"{led}_reason": "not read"}
    WRONG |= {
        f"{ids}_or_reason": {led: None},
        f"{ids}_go_somewhere": of(ids, unforeseen=0),
        f"{ids}_share_is_fair": of(ids, expected=-1.0),
        f"{ids}_skew_is_judged": of(ids, p_value=1.1),
        f"{ids}_have_a_next_coordinator": of(ids, stranded=1, unforeseen=0),
        f"{ids}_are_placed": of(ids, unplaced=1),
        f"{ids}_hash_is_fair": of(ids, p_value=1e-09, skew="wrong"),
    }
TOO_FEW = of("groups", chi_square=None, p_value=None, skew=None, skew_reason="3: too few to tell")
FAULTS = Faults(
    COORDINATOR_LOAD_SUITE,
    right=RIGHT,
    wrong=WRONG
    | {
        "state_is_known_word": {"broker_state": "asleep"},
        "next_are_others": {"if_lost": [(902, 0, 1), (901, 2, 1)]},
        "unknown_members_have_reason": {"members": None},
        "undescribed_are_of_its_groups": {"groups_undescribed": 4},
        "members_are_whole": {"groups_undescribed": 1, "members_reason": "no answer"},
    },
    besides={
        "would take over from itself": {"next_are_others"},
        "unknown": {f"{ids}_{rule}" for ids in KINDS for rule in ("are_placed", "hash_is_fair")}
        | {"members_are_whole"},
    },
    valid={"known": {}, "would take over from itself": {"broker_id": 901}, "too few to show a skew": TOO_FEW},
    apart={"unknown": UNKNOWN},
    counts={"brokers": len},
)
