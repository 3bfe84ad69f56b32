"""Rows of transaction_coordinator_placement, right and wrong."""

from kafka_census.tables.transaction_coordinator_placement.rules import TRANSACTION_COORDINATOR_PLACEMENT_SUITE
from spark.faults import Faults, row
from tables.group_coordinator_placement.faults import DISAGREEING
from tables.group_coordinator_placement.faults import FAULTS as OF_GROUPS

NOT_DESCRIBED = (
    row(producer_epoch=None, described_state=None, transaction_timeout_ms=None)
    | row(written_partitions=None, description_reason="not read", duration_ms=None)
    | row(duration_reason="not read", over_timeout=None)
)
FAULTS = Faults(
    TRANSACTION_COORDINATOR_PLACEMENT_SUITE,
    right=row(transactions_partition=7, transactions_partitions=50, expected_coordinator=1, listed_by=[1])
    | row(found_coordinator=1, found_host="host-1", found_port=9092, agreement="agree", producer_id=7)
    | row(producer_epoch=0, described_state="Ongoing", transaction_timeout_ms=60000)
    | row(written_partitions=1, duration_ms=10, over_timeout=False),
    wrong={
        **OF_GROUPS.wrong,
        "partition_is_in_range": {"transactions_partition": 50},
        "description_is_whole": {"producer_epoch": None},
        "duration_or_reason": {"duration_ms": None, "over_timeout": None},
        "only_open_has_duration": {"described_state": "CompleteCommit"},
        "over_timeout_has_duration": {"over_timeout": None},
        "id_was_described": NOT_DESCRIBED,
        "transaction_is_within_timeout": {"duration_ms": 60001, "over_timeout": True},
    },
    besides={rule: {"coordinators_agree"} for rule in DISAGREEING}
    | {rule: {"transaction_is_within_timeout"} for rule in ("duration_or_reason", "over_timeout_has_duration")}
    | {
        "no start": {"transaction_is_within_timeout"},
        "not placed, not described, and has no name": {"coordinators_agree", "id_was_described"},
    },
    valid={
        "agreement": {},
        "no start": row(duration_ms=None, over_timeout=None, duration_reason="the coordinator names no start"),
    },
    apart={
        "not placed, not described, and has no name": row(
            transactional_id="", expected_reason="no leader", listed_by=[1], agreement="unknown"
        )
        | row(reason="FindCoordinator was not asked", description_reason="not read")
        | row(duration_reason="not read")
    },
    counts={"transactional_ids": len},
)
