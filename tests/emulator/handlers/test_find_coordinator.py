"""FindCoordinator, as the walkthrough has it."""

from typing import Any

import pytest
from kafka.protocol.metadata import FindCoordinatorRequest

from emulator.asking import ask, cluster
from kafka_emulator.server import Server
from kafka_emulator.topics import GROUPS_TOPIC


def listening(**sections: Any) -> Server:
    server = cluster(**sections)
    for broker in server.world.brokers.ids:
        for listener in server.world.brokers.listeners:
            if server.world.brokers.has(broker, listener):
                server.world.brokers.listens(broker, listener, 9000 + broker)
    return server


def found(server: Server, key: str = "g", kind: int = 0, version: int = 6, broker: int = 1) -> tuple[int, int, int]:
    request = FindCoordinatorRequest(key=key, key_type=kind, coordinator_keys=[key])
    response = ask(server, request, version, broker)
    one = response if version < 4 else response.coordinators[0]
    return one.error_code, one.node_id, one.port


def test_without_enough_brokers_it_cannot_be_created() -> None:
    """15, as often as it is asked; a denied key creates nothing."""
    server = listening(groups={"count": 0}, brokers={"count": 3, "stopped": [3]})
    assert [found(server) for _ in range(2)] == [(15, -1, -1)] * 2
    denied = listening(groups={"count": 0}, security={"super_users": []})
    assert found(denied) == (30, -1, -1)
    assert denied.world.topics.get(GROUPS_TOPIC) is None


def test_a_partition_without_leader_or_listener_has_no_coordinator() -> None:
    """15, which looks as if it would pass."""
    server = listening(brokers={"count": 1})
    server.world.stop(1)
    assert found(server)[0] == 15
    inside = [{"name": "OUT"}, {"name": "IN", "brokers": [2]}]
    server = listening(brokers={"count": 2, "listeners": inside})
    request = FindCoordinatorRequest(key_type=0, coordinator_keys=["g", "polygenelubricants", "a", "b", "c"])
    request.API_VERSION = 4
    request.with_header(correlation_id=1)
    reply = server.answer(2, "IN", bytes(request.encode(header=True)))
    assert reply.frame is not None
    from kafka.protocol.metadata import FindCoordinatorResponse

    answers = FindCoordinatorResponse.decode(reply.frame[4:], version=4, header=True).coordinators
    expected = {0: 2, 15: -1}
    assert {one.error_code for one in answers} == set(expected)
    assert {(one.error_code, one.node_id) for one in answers} == set(expected.items())


@pytest.mark.parametrize(("kind", "version", "code"), [(0, 6, 30), (1, 6, 53), (2, 6, 31), (2, 5, 42), (9, 6, 42)])
def test_denials_and_key_types_have_codes(kind: int, version: int, code: int) -> None:
    """Share coordinators are for v6, and for those who may act for the cluster."""
    assert found(listening(security={"super_users": []}), kind=kind, version=version)[0] == code
