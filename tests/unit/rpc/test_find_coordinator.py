"""What FindCoordinator asks, and what it makes of an answer."""

import pytest

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from unit.rpc.answers import answer, items, sent


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


@pytest.mark.parametrize(("scope", "key_type", "lowest"), [("groups", 0, 0), ("transactional_ids", 1, 1)])
def test_find_coordinator_says_what_its_keys_are(scope: str, key_type: int, lowest: int) -> None:
    """By Kafka's key type; v0 has none and knows groups only."""
    asked = sent("FindCoordinator", scope, 6, Ask(("a", "b"), None, 10))
    assert (asked.key_type, asked.coordinator_keys) == (key_type, ["a", "b"])
    single = sent("FindCoordinator", scope, 1, Ask(("a",), None, 10))
    assert (single.key_type, single.key) == (key_type, "a")
    assert rpc("FindCoordinator", scope).apis[1].min_version == lowest
