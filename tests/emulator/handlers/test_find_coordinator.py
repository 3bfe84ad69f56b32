"""FindCoordinator, as the walkthrough has it."""

from typing import Any

import pytest
from kafka.protocol.metadata import FindCoordinatorRequest

from emulator.asking import ask, cluster
from kafka_emulator.server import Server
from kafka_emulator.topics import GROUPS_TOPIC, SHARES_TOPIC, TRANSACTIONS_TOPIC


def listening(**sections: Any) -> Server:
    """A cluster whose ports are known."""
    server = cluster(**sections)
    for broker in server.world.brokers.ids:
        for listener in server.world.brokers.listeners:
            if server.world.brokers.has(broker, listener):
                server.world.brokers.listens(broker, listener, 9000 + broker)
    return server


def found(server: Server, key: str = "g", kind: int = 0, version: int = 6, broker: int = 1) -> tuple[int, int, int]:
    """Code, node id and port for one key."""
    request = FindCoordinatorRequest(key=key, key_type=kind, coordinator_keys=[key])
    response = ask(server, request, version, broker)
    one = response if version < 4 else response.coordinators[0]
    return one.error_code, one.node_id, one.port


@pytest.mark.parametrize("version", range(7))
def test_every_version_finds_the_leader_of_the_keys_partition(version: int) -> None:
    """Whether or not there is such a group; v0 knows groups only."""
    server = listening()
    for key in ("group-0000001", "polygenelubricants", "", "é"):
        coordinator = server.world.group_coordinator(key)
        assert found(server, key, 0, version) == (0, coordinator, 9000 + coordinator)
        if version:
            coordinator = server.world.transaction_coordinator(key)
            assert found(server, key, 1, version) == (0, coordinator, 9000 + coordinator)


def test_batches_answer_key_by_key_in_their_order() -> None:
    """From v4 on."""
    request = FindCoordinatorRequest(key_type=0, coordinator_keys=["b", "a", "b"])
    assert [one.key for one in ask(listening(), request, 4).coordinators] == ["b", "a", "b"]


@pytest.mark.parametrize(("kind", "topic"), [(0, GROUPS_TOPIC), (1, TRANSACTIONS_TOPIC)])
def test_asking_creates_the_internal_topic(kind: int, topic: str) -> None:
    """With the walkthrough's configs; the first request gets a retriable error for all keys."""
    server = listening(groups={"count": 0}, transactions={"count": 0})
    assert server.world.topics.get(topic) is None
    first = ask(server, FindCoordinatorRequest(key_type=kind, coordinator_keys=["a", "b"]), 4)
    assert [(one.error_code, one.node_id) for one in first.coordinators] == [(15, -1)] * 2
    assert found(server, kind=kind)[0] == 0
    made = server.world.topics.get(topic)
    assert made is not None
    assert (made.partitions, made.replication_factor) == (50, 3)
    configs = {"cleanup.policy": "compact", "segment.bytes": "104857600"}
    assert {key: made.configs[key] for key in configs} == configs
    assert made.configs["compression.type"] == ("producer" if kind == 0 else "uncompressed")


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


TOPIC_ID = "AAAAAAAAAAAAAAAAAAAAAQ"


def test_share_state_has_coordinators_of_its_own() -> None:
    """By group, topic id and partition; the group may have colons. What is no such key is 42, and creates nothing."""
    server = listening(brokers={"configs": {"share.coordinator.state.topic.num.partitions": "7"}})
    for wrong in ("", "g", f":{TOPIC_ID}:0", f"g:{TOPIC_ID}:x", "g:orders:0"):
        assert found(server, wrong, 2) == (42, -1, -1)
    assert server.world.topics.get(SHARES_TOPIC) is None
    assert found(server, f"g:{TOPIC_ID}:0", 2) == (15, -1, -1)
    for key in (f"g:{TOPIC_ID}:0", f"g:{TOPIC_ID}:-1", f"a:b:{TOPIC_ID}:3"):
        assert found(server, key, 2)[0] == 0
        coordinator = server.world.share_coordinator(key)
        assert found(server, key, 2) == (0, coordinator, 9000 + coordinator)
    made = server.world.topics.get(SHARES_TOPIC)
    assert made is not None
    assert (made.partitions, made.configs["cleanup.policy"], made.configs["retention.ms"]) == (7, "delete", "-1")


@pytest.mark.parametrize(("version", "kind", "message"), [(3, 0, "NONE"), (4, 0, ""), (6, 2, "")])
def test_only_a_single_answer_is_reported_in_words(version: int, kind: int, message: str) -> None:
    """As real brokers do it: a batch has words only for a key type that there is not."""
    request = FindCoordinatorRequest(key="g", key_type=kind, coordinator_keys=["g"])
    response = ask(listening(), request, version)
    assert (response if version < 4 else response.coordinators[0]).error_message == message
    request = FindCoordinatorRequest(key="g", key_type=9, coordinator_keys=["g"])
    response = ask(listening(), request, version)
    assert (response if version < 4 else response.coordinators[0]).error_message.startswith("This most likely occurs")
