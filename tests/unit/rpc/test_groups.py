"""What holds for every RPC, and what the RPCs of groups ask, and make of an answer."""

from typing import Any

import pytest

from harness.responses import listed_groups
from kafka_census.kafka.paging.rpc import Ask
from kafka_census.kafka.rpc import RPCS, rpc
from kafka_census.landing.fetch.schema import item_type
from unit.rpc.answers import answer, items, sent


def _id(one: Any) -> str:
    return f"{one.name}-{one.scope}"


@pytest.mark.parametrize("one", RPCS, ids=_id)
def test_every_request_can_be_encoded_at_every_version_that_is_used(one: Any) -> None:
    """The range of versions is what Kafka 4.4.0 and the codec know."""
    for api in one.apis:
        for version in range(api.min_version, api.max_version + 1):
            request = api.build(version, Ask(("1/2",), None, 10))
            request.with_header(correlation_id=1, client_id="test")
            assert version == request.API_VERSION
            assert request.encode(header=True)


@pytest.mark.parametrize("one", RPCS, ids=_id)
def test_every_field_of_an_item_may_be_null(one: Any) -> None:
    """Lists too: of one that must not be null, Spark answers `IS NULL` with false without looking at it."""
    assert [field.name for field in item_type(one) if not field.nullable] == []


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
    ("StreamsGroupDescribe", 1, NEW | TOPOLOGY, NEW | READ | {"topology_status": "NOT_REQUESTED"}),
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


SAID = [("ConsumerGroupDescribe", 0), ("ShareGroupDescribe", 1), ("StreamsGroupDescribe", 1)]
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


@pytest.mark.parametrize(("version", "kinds"), [(0, [None] * 3), (1, [1, 0, None]), (2, [1, 0, None])])
def test_consumer_group_describe_is_a_row_a_member_whose_type_may_not_be_known(version: int, kinds: list[Any]) -> None:
    """Member types come with v1; -1 is null, 0 is a classic member."""
    nothing = {"assignment": {}, "target_assignment": {}}
    members = [nothing | {"member_id": str(kind), "member_type": kind} for kind in (1, 0, -1)]
    response = answer("ConsumerGroupDescribe", groups=[{"group_id": "g", "members": members}])
    found = items("ConsumerGroupDescribe", "groups", response, version)
    assert [(one["member_id"], one["member_type"]) for one in found] == list(zip(("1", "0", "-1"), kinds, strict=True))


def test_share_group_describe_is_asked_at_v1_only() -> None:
    """v0 was an early access version and means something else."""
    (api,) = rpc("ShareGroupDescribe", "groups").apis
    assert (api.min_version, api.max_version) == (1, 1)


@pytest.mark.parametrize(
    ("version", "state", "kind"),
    [(6, "Empty", "classic"), (5, "Empty", "classic"), (4, "Empty", None), (3, None, None), (0, None, None)],
)
def test_list_groups_leaves_null_what_its_version_does_not_say(
    version: int, state: str | None, kind: str | None
) -> None:
    """States come with v4, types with v5; a group may have an empty name."""
    (item,) = items("ListGroups", "groups", listed_groups(""), version)
    assert (item["group_id"], item["group_state"], item["group_type"]) == ("", state, kind)


@pytest.mark.parametrize("scope", ["groups", "transactional_ids"])
def test_find_coordinator_answers_every_key_with_its_own_error(scope: str) -> None:
    known = {"key": "a", "node_id": 1, "host": "h", "port": 9}
    batch = [known, {"key": "b", "node_id": -1, "port": -1, "error_code": 15}]
    for version in (4, 6):
        found = items("FindCoordinator", scope, answer("FindCoordinator", coordinators=batch), version)
        assert [(item["key"], item["error_code"]) for item in found] == [("a", 0), ("b", 15)]
    single = answer("FindCoordinator", error_code=15, error_message="no", node_id=-1, port=-1)
    for version in (1, 3):
        (item,) = items("FindCoordinator", scope, single, version, Ask(("é",), None, 1))
        assert (item["key"], item["error_code"], item["node_id"]) == ("é", 15, -1)
