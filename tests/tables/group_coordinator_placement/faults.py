"""Rows of group_coordinator_placement, right and wrong."""

from kafka_census.tables.group_coordinator_placement.rules import GROUP_COORDINATOR_PLACEMENT_SUITE
from spark.faults import Faults, row

ELSEWHERE = {"agreement": "listed_elsewhere", "reason": "it is moving"}
DISAGREEING = ("agreement_is_known_word", "unexpected_has_reason", "listed_by_is_sorted_set")
FAULTS = Faults(
    GROUP_COORDINATOR_PLACEMENT_SUITE,
    right=row(offsets_partition=7, offsets_partitions=50, expected_coordinator=1, listed_by=[1])
    | row(found_coordinator=1, found_host="host-1", found_port=9092, agreement="agree"),
    wrong={
        "row_has_identity": {"census_id": "other"},
        "agreement_is_known_word": {"agreement": "perhaps", "reason": "who knows"},
        "disagreement_has_reason": {"reason": "for no reason"},
        "agreement_is_true": {"expected_coordinator": 2},
        "partition_is_in_range": {"offsets_partition": 50},
        "unexpected_has_reason": {"expected_coordinator": None} | ELSEWHERE,
        "found_has_endpoint": {"found_host": None},
        "listed_by_is_sorted_set": {"listed_by": [2, 1]} | ELSEWHERE,
        "coordinators_agree": ELSEWHERE,
    },
    besides={rule: {"coordinators_agree"} for rule in DISAGREEING}
    | {"could not be placed, and has no name": {"coordinators_agree"}},
    valid={"agreement": {}},
    apart={
        "could not be placed, and has no name": row(
            group_id="", expected_reason="no leader", listed_by=[1], agreement="unknown"
        )
        | row(reason="FindCoordinator was not asked")
    },
    counts={"groups": len},
)
