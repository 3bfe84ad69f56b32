"""Bootstrap and connections against scripted brokers: what cannot be surveyed is one clear line."""

import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from kafka.protocol.admin import DescribeClusterRequest
from kafka.protocol.metadata import MetadataRequest, MetadataResponse

from harness.responses import described_cluster
from harness.standin import Act, StandIn
from kafka_census.error_codes import ErrorCode
from kafka_census.errors import CensusError, ConfigError, Unreachable
from kafka_census.protocol.cluster import bootstrap
from kafka_census.protocol.settings import ClusterSettings, CollectSettings, Sasl, Secret
from unit.walking import walk

Serve = Callable[..., StandIn]
QUICK = CollectSettings(retry_backoff_ms=1, retry_backoff_max_ms=2, request_timeout_ms=150, connect_timeout_ms=150)


def cluster(*servers: str, **fields: object) -> ClusterSettings:
    return ClusterSettings("prod", servers, **fields)  # type: ignore[arg-type]  # fields by name


def old(serve: Serve, **fields: Any) -> StandIn:
    """A broker before 2.8, which has no DescribeCluster; `fields` replace fields of its answer."""
    broker = MetadataResponse.MetadataResponseBroker(node_id=3, host="h", port=9, rack=None)
    known = {"throttle_time_ms": 0, "brokers": [broker], "cluster_id": "old", "controller_id": 3, "topics": []}

    def metadata(request: MetadataRequest, _n: int) -> MetadataResponse:
        assert (request.topics, request.allow_auto_topic_creation) == ([], False)  # so that none can be created
        return MetadataResponse(**known | fields)

    return serve({MetadataRequest: metadata}, versions={MetadataRequest: (0, 8)})


def test_the_first_server_that_answers_names_the_cluster(serve: Serve) -> None:
    broker = serve({DescribeClusterRequest: described_cluster("k", [(7, "h", 9)])})
    view = bootstrap(cluster("127.0.0.1:1", broker.address), QUICK)
    assert (view.cluster_id, [one.node_id for one in view.brokers]) == ("k", [7])


def test_a_broker_without_describe_cluster_is_asked_by_metadata(serve: Serve) -> None:
    view = bootstrap(cluster(old(serve).address), QUICK)
    assert (view.cluster_id, [one.node_id for one in view.brokers]) == ("old", [3])


@pytest.mark.parametrize("missing", [{"cluster_id": None}, {"brokers": []}])
def test_a_broker_that_names_no_cluster_or_no_broker_of_it_is_unreachable(
    serve: Serve, missing: dict[str, Any]
) -> None:
    with pytest.raises(Unreachable, match=r"names no (cluster|broker of its cluster)"):
        bootstrap(cluster(old(serve, **missing).address), QUICK)


def test_a_broker_that_is_named_twice_is_one_broker_or_is_refused_by_its_id(serve: Serve) -> None:
    same = serve({DescribeClusterRequest: described_cluster("k", [(7, "h", 9), (7, "h", 9)])})
    assert [one.node_id for one in bootstrap(cluster(same.address), QUICK).brokers] == [7]
    broker = serve({DescribeClusterRequest: described_cluster("k", [(7, "h", 9), (7, "elsewhere", 9)])})
    with pytest.raises(Unreachable, match=r"broker 7 is named twice: \('h', 9\) and \('elsewhere', 9\)"):
        bootstrap(cluster(broker.address), QUICK)
    (page,) = walk(broker, "DescribeCluster", "cluster", collect=replace(QUICK, max_attempts=2))
    assert page.error_code == ErrorCode.MALFORMED_RESPONSE
    assert "broker 7 is named twice" in str(page.error_message)


def test_nothing_listening_is_one_line() -> None:
    with pytest.raises(Unreachable, match=r"'prod': no bootstrap server answered \(127\.0\.0\.1:1: .*refused") as error:
        bootstrap(cluster("127.0.0.1:1"), QUICK)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("protocol", ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"])
def test_a_peer_that_never_answers_does_not_hang(protocol: str) -> None:
    sasl = Sasl("PLAIN", "u", Secret("canary-1f9c")) if protocol.startswith("SASL") else None
    with socket.create_server(("127.0.0.1", 0)) as mute, pytest.raises(CensusError) as error:
        bootstrap(cluster(f"127.0.0.1:{mute.getsockname()[1]}", security_protocol=protocol, sasl=sasl), QUICK)
    assert error.value.exit_code == 1
    assert "canary" not in str(error.value)


def test_a_broker_that_hangs_up_is_unreachable(serve: Serve) -> None:
    """As a broker does that is given the wrong protocol."""
    with pytest.raises(Unreachable):
        bootstrap(cluster(serve({DescribeClusterRequest: Act(drop=True)}).address), QUICK)


@pytest.mark.parametrize("server", ["kafka", "kafka:", ":9092", "kafka:port"])
def test_a_server_without_a_port_is_a_configuration_error(server: str) -> None:
    with pytest.raises(ConfigError, match=r"clusters\.prod\.bootstrap_servers"):
        bootstrap(cluster(server), QUICK)
