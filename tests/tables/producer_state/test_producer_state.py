"""Producer ids of a partition are counted completely or not at all, by kind, with their hourly growth."""

from typing import Any

from kafka_census.tables.producer_state.columns import PRODUCER_STATE as TABLE
from spark.cases import Case, each_case
from spark.landed_items import BEFORE, CLUSTER, Item, at, item, milliseconds, missing_read, naive


def part(topic: str, partition: int | None = 0, **columns: Any) -> Item:
    return item(**{"topic": topic, "topic_id": f"id-of-{topic}", "partition": partition, "error_code": 0} | columns)


def producer(topic: str, producer_id: int | None, received: int = 1, **columns: Any) -> Item:
    """An idempotent producer, whose last record is from noon; columns change it."""
    known = {"topic": topic, "partition": 0, "error_code": 0, "producer_id": producer_id, "producer_epoch": 0}
    return item(7, received, **known | {"last_timestamp": milliseconds(0)} | columns)


def before(topic: str, ids: int | None, **columns: Any) -> Item:
    known = {"census_id": BEFORE, "cluster_id": CLUSTER, "observed_at": at(-1799), "producer_ids": ids}
    return known | {"topic": topic, "partition": 0, "topic_id": f"id-of-{topic}"} | columns


def case(columns: str, rows: dict[tuple[str, int], Any], *partitions: Item, **more: Any) -> Case:
    return Case({"partitions": [*partitions], **more}, None).table(columns, rows)


COUNTS = "producer_ids idempotent_only idempotent_only_share open_transactions oldest_open_offset"
GROWING = ("more", "fewer", "anew", "unread", "first", "old")
CASES = {
    # Idempotent only, one whose transaction was ended here, and two with an open transaction.
    "producers are counted by kind": case(
        f"{COUNTS} observed_at topic_id asked_broker_id oldest_open_timestamp oldest_last_timestamp",
        {("t", 0): (4, 1, 0.25, 2, 70, naive(2), "id-of-t", 7, naive(-30), naive(-500))},
        *(part("t"), part("absurd")),
        producers=[
            # A producer sets it: a timestamp that no calendar has does not end the census.
            producer("absurd", 1, last_timestamp=2**63 - 1),
            producer("t", 1, last_timestamp=milliseconds(-500)),
            producer("t", 2, coordinator_epoch=3),
            # Its first: no marker was ever written.
            producer("t", 3, current_txn_start_offset=90, last_timestamp=milliseconds(-30)),
            producer("t", 4, current_txn_start_offset=70, coordinator_epoch=3, received=2),
        ],
    ).table("producer_ids oldest_last_timestamp", {("absurd", 0): (1, None)}),
    # A refusal, a topic that was not described and a missing page are null.
    "what was not read is null with the reason": case(
        "producer_ids idempotent_only_share open_transactions oldest_open_offset reason",
        {
            ("denied", 0): (*(None,) * 4, "DescribeProducers: TOPIC_AUTHORIZATION_FAILED"),
            ("partly", 0): (*(None,) * 4, "DescribeProducers: NOT_LEADER_OR_FOLLOWER"),
            ("unread", 0): (*(None,) * 4, "DescribeProducers was not read from broker 3 (CONNECTION_FAILED)"),
            ("lost", -1): (*(None,) * 4, "the topic was not described: TOPIC_AUTHORIZATION_FAILED"),
        },
        *(part("denied"), part("partly"), part("unread"), part("lost", None, error_code=29)),
        producers=[
            producer("denied", None, error_code=29),
            # Partly read: some of the producers, then an error that says that the others are missing.
            producer("partly", 5, current_txn_start_offset=1),
            producer("partly", None, error_code=6, received=2),
        ],
        missing=[missing_read("DescribeProducers", "partitions", 3, "CONNECTION_FAILED")],
    ),
    "a partition without an answer has no number": case(
        "producer_ids reason",
        {("unread", 0): (None, "DescribeProducers did not tell of it")},
        part("unread"),
        alone=True,
    ),
    # A re-created topic, an unread census and a first census have none; expired ids make it negative.
    "growth is of the same topic and of numbers that were read": case(
        "producer_ids_per_hour previous_census_id",
        {("more", 0): (4.0, BEFORE), ("fewer", 0): (-20.0, BEFORE), ("old", 0): (0.0, BEFORE)}
        | {(topic, 0): (None, None) for topic in ("anew", "unread", "first")},
        *[part(topic) for topic in GROWING[:-1]],
        part("old", topic_id=None),
        producers=[producer(topic, producer_id) for topic in GROWING for producer_id in (1, 2, 3)],
        previous=[
            *(before("more", 1), before("fewer", 13), before("anew", 1, topic_id="another")),
            *(before("unread", None), before("old", 3, topic_id=None)),
        ],
    ),
}

test_every_case = each_case(TABLE, CASES, lambda row: (row.topic, row.partition))
