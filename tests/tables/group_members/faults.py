"""Rows of group_members, right and wrong."""

from kafka_census.tables.group_members.rules import GROUP_MEMBERS_SUITE
from spark.faults import Faults, row

UNTOLD = {"partitions": None, "assignment": [], "assignment_reason": "it rebalances"}
HIDDEN = row(partitions=None, assignment=[], status="not_read", reason="refused", member_id="")
NO_TOPOLOGY = row(source_topics=[], stores=[])
FAULTS = Faults(
    GROUP_MEMBERS_SUITE,
    right=row(member_id="m", status="described", partitions=3, assignment=[("t", [0, 1]), ("s", [0])], **NO_TOPOLOGY),
    wrong={
        "status_is_known_word": {"status": "gone"},
        "not_read_has_reason": {"reason": "refused"},
        "partitions_are_listed": {"partitions": 4},
        "partitions_or_reason": {"assignment_reason": "it rebalances"},
        "topology_is_whole_where_available": {"stores": ["s"]},
        "members_were_read": HIDDEN,
    },
    besides={"status_is_known_word": {"members_were_read"}} | {"group is refused": {"members_were_read"}},
    valid={
        "assignment is known": {},
        "names are empty, which brokers accept": row(group_id="", client_id="", instance_id=""),
        "it is not": UNTOLD,
        "it is in part": {"partitions": None, "assignment_reason": "it rebalances"},
        "group is refused": HIDDEN,
        "topology is stored": row(topology_status="AVAILABLE", subtopologies=1, source_topics=["t"], stores=[]),
        "topology is not stored": row(topology_status="NOT_STORED"),
    },
    counts={"members": len},
    at_least=True,
)
