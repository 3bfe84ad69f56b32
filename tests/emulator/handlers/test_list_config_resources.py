"""ListConfigResources: types, their order, and versions."""

from typing import Any

from kafka.protocol.admin import ListConfigResourcesRequest

from emulator.asking import ask, cluster

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
BROKERS: dict[str, Any] = {
    "count": 4,
    "stopped": [2],
    "fenced": [4],
    "listeners": [{"name": "IN"}, {"name": "OUT", "brokers": [1]}],
}


def request(*types: int) -> Any:
    return ListConfigResourcesRequest(resource_types=list(types))


def reported(response: Any) -> list[tuple[int, str]]:
    assert response.error_code == 0
    return [(one.resource_type, one.resource_name) for one in response.config_resources]


def test_all_types_in_blocks() -> None:
    """Brokers are those registered; topics all of them. Nobody has configured client metrics, or most of the groups."""
    group = {"id": "g", "configs": {"share.auto.offset.reset": "earliest"}}
    server = cluster(brokers=BROKERS, groups={"count": 5, "declared": [group, {"id": "h"}]})
    topics = [(TOPIC, name) for name in server.world.topics.names]
    every = [(GROUP, "g"), *((kind, name) for kind in (LOGGER, BROKER) for name in ("1", "3", "4")), *topics]
    assert reported(ask(server, request(), 1)) == every
    assert reported(ask(server, request(TOPIC, BROKER), 1)) == every[4:]
    assert reported(ask(server, request(METRICS, GROUP), 1)) == every[:1]


def test_version_0_lists_client_metrics_only() -> None:
    for kafka in ("3.9", "4.3"):
        response = ask(cluster(as_version=kafka, kip_1062=False), ListConfigResourcesRequest(), 0)
        assert (response.error_code, response.config_resources) == (0, [])


def test_an_unknown_type_is_35() -> None:
    """Whatever else was asked for."""
    response = ask(cluster(), request(TOPIC, 3), 1)
    assert (response.error_code, response.config_resources) == (35, [])


def test_without_describe_configs_on_the_cluster_it_is_31() -> None:
    """With that right every topic is returned, also topics that may not be described."""
    acl = {"operation": "DESCRIBE_CONFIGS", "resource_type": "CLUSTER", "resource_name": "kafka-cluster"}
    for version in (0, 1):
        denied = ask(cluster(security={"super_users": []}), request(), version)
        assert (denied.error_code, denied.config_resources) == (31, [])
    server = cluster(security={"super_users": [], "acls": [acl]})
    assert len(reported(ask(server, request(TOPIC), 1))) == len(server.world.topics.names)
