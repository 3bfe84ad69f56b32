"""What FindCoordinator makes of an answer."""

from kafka.protocol.metadata import FindCoordinatorResponse

from kafka_census.paging.rpc import Ask
from unit.rpc.answers import items


def test_find_coordinator_answers_every_key_with_its_own_error() -> None:
    """Batched from v4 on (KIP-699), one key a request below."""
    one = FindCoordinatorResponse.Coordinator
    batch = FindCoordinatorResponse(
        throttle_time_ms=0,
        coordinators=[
            one(key="a", node_id=1, host="h", port=9, error_code=0, error_message=None),
            one(key="b", node_id=-1, host="", port=-1, error_code=15, error_message="not available"),
        ],
    )
    assert [(item["key"], item["error_code"]) for item in items("FindCoordinator", "groups", batch, 6)] == [
        ("a", 0),
        ("b", 15),
    ]
    single = FindCoordinatorResponse(
        throttle_time_ms=0, error_code=15, error_message="no", node_id=-1, host="", port=-1
    )
    asked = Ask(("é",), None, 1)
    (item,) = items("FindCoordinator", "groups", single, 3, asked, way=1)
    assert (item["key"], item["error_code"], item["node_id"]) == ("é", 15, -1)
