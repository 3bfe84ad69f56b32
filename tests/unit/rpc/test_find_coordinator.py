"""What FindCoordinator makes of an answer."""

import pytest
from kafka.protocol.metadata import FindCoordinatorResponse

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from unit.rpc.answers import items, sent

SCOPES = ("groups", "transactional_ids")


@pytest.mark.parametrize("scope", SCOPES)
def test_find_coordinator_answers_every_key_with_its_own_error(scope: str) -> None:
    """Batched from v4 on (KIP-699), one key per request below."""
    one = FindCoordinatorResponse.Coordinator
    batch = FindCoordinatorResponse(
        throttle_time_ms=0,
        coordinators=[
            one(key="a", node_id=1, host="h", port=9, error_code=0, error_message=None),
            one(key="b", node_id=-1, host="", port=-1, error_code=15, error_message="not available"),
        ],
    )
    for version in (4, 6):
        assert [(item["key"], item["error_code"]) for item in items("FindCoordinator", scope, batch, version)] == [
            ("a", 0),
            ("b", 15),
        ]
    single = FindCoordinatorResponse(
        throttle_time_ms=0, error_code=15, error_message="no", node_id=-1, host="", port=-1
    )
    asked = Ask(("é",), None, 1)
    for version in (1, 3):
        (item,) = items("FindCoordinator", scope, single, version, asked, way=1)
        assert (item["key"], item["error_code"], item["node_id"]) == ("é", 15, -1)


@pytest.mark.parametrize(("scope", "key_type", "lowest"), [("groups", 0, 0), ("transactional_ids", 1, 1)])
def test_find_coordinator_says_what_its_keys_are(scope: str, key_type: int, lowest: int) -> None:
    """By Kafka's key type; v0 has none and knows groups only."""
    asked = sent("FindCoordinator", scope, 6, Ask(("a", "b"), None, 10))
    assert (asked.key_type, asked.coordinator_keys) == (key_type, ["a", "b"])
    single = sent("FindCoordinator", scope, 1, Ask(("a",), None, 10), way=1)
    assert (single.key_type, single.key) == (key_type, "a")
    assert rpc("FindCoordinator", scope).apis[1].min_version == lowest
