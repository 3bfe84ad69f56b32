"""Brokers report the same versions, features, and configs with keys, values, sources and synonyms."""

from typing import Any

import pytest

from conformance.both import Emulated, send
from conformance.by_nature import BROKER_CONFIGS
from harness import wire
from harness.kafka_cluster import KafkaCluster
from kafka_messages.kip_1062 import DescribeConfigsRequest

API_VERSIONS, DESCRIBE_CONFIGS = 5, 4
"""The highest version of ApiVersions and of DescribeConfigs that Kafka has."""

CLIENT = {"client_software_name": "conformance", "client_software_version": "1"}


def test_every_api_has_the_versions_of_the_real_one(real: KafkaCluster, emulated: Emulated) -> None:
    theirs, ours = (wire.api_versions(servers.split(",")[0]) for servers in (real.bootstrap_servers, emulated()))
    assert len(ours) > 20
    assert ours.items() <= theirs.items()


@pytest.mark.parametrize("version", [3, API_VERSIONS])
def test_the_features_are_the_real_ones(real: KafkaCluster, emulated: Emulated, version: int) -> None:
    """Except kraft.version, which is 0 where the quorum is static. Old clients fail on a lowest level of 0."""
    servers = (real.bootstrap_servers.split(",")[0], emulated().split(",")[0])
    theirs, ours = (send(server, "ApiVersions", version, **CLIENT) for server in servers)
    supported = [
        {(one.name, one.min_version, one.max_version) for one in said.supported_features} for said in (theirs, ours)
    ]
    assert supported[0] == supported[1]
    finalized = [{(one.name, one.max_version_level) for one in said.finalized_features} for said in (theirs, ours)]
    assert finalized[1] - finalized[0] == {("kraft.version", 1)}
    assert finalized[0] < finalized[1]


def test_a_broker_says_whether_it_is_meant(real: KafkaCluster, emulated: Emulated) -> None:
    """KIP-1242: 129 where the cluster or the broker is another, 42 where only one of the two is named."""

    def codes(server: str) -> list[int]:
        own = send(server, "DescribeCluster", 2, include_cluster_authorized_operations=False).cluster_id
        meant = [(own, 1), (own, 2), ("another", 1), (own, -1), (None, 1), (None, -1)]
        return [
            send(server, "ApiVersions", API_VERSIONS, cluster_id=cluster, node_id=node, **CLIENT).error_code
            for cluster, node in meant
        ]

    first = [servers.split(",")[0] for servers in (real.bootstrap_servers, emulated())]
    assert [codes(server) for server in first] == [[0, 129, 129, 42, 42, 0]] * 2


TOPIC, BROKER, CLIENT_METRICS, GROUP = 2, 4, 16, 32
RESOURCES = (
    *((TOPIC, name) for name in ("A", "orders", "words", "moving")),
    *((TOPIC, name) for name in ("__consumer_offsets", "__transaction_state", "__share_group_state")),
    *((BROKER, name) for name in ("1", "")),
    *((GROUP, name) for name in ("share-live", "polygenelubricants", "nobody", "")),
    *((CLIENT_METRICS, name) for name in ("nothing", "")),
)


@pytest.mark.parametrize(("kind", "name"), RESOURCES)
def test_all_configs_of_a_resource_are_the_same(real: KafkaCluster, emulated: Emulated, kind: int, name: str) -> None:
    theirs, ours = (configs(servers.split(",")[0], kind, name) for servers in (real.bootstrap_servers, emulated()))
    if kind == BROKER:
        theirs, ours = (
            (head, {key: keys[key] for key in keys if key in BROKER_CONFIGS}) for head, keys in (theirs, ours)
        )
    assert ours == theirs
    assert ours[1] or ours[0][0]


Reported = tuple[tuple[int, str], dict[str, tuple[Any, ...]]]


def configs(server: str, kind: int, name: str) -> Reported:
    """Code and message of a resource, and its configs by key, with all fields except documentation."""
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=kind, resource_name=name, configuration_keys=None
    )
    fields = {"resources": [resource], "include_synonyms": True, "include_documentation": False}
    (result,) = send(server, "DescribeConfigs", DESCRIBE_CONFIGS, **fields).results
    return (result.error_code, result.error_message), {
        one.name: (
            *(one.value, one.config_source, one.config_type, one.read_only, one.is_sensitive),
            *((other.name, other.value, other.source) for other in one.synonyms),
        )
        for one in result.configs
    }
