"""Producer ids of a partition are counted completely or not at all, by kind, with their hourly growth."""

from datetime import datetime
from typing import Any

from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.producer_state.columns import PRODUCER_STATE as TABLE
from spark.cases import Stories, Story
from spark.landed_items import CLUSTER, Item, at, item, missing_read

BEFORE = "20261121T110000000Z-000001"


def part(topic: str, partition: int | None = 0, **columns: Any) -> Item:
    return item(**{"topic": topic, "topic_id": f"id-of-{topic}", "partition": partition, "error_code": 0} | columns)


def producer(topic: str, producer_id: int | None, received: int = 1, **columns: Any) -> Item:
    """An idempotent producer, whose last record is from noon; columns change it."""
    known = {"topic": topic, "partition": 0, "error_code": 0, "producer_id": producer_id, "producer_epoch": 0}
    return item(7, received, **known | {"last_timestamp": _ms(0)} | columns)


def naive(seconds: int) -> datetime:
    return at(seconds).replace(tzinfo=None)


def _ms(seconds: int) -> int:
    return int(at(seconds).timestamp()) * 1000


STORIES = Stories(TABLE, lambda row: (row.topic, row.partition))


@STORIES.story
def producers_are_counted_by_kind() -> Story:
    """Idempotent only, one whose transaction was ended here, and two with an open transaction."""
    producers = [
        producer("t", 1, last_timestamp=_ms(-500)),
        producer("t", 2, coordinator_epoch=3),
        producer("t", 3, current_txn_start_offset=90, last_timestamp=_ms(-30)),  # its first: no marker was ever written
        producer("t", 4, current_txn_start_offset=70, coordinator_epoch=3, received=2),
    ]
    row = (yield {"partitions": [part("t")], "producers": producers})["t", 0]
    assert tuple(row)[2:-3] == (*(naive(2), "t", 0, "id-of-t", 7, 4, 1, 0.25, 2, 70), *(naive(-30), naive(-500)))


@STORIES.story
def what_was_not_read_is_null_with_the_reason() -> Story:
    """No producers is 0; a refusal, a topic that was not described and a missing page are null."""
    partitions = [part("none"), part("denied"), part("partly"), part("unread"), part("lost", None, error_code=29)]
    producers = [
        producer("none", None, last_timestamp=None),
        producer("denied", None, error_code=29),
        # Partly read: some of the producers, then an error that says that the others are missing.
        producer("partly", 5, current_txn_start_offset=1),
        producer("partly", None, error_code=6, received=2),
    ]
    missing: list[MissingRead] = [missing_read("DescribeProducers", "partitions", 3, "CONNECTION_FAILED")]
    rows = yield {"partitions": partitions, "producers": producers, "missing": missing}
    assert (rows["none", 0].producer_ids, rows["none", 0].idempotent_only_share, rows["none", 0].reason) == (
        0,
        None,
        None,
    )
    assert {key: row.reason for key, row in rows.items() if row.reason} == {
        ("denied", 0): "DescribeProducers: TOPIC_AUTHORIZATION_FAILED",
        ("partly", 0): "DescribeProducers: NOT_LEADER_OR_FOLLOWER",
        ("unread", 0): "DescribeProducers was not read from broker 3 (CONNECTION_FAILED)",
        ("lost", -1): "the topic was not described: TOPIC_AUTHORIZATION_FAILED",
    }
    partly = rows["partly", 0]
    assert (partly.producer_ids, partly.open_transactions, partly.oldest_open_offset) == (None, None, None)
    assert (yield {"partitions": [part("unread")], "previous": []})[
        "unread", 0
    ].reason == "DescribeProducers did not tell of it"


@STORIES.story
def timestamps_that_no_calendar_has_are_null() -> Story:
    """A producer sets them: the largest number does not end the census."""
    row = (yield {"partitions": [part("t")], "producers": [producer("t", 1, last_timestamp=2**63 - 1)]})["t", 0]
    assert (row.producer_ids, row.oldest_last_timestamp) == (1, None)


@STORIES.story
def growth_is_of_the_same_topic_and_of_numbers_that_were_read() -> Story:
    """A re-created topic, an unread census and a first census have none; expired ids make it negative."""

    def before(topic: str, ids: int | None, **columns: Any) -> Item:
        known = {"census_id": BEFORE, "cluster_id": CLUSTER, "observed_at": at(-1799), "producer_ids": ids}
        return known | {"topic": topic, "partition": 0, "topic_id": f"id-of-{topic}"} | columns

    topics = ("more", "fewer", "anew", "unread", "first", "old")
    partitions = [part(topic) for topic in topics[:-1]] + [part("old", topic_id=None)]
    producers = [producer(topic, producer_id) for topic in topics for producer_id in (1, 2, 3)]
    previous = [
        before("more", 1),
        before("fewer", 13),
        before("anew", 1, topic_id="another"),
        before("unread", None),
        before("old", 3, topic_id=None),
    ]
    rows = yield {"partitions": partitions, "producers": producers, "previous": previous}
    reported = {topic: (row.producer_ids_per_hour, row.previous_census_id) for (topic, _), row in rows.items()}
    assert reported == {
        "more": (4.0, BEFORE),
        "fewer": (-20.0, BEFORE),
        "anew": (None, None),
        "unread": (None, None),
        "first": (None, None),
        "old": (0.0, BEFORE),
    }


test_every_story = STORIES.each()
