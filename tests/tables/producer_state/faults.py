"""Rows of producer_state, right and wrong."""

from kafka_census.tables.producer_state.rules import PRODUCER_STATE_SUITE
from spark.faults import Faults, row

NUMBERS = ("producer_ids", "idempotent_only", "idempotent_only_share", "open_transactions", "oldest_open_offset")
UNKNOWN = dict.fromkeys(NUMBERS) | {"reason": "not read"}
IDLE = dict.fromkeys(NUMBERS) | dict.fromkeys(("producer_ids", "idempotent_only", "open_transactions"), 0)
FAULTS = Faults(
    PRODUCER_STATE_SUITE,
    right=row(partition=0, producer_ids=4, idempotent_only=1, idempotent_only_share=0.25)
    | row(open_transactions=2, oldest_open_offset=70),
    wrong={
        "unknown_has_reason": {"reason": "for no reason"},
        "numbers_are_of_one_answer": {"open_transactions": None, "oldest_open_offset": None},
        "kinds_are_within_all": {"open_transactions": 4},
        "share_is_a_part": {"idempotent_only_share": 1.5},
        "open_transaction_has_offset": {"oldest_open_offset": None},
        "growth_has_census": {"producer_ids_per_hour": 2.0},
        "producers_were_read": UNKNOWN,
    },
    besides={"numbers_are_of_one_answer": {"kinds_are_within_all"}} | {"not read": {"producers_were_read"}},
    valid={"busy": {}, "no producers": IDLE, "not read": UNKNOWN},
    counts={"rows": len},
)
