"""What DescribeLogDirs makes of an answer."""

from typing import Any

from kafka.protocol.admin import DescribeLogDirsResponse

from kafka_census.rpc import rpc
from unit.rpc.answers import items, over_the_wire


def _dirs(topics: list[Any], code: int = 0) -> Any:
    result = DescribeLogDirsResponse.DescribeLogDirsResult
    return DescribeLogDirsResponse(
        throttle_time_ms=0,
        error_code=0,
        results=[
            result(error_code=code, log_dir="/d", topics=topics, total_bytes=10, usable_bytes=-1, is_cordoned=False)
        ],
    )


def test_describe_log_dirs_keeps_future_replicas_apart_and_empty_dirs() -> None:
    """A dir without partitions, or offline, is a row; unknown sizes are null."""
    topic = DescribeLogDirsResponse.DescribeLogDirsResult.DescribeLogDirsTopic
    part = topic.DescribeLogDirsPartition
    future = part(partition_index=1, partition_size=5, offset_lag=2, is_future_key=True)
    (item,) = items("DescribeLogDirs", "log_dirs", _dirs([topic(name="t", partitions=[future])]), 5)
    assert (item["topic"], item["partition"], item["size"], item["is_future"]) == ("t", 1, 5, True)
    assert (item["total_bytes"], item["usable_bytes"]) == (10, None)
    (offline,) = items("DescribeLogDirs", "log_dirs", _dirs([], code=56), 5)
    assert (offline["error_code"], offline["topic"]) == (56, None)


def test_describe_log_dirs_denied_below_v3_is_an_error() -> None:
    """An empty answer without a code is the refusal that it stands for."""
    empty = DescribeLogDirsResponse(throttle_time_ms=0, error_code=0, results=[])
    assert rpc("DescribeLogDirs", "log_dirs").apis[0].error(over_the_wire(empty, 2))[0] == 31
