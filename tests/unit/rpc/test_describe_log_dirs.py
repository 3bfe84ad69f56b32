"""What DescribeLogDirs makes of an answer."""

import pytest

from unit.rpc.answers import EVERYTHING, answer, items, over_the_wire, sent, way_of

FUTURE = {"partition_index": 1, "partition_size": 5, "offset_lag": 2, "is_future_key": True}


@pytest.mark.parametrize(("version", "total", "cordoned"), [(5, 10, True), (6, 10, True), (1, None, None)])
def test_describe_log_dirs_keeps_future_replicas_apart_and_empty_dirs(
    version: int, total: int | None, cordoned: bool | None
) -> None:
    known = {"log_dir": "/d", "total_bytes": 10, "usable_bytes": -1, "is_cordoned": True}
    dirs = [known | {"topics": [{"name": "t", "partitions": [FUTURE]}]}, known | {"error_code": 56}]
    item, offline = items("DescribeLogDirs", "log_dirs", answer("DescribeLogDirs", results=dirs), version)
    assert (item["topic"], item["partition"], item["size"], item["is_future"]) == ("t", 1, 5, True)
    assert (item["total_bytes"], item["usable_bytes"], item["is_cordoned"]) == (total, None, cordoned)
    assert (offline["error_code"], offline["topic"]) == (56, None)
    assert sent("DescribeLogDirs", "log_dirs", version, EVERYTHING).topics is None


@pytest.mark.parametrize(
    ("version", "code", "cursor", "error"), [(2, 0, False, 31), (3, 31, False, 31), (6, 31, False, 31), (6, 0, True, 0)]
)
def test_describe_log_dirs_denied_below_v3_is_an_error(version: int, code: int, cursor: bool, error: int) -> None:
    """An empty answer without a code is the refusal that it stands for; a page of the draft may be empty."""
    follows = {"topic_name": "u", "partition_index": 0, "log_dir": "/e"} if cursor else None
    empty = answer("DescribeLogDirs", error_code=code, next_cursor=follows)
    assert way_of("DescribeLogDirs", "log_dirs", version).error(over_the_wire(empty, version))[0] == error
