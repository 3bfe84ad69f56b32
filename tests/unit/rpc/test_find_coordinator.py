"""What FindCoordinator asks, and what it makes of an answer."""

import pytest

from kafka_census.kafka.paging.rpc import Ask
from unit.rpc.answers import answer, items


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
