"""A topic is as ready as its worst partition, its counts add up, and values unknown for one partition stay unknown."""

from typing import Any

from kafka_census.tables.topic_readiness.columns import TOPIC_READINESS as TABLE
from kafka_census.tables.under_min_isr_partitions.columns import STATUSES
from spark.cases import Case, each_case
from spark.landed_items import Item, naive, published

OFFSETS, TRANSACTIONS = "__consumer_offsets", "__transaction_state"
GONE = "UNKNOWN_TOPIC_OR_PARTITION"
READY = {"OFFLINE": False, "UNDER": False, "UNKNOWN": None}


def part(topic: str, number: int, status: str, **columns: Any) -> Item:
    plain = {
        "topic": topic,
        "topic_id": f"id-of-{topic}",
        "is_internal": topic.startswith("__"),
        "partition": number,
        "status": status,
        "reason": None if status == "OK" else f"it is {status}",
        "available": status != "OFFLINE",
        "ready_for_acks_all": READY.get(status, True),
        "min_isr_raw": None if status == "UNKNOWN" else 2,
        "min_isr_source": "unknown" if status == "UNKNOWN" else "topic",
        "error_code": 0,
    }
    return published(number, **plain | columns)


def parts(topic: str, *statuses: str, **columns: Any) -> list[Item]:
    return [part(topic, number, status, **columns) for number, status in enumerate(statuses)]


GROUPS, IDS = "groups_unable_to_commit", "transactional_ids_unable_to_commit"

PARTITIONS = [
    *parts("every", *reversed(STATUSES), "OK"),
    *parts("fine", "OK", "OK", "OK"),
    *parts("mixed", "UNDER", "OFFLINE", "OK", "UNDER"),
    *parts("unsure", "OK", "UNKNOWN", "UNKNOWN"),
    part("doubtful", 0, "UNKNOWN", ready_for_acks_all=True, min_isr_raw=2, min_isr_source="topic"),
    part("gone", -1, "UNKNOWN", error_code=3, available=None, reason=GONE),
    *parts("gone-later", "OK", "OK"),
    part("gone-later", -1, "UNKNOWN", error_code=3, available=None),
    part("hidden", 0, "OK"),
    part("hidden", 1, "UNKNOWN", available=None),
    part("differs", 0, "OK", min_isr_raw=1, min_isr_source="default"),
    part("differs", 1, "OK", min_isr_raw=3, min_isr_source="static"),
    part(OFFSETS, 0, "UNDER", **{GROUPS: 3}),
    part(OFFSETS, 1, "UNDER", **{GROUPS: 4}),
    part(TRANSACTIONS, 0, "UNDER", **{IDS: 5}),
    part(TRANSACTIONS, 1, "OFFLINE", **{f"{IDS}_reason": "no leader"}),
]


NOT_READY = "partition {}: it is UNKNOWN"
READINESS = "status reason partitions available_partitions ready_partitions ready_for_acks_all ready_reason"
ROWS = {
    # The worst decides, known or not. Not ready are only OFFLINE and UNDER, of which UNDER is available.
    "every": ("OFFLINE", "partition 5: it is OFFLINE", 7, 6, None, False, NOT_READY.format(1)),
    "fine": ("OK", None, 3, 3, 3, True, None),
    "mixed": ("OFFLINE", "partition 1: it is OFFLINE", 4, 3, 1, False, None),
    # Not the number of the known ones.
    "unsure": ("UNKNOWN", NOT_READY.format(1), 3, 3, None, None, NOT_READY.format(1)),
    # UNKNOWN only because reassignments were not read: its minimum was read, so it is known to be ready.
    "doubtful": ("UNKNOWN", "partition 0: it is UNKNOWN", 1, 1, 1, True, None),
    # No number that looks like a count.
    "gone": ("UNKNOWN", GONE, None, None, None, None, GONE),
    # Partitions were described before the topic was deleted: the row about the deletion is none of them.
    "gone-later": ("UNKNOWN", "it is UNKNOWN", 2, 2, None, None, "it is UNKNOWN"),
    # The leader lacks the listener that was asked: the partition is neither available nor unavailable.
    "hidden": ("UNKNOWN", NOT_READY.format(1), 2, None, None, None, NOT_READY.format(1)),
    "differs": ("OK", None, 2, 2, 2, True, None),
    OFFSETS: ("UNDER", "partition 0: it is UNDER", 2, 2, 0, False, None),
    TRANSACTIONS: ("OFFLINE", "partition 1: it is OFFLINE", 2, 1, 0, False, None),
}
CASES = {
    "topics": Case({"partitions": PARTITIONS}, "fine")
    .table(READINESS, ROWS)
    # Each partition is counted once.
    .table(
        " ".join(f"{status.lower()}_partitions" for status in STATUSES),
        {
            "every": (1, 1, 1, 1, 1, 2),
            "fine": (0, 0, 0, 0, 0, 3),
            "gone": (None,) * 6,
            "gone-later": (0, 0, 0, 0, 0, 2),
        },
    )
    .table("topic_id is_internal observed_at", {"fine": ("id-of-fine", False, naive(2))})
    .table("error_code", {"fine": (0,), "gone": (3,), "gone-later": (3,)})
    # A topic without its own value has those of its leaders: the row has the strictest, with its source.
    .table(
        "min_isr_raw min_isr_source min_isr_differs",
        {"fine": (2, "topic", False), "unsure": (2, "topic", False), "differs": (3, "static", True)},
    )
    .table("min_isr_raw min_isr_source", {"gone": (None, "unknown")})
    # Groups and transactional ids of all partitions of their topic; one unknown count makes the sum null.
    .table(
        f"{GROUPS} {GROUPS}_reason {IDS} {IDS}_reason",
        {
            OFFSETS: (7, None, None, None),
            TRANSACTIONS: (None, None, None, "partition 1: no leader"),
            "mixed": (None, None, None, None),
        },
    )
}


test_every_case = each_case(TABLE, CASES, lambda row: row.topic)
