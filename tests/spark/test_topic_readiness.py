"""A topic is as ready as its worst partition, its counts add up, and values unknown for one partition stay unknown."""

from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from kafka_census.tables.topic_readiness import TOPIC_READINESS as TABLE
from kafka_census.tables.under_min_isr_partitions import STATUSES
from spark.landed_items import CENSUS, CLUSTER, Item, at, compute, rows_by

OFFSETS, TRANSACTIONS = "__consumer_offsets", "__transaction_state"
READY = {"OFFLINE": False, "UNDER": False, "UNKNOWN": None}


def part(topic: str, number: int, status: str, **columns: Any) -> Item:
    """A row of under_min_isr_partitions."""
    plain = {
        "census_id": CENSUS,
        "cluster_id": CLUSTER,
        "observed_at": at(number),
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
    return plain | columns


def counts(row: Row) -> dict[str, int]:
    """The partitions of a topic by status, without zeros."""
    numbers = {status: row[f"{status.lower()}_partitions"] for status in STATUSES}
    return {status: number for status, number in numbers.items() if number}


def parts(topic: str, *statuses: str, **columns: Any) -> list[Item]:
    """Partitions with these statuses."""
    return [part(topic, number, status, **columns) for number, status in enumerate(statuses)]


GROUPS, IDS = "groups_unable_to_commit", "transactional_ids_unable_to_commit"
PARTITIONS = [
    *parts("every", *reversed(STATUSES), "OK"),
    *parts("fine", "OK", "OK", "OK"),
    *parts("weak", "AT", "UNDER_REPLICATED", "OK"),
    *parts("mixed", "UNDER", "OFFLINE", "OK", "UNDER"),
    *parts("unsure", "OK", "UNKNOWN", "UNKNOWN"),
    *parts("broken", "UNKNOWN", "OFFLINE"),
    part("doubtful", 0, "UNKNOWN", ready_for_acks_all=True, min_isr_raw=2, min_isr_source="topic"),
    part("gone", -1, "UNKNOWN", error_code=3, available=None, reason="UNKNOWN_TOPIC_OR_PARTITION"),
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


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> dict[str, Row]:
    """The table by topic."""
    return rows_by(compute(spark, TABLE, partitions=PARTITIONS), "topic")


def test_statuses_of_a_topic_add_up_to_its_partitions(rows: dict[str, Row]) -> None:
    """Every status once and OK twice: each partition is counted once, and the worst is the topic's status."""
    row, fine = rows["every"], rows["fine"]
    assert counts(row) == dict.fromkeys(STATUSES, 1) | {"OK": 2}
    assert row.partitions == sum(counts(row).values()) == 7
    assert (row.status, row.reason, row.available_partitions) == ("OFFLINE", "partition 5: it is OFFLINE", 6)
    assert (fine.partitions, fine.available_partitions, fine.ready_partitions) == (3, 3, 3)
    assert (fine.status, fine.reason, fine.ready_for_acks_all, counts(fine)) == ("OK", None, True, {"OK": 3})
    assert (fine.topic_id, fine.is_internal, fine.observed_at) == ("id-of-fine", False, at(2).replace(tzinfo=None))


def test_at_and_under_replicated_partitions_are_ready(rows: dict[str, Row]) -> None:
    """They accept acks=all writes; only OFFLINE and UNDER ones do not, and of these UNDER ones are available."""
    weak, mixed = rows["weak"], rows["mixed"]
    assert (weak.status, weak.ready_partitions, weak.ready_for_acks_all) == ("AT", 3, True)
    assert (mixed.available_partitions, mixed.ready_partitions, mixed.ready_for_acks_all) == (3, 1, False)
    assert (mixed.status, mixed.reason) == ("OFFLINE", "partition 1: it is OFFLINE")


def test_ready_partitions_are_null_where_one_is_unknown(rows: dict[str, Row]) -> None:
    """Not the number of the known ones; but one partition that refuses writes decides for the topic."""
    unsure, broken = rows["unsure"], rows["broken"]
    assert (unsure.ready_partitions, unsure.ready_for_acks_all) == (None, None)
    assert (unsure.status, unsure.ready_reason) == ("UNKNOWN", "partition 1: it is UNKNOWN")
    assert (unsure.available_partitions, unsure.min_isr_raw, unsure.min_isr_source) == (3, 2, "topic")
    assert (broken.ready_partitions, broken.ready_for_acks_all, broken.status) == (None, False, "OFFLINE")
    assert broken.ready_reason == "partition 0: it is UNKNOWN"


def test_doubtful_partition_whose_readiness_is_known_is_counted(rows: dict[str, Row]) -> None:
    """UNKNOWN only because reassignments were not read: its minimum was read, so it is known to be ready."""
    row = rows["doubtful"]
    assert (row.status, row.ready_partitions, row.ready_reason, row.ready_for_acks_all) == ("UNKNOWN", 1, None, True)


def test_topic_that_could_not_be_described_is_a_row_without_counts(rows: dict[str, Row]) -> None:
    """Its error and reason, and no number that looks like a count."""
    row = rows["gone"]
    assert (row.status, row.error_code, row.reason) == ("UNKNOWN", 3, "UNKNOWN_TOPIC_OR_PARTITION")
    assert (row.partitions, row.available_partitions, row.ready_partitions, row.ready_for_acks_all) == (None,) * 4
    assert {row[f"{status.lower()}_partitions"] for status in STATUSES} == {None}
    assert (row.ready_reason, row.min_isr_raw, row.min_isr_source) == ("UNKNOWN_TOPIC_OR_PARTITION", None, "unknown")


def test_row_of_a_topic_that_was_gone_on_a_later_page_is_no_partition(rows: dict[str, Row]) -> None:
    """Partitions were described before the topic was deleted: two are counted, the row about the deletion is not."""
    row = rows["gone-later"]
    assert (row.partitions, row.available_partitions, counts(row)) == (2, 2, {"OK": 2})
    assert (row.error_code, row.status, row.ready_partitions) == (3, "UNKNOWN", None)


def test_available_partitions_are_null_where_a_leader_may_be_hidden(rows: dict[str, Row]) -> None:
    """The leader lacks the listener that was asked: the partition is neither available nor unavailable."""
    row = rows["hidden"]
    assert (row.partitions, row.available_partitions, row.ready_partitions) == (2, None, None)


def test_minimum_is_the_highest_of_leaders_that_differ(rows: dict[str, Row]) -> None:
    """A topic without its own value has those of its leaders: the row has the strictest, with its source."""
    row = rows["differs"]
    assert (row.min_isr_raw, row.min_isr_source, row.min_isr_differs) == (3, "static", True)
    assert rows["fine"].min_isr_differs is False


def test_committers_are_summed_or_unknown(rows: dict[str, Row]) -> None:
    """Groups and transactional ids of all partitions of their topic; one unknown count makes the sum null."""
    names = [name for committers in (GROUPS, IDS) for name in (committers, f"{committers}_reason")]
    assert {topic: tuple(rows[topic][name] for name in names) for topic in (OFFSETS, TRANSACTIONS, "mixed")} == {
        OFFSETS: (7, None, None, None),
        TRANSACTIONS: (None, None, None, "partition 1: no leader"),
        "mixed": (None, None, None, None),
    }
