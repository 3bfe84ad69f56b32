"""What holds for every RPC that is asked of groups."""

from typing import Any

import pytest

from kafka_census.kafka.paging.rpc import Ask
from unit.rpc.answers import answer, items, sent

NEW = {"group_state": "Stable", "group_epoch": 4, "assignment_epoch": 3}
CLASSIC = {"group_state": "Dead", "protocol_type": "", "protocol_data": ""}
TOPOLOGY = {"topology": {"epoch": 2, "subtopologies": [{"subtopology_id": "0", "source_topics": ["t"]}]}}
READ = {"topology_epoch": 2, "source_topics": ["t"], "subtopologies": [("0", ["t"])]}
RPCS: list[tuple[str, int, dict[str, Any], dict[str, Any]]] = [
    ("DescribeGroups", 0, CLASSIC, {"group_state": "Dead", "protocol_type": "", "protocol": ""}),
    ("DescribeGroups", 7, CLASSIC, {"group_state": "Dead", "protocol_type": "", "protocol": ""}),
    ("ConsumerGroupDescribe", 0, NEW | {"assignor_name": "uniform"}, NEW | {"assignor_name": "uniform"}),
    ("ConsumerGroupDescribe", 2, NEW | {"assignor_name": "uniform"}, NEW | {"assignor_name": "uniform"}),
    ("ShareGroupDescribe", 1, NEW | {"assignor_name": "simple"}, NEW | {"assignor_name": "simple"}),
    ("StreamsGroupDescribe", 0, NEW | TOPOLOGY, NEW | READ),
    ("OffsetFetch", 8, {}, {}),
    ("OffsetFetch", 11, {}, {}),
    ("DescribeShareGroupOffsets", 0, {}, {}),
    ("DescribeShareGroupOffsets", 1, {}, {}),
]
"""An RPC, a version, what a group without members or offsets has there, and the columns that are not null then."""


@pytest.mark.parametrize(("rpc", "version", "group", "known"), RPCS)
def test_a_group_of_nothing_is_a_row_and_so_is_an_error(
    rpc: str, version: int, group: dict[str, Any], known: dict[str, Any]
) -> None:
    """Below v6 of DescribeGroups, that is what a group looks like that does not exist."""
    described = [{"group_id": "h", "error_code": 69}, {"group_id": "g", **group}]
    for row, expected in zip(
        items(rpc, "groups", answer(rpc, groups=described), version),
        ({"group_id": "h", "error_code": 69}, {"group_id": "g", "error_code": 0} | known),
        strict=True,
    ):
        row.pop("error_message", None)
        assert {name: value for name, value in row.items() if value is not None} == expected


SAID = [("ConsumerGroupDescribe", 0), ("ShareGroupDescribe", 1), ("StreamsGroupDescribe", 0)]
SAID += [("DescribeShareGroupOffsets", 1)]


@pytest.mark.parametrize(
    ("rpc", "version", "message"),
    [("DescribeGroups", 5, None), ("DescribeGroups", 6, "no"), *((rpc, version, "no") for rpc, version in SAID)],
)
def test_an_error_has_kafka_s_message(rpc: str, version: int, message: str | None) -> None:
    (row,) = items(rpc, "groups", answer(rpc, groups=[{"error_code": 16, "error_message": "no"}]), version)
    assert row["error_message"] == message


@pytest.mark.parametrize(("rpc", "version"), [row[:2] for row in RPCS])
def test_all_of_all_groups_is_asked_for(rpc: str, version: int) -> None:
    """Null is all topics; what the principal may do is not asked, nor is a stable offset waited for."""
    asked = sent(rpc, "groups", version, Ask(("a", "b"), None, 50))
    if rpc.endswith("Describe"):
        assert (asked.group_ids, asked.include_authorized_operations) == (["a", "b"], False)
    elif rpc == "DescribeGroups":
        assert (asked.groups, asked.include_authorized_operations) == (["a", "b"], False)
    else:
        assert [(one.group_id, one.topics) for one in asked.groups] == [("a", None), ("b", None)]
        assert not getattr(asked, "require_stable", False)
