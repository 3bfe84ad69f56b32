"""Refused items are counted in Spark: by broker and code, without ordinary answers."""

from pathlib import Path

from pyspark.sql import SparkSession

from kafka_census.declarations.walks import walk_named
from kafka_census.lake.lake import Lake
from kafka_census.pages.missing_reads import missing_reads
from kafka_census.pages.read import LandedPages
from spark.fake_lake import ITEMS, Pages, census, land, page

OFFSETS = "topic partition error_code offset"
TOPICS = ("led", "unled", "denied", "deleted", "settling", "fine")
AT = {"led": 0, "unled": -1, "denied": 0, "deleted": 2, "settling": 2, "fine": 2}
NOT_LED, DENIED, GONE, LATER = 6, 29, 3, 78
CODES = {"led": NOT_LED, "unled": NOT_LED, "denied": DENIED, "deleted": GONE, "settling": LATER, "fine": 0}
NAMES = ("Metadata", "names"), ("DescribeTopicPartitions", "topics"), ("ListOffsets", "latest")


def pages() -> Pages:
    """Six partitions, with an answer from every broker that is asked; broker 2 first answers with a retriable error."""
    described = [(topic, None, False, 0, 0, AT[topic], 0, [1], [1], [], [], [], True, 0) for topic in TOPICS]
    reported = {
        node: [(topic, 0, CODES[topic], None) for topic in TOPICS if max(AT[topic], 0) == node] for node in (0, 2)
    }
    return {
        NAMES[0]: [page(1, [(topic, None, False, 1, 0, None) for topic in TOPICS])],
        NAMES[1]: [page(1, described)],
        NAMES[2]: [
            page(0, reported[0]),
            page(2, [], error_code=7, error="REQUEST_TIMED_OUT"),
            page(2, reported[2], try_no=1),
        ],
    }


def test_items_are_counted_by_broker_and_code(spark: SparkSession, tmp_path: Path) -> None:
    """A deleted topic is gone, a partition without a leader has no answer; the others are refused with their code."""
    lake = Lake(root=f"{tmp_path}/lake")
    items = {name: ITEMS[name] for name in ("Metadata", "DescribeTopicPartitions")} | {"ListOffsets": OFFSETS}
    land(lake, {census(): pages()}, items=items)
    landed = LandedPages.read(spark, lake, census().census_id)
    walks = tuple(walk_named(*name) for name in NAMES)
    found = missing_reads(lake, census().census_id, landed, walks, landed.headers)
    assert [(one.rpc, one.scope, one.broker_id, one.kind, one.error, one.reason) for one in found] == [
        ("ListOffsets", "latest", node, "item_errors", error, message)
        for node, error, message in (
            (0, "NOT_LEADER_OR_FOLLOWER", "1 of 3 were answered NOT_LEADER_OR_FOLLOWER, such as led/0"),
            (0, "TOPIC_AUTHORIZATION_FAILED", "1 of 3 were answered TOPIC_AUTHORIZATION_FAILED, such as denied/0"),
            (2, "OFFSET_NOT_AVAILABLE", "1 of 3 were answered OFFSET_NOT_AVAILABLE, such as settling/0"),
        )
    ]
