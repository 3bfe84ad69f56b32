"""Rows of failure_impact, right and wrong."""

from kafka_census.tables.failure_impact.rules import FAILURE_IMPACT_SUITE
from spark.faults import Faults, row

HARM = row(verdict="loses_availability", offline_partitions=1, offline_topics=1, reason="1 partition without a leader")
UNKNOWN = row(verdict="unknown", quorum_reason="not read", keeps_quorum=None, reason="not read")
FAULTS = Faults(
    FAILURE_IMPACT_SUITE,
    right=row(
        kind="broker",
        verdict="safe",
        reason="every partition has a leader and its minimum ISR",
        **dict.fromkeys(("offline_partitions", "offline_topics", "offline_bytes", "unclean_partitions"), 0),
        **dict.fromkeys(("under_min_isr_partitions", "last_in_sync_partitions", "reassignments_stopped"), 0),
        **dict.fromkeys(("groups_stranded", "transactional_ids_stranded"), 0),
        at_min_isr_partitions=3,
        leaders_moving=2,
        leaders_to=[(902, 1), (903, 1)],
        groups_moving=4,
        transactional_ids_moving=0,
        voters_left=2,
        voters_needed=2,
        keeps_quorum=True,
    ),
    wrong={
        "kind_is_known_word": {"kind": "moon"},
        "verdict_is_known_word": {"verdict": "fine"},
        "verdict_has_reason": {"reason": None},
        "only_nothing_has_no_name": {"kind": "nothing"},
        "partitions_or_reason": {"offline_topics": None},
        "minima_or_reason": {"at_min_isr_partitions": None},
        "ids_or_reason": {"verdict": "unknown", "groups_stranded": None},
        "offline_bytes_or_reason": {"offline_bytes": None},
        "reassignments_or_reason": {"reassignments_stopped": None},
        "moves_go_somewhere": {"leaders_moving": 3},
        "stranded_are_of_moving": {"groups_stranded": 5},
        "safe_is_known": {"keeps_quorum": False},
        "harm_is_told": {"verdict": "loses_availability"},
        "impact_is_known": UNKNOWN,
    },
    besides={"ids_or_reason": {"impact_is_known"}, "not known": {"impact_is_known"}},
    valid={"safe": {}, "harm": HARM, "not known": UNKNOWN},
    counts={"things": len},
    at_least=True,
)
