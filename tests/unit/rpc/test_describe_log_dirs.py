"""What DescribeLogDirs makes of an answer."""

from typing import Any

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages.kip_1062 import DescribeLogDirsResponse
from unit.rpc.answers import items, over_the_wire, page_of, sent


def _dirs(topics: list[Any], code: int = 0, **page: Any) -> Any:
    result = DescribeLogDirsResponse.DescribeLogDirsResult
    return DescribeLogDirsResponse(
        throttle_time_ms=0,
        error_code=0,
        results=[
            result(error_code=code, log_dir="/d", topics=topics, total_bytes=10, usable_bytes=-1, is_cordoned=True)
        ],
        **page,
    )


def test_describe_log_dirs_keeps_future_replicas_apart_and_empty_dirs() -> None:
    """A dir without partitions, or offline, is a row; unknown sizes are null."""
    topic = DescribeLogDirsResponse.DescribeLogDirsResult.DescribeLogDirsTopic
    part = topic.DescribeLogDirsPartition
    future = part(partition_index=1, partition_size=5, offset_lag=2, is_future_key=True)
    replicas = [topic(name="t", partitions=[future])]
    for version, way in ((5, 1), (6, 0)):
        (item,) = items("DescribeLogDirs", "log_dirs", _dirs(replicas), version, way=way)
        assert (item["topic"], item["partition"], item["size"], item["is_future"]) == ("t", 1, 5, True)
        assert (item["total_bytes"], item["usable_bytes"], item["is_cordoned"]) == (10, None, True)
        (offline,) = items("DescribeLogDirs", "log_dirs", _dirs([], code=56), version, way=way)
        assert (offline["error_code"], offline["topic"]) == (56, None)
    (old,) = items("DescribeLogDirs", "log_dirs", _dirs(replicas), 1, way=1)
    assert (old["size"], old["total_bytes"], old["is_cordoned"]) == (5, None, None)


def test_describe_log_dirs_denied_below_v3_is_an_error() -> None:
    """An empty answer without a code is the refusal that it stands for."""
    empty = DescribeLogDirsResponse(throttle_time_ms=0, error_code=0, results=[])
    by_cursor, whole = rpc("DescribeLogDirs", "log_dirs").apis
    assert whole.error(over_the_wire(empty, 2))[0] == 31
    denied = DescribeLogDirsResponse(throttle_time_ms=0, error_code=31, results=[])
    assert whole.error(over_the_wire(denied, 3))[0] == by_cursor.error(over_the_wire(denied, 6))[0] == 31


def test_describe_log_dirs_pages_by_the_broker_s_cursor_at_v6() -> None:
    """Limit and cursor are sent there, and not below; a page may be empty."""
    ask = Ask((), ("t", 1, "/d"), 7)
    asked = sent("DescribeLogDirs", "log_dirs", 6, ask)
    assert (page_of(asked), asked.topics) == ((7, ("t", 1, "/d")), None)
    assert page_of(sent("DescribeLogDirs", "log_dirs", 5, ask, way=1)) == (2000, None)
    api = rpc("DescribeLogDirs", "log_dirs").apis[0]
    follows = DescribeLogDirsResponse.Cursor(topic_name="u", partition_index=0, log_dir="/e")
    assert api.next_cursor(over_the_wire(_dirs([], next_cursor=follows), 6)) == ("u", 0, "/e")
    assert api.next_cursor(over_the_wire(_dirs([]), 6)) is None
    empty = DescribeLogDirsResponse(throttle_time_ms=0, error_code=0, results=[], next_cursor=follows)
    assert api.error(over_the_wire(empty, 6)) == (0, None)
