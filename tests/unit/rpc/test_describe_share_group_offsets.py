"""What DescribeShareGroupOffsets makes of an answer."""

import pytest

from unit.rpc.answers import answer, rows


@pytest.mark.parametrize(("version", "lag", "none"), [(0, None, None), (1, 3, 0)])
def test_describe_share_group_offsets_is_a_row_per_partition(version: int, lag: int | None, none: int | None) -> None:
    """The lag comes with v1; -1 is null, 0 is an offset or no lag, but beside an error it is no offset."""
    told = [("t", 5, 3, 0), ("u", -1, -1, 0), ("v", 0, 0, 0), ("w", 0, -1, 5)]
    known = {"partition_index": 2, "leader_epoch": 1, "error_message": None}
    topics = [
        {"topic_name": topic, "partitions": [known | {"start_offset": start, "lag": lag, "error_code": code}]}
        for topic, start, lag, code in told
    ]
    response = answer("DescribeShareGroupOffsets", groups=[{"group_id": "g", "topics": topics}])
    assert rows("DescribeShareGroupOffsets", "groups", response, version) == [
        ("g", 0, None, "t", 2, 5, 1, lag),
        ("g", 0, None, "u", 2, None, None, None),
        ("g", 0, None, "v", 2, 0, 1, none),
        ("g", 5, None, "w", 2, None, None, None),
    ]
