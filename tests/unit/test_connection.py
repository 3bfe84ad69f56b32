"""Bootstrap and connections against scripted brokers: what cannot be surveyed is one clear line."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from kafka.protocol.admin import DescribeClusterRequest
from kafka.protocol.metadata import MetadataRequest, MetadataResponse

from harness.responses import described_cluster
from harness.standin import Act, StandIn
from kafka_census.error_codes import ErrorCode, error_name
from kafka_census.errors import CensusError, ConfigError, Unreachable
from kafka_census.protocol.cluster import bootstrap
from kafka_census.protocol.settings import ClusterSettings, CollectSettings, Sasl, Secret
from unit.walking import walk

QUICK = CollectSettings(retry_backoff_ms=1, retry_backoff_max_ms=2, request_timeout_ms=300, connect_timeout_ms=300)


def cluster(*servers: str, **fields: object) -> ClusterSettings:
    return ClusterSettings("prod", servers, **fields)  # type: ignore[arg-type]  # fields by name


def answer(cluster_id: str) -> Any:
    return described_cluster(cluster_id, [(7, "h", 9)])


@pytest.fixture
def mute() -> Iterator[str]:
    """A port that accepts connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    held.append(server.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for one in held:
            one.close()


def test_the_first_server_that_answers_names_the_cluster() -> None:
    with StandIn({DescribeClusterRequest: answer("k")}) as broker:
        view = bootstrap(cluster("127.0.0.1:1", broker.address), QUICK)
    assert (view.cluster_id, [one.node_id for one in view.brokers]) == ("k", [7])


def test_a_broker_without_describe_cluster_is_asked_by_metadata() -> None:
    """Brokers before 2.8; no topic is named, so none can be created."""
    broker = MetadataResponse.MetadataResponseBroker(node_id=3, host="h", port=9, rack=None)

    def metadata(request: MetadataRequest, _n: int) -> MetadataResponse:
        assert (request.topics, request.allow_auto_topic_creation) == ([], False)
        return MetadataResponse(throttle_time_ms=0, brokers=[broker], cluster_id="old", controller_id=3, topics=[])

    with StandIn({MetadataRequest: metadata}, versions={MetadataRequest: (0, 8)}) as old:
        view = bootstrap(cluster(old.address), QUICK)
    assert (view.cluster_id, [one.node_id for one in view.brokers]) == ("old", [3])


@pytest.mark.parametrize("missing", [{"cluster_id": None}, {"brokers": []}])
def test_a_broker_that_names_no_cluster_or_no_broker_of_it_is_unreachable(missing: dict[str, Any]) -> None:
    """There would be nobody to ask, or nothing to call what is landed."""
    broker = MetadataResponse.MetadataResponseBroker(node_id=3, host="h", port=9, rack=None)
    fields = {"throttle_time_ms": 0, "brokers": [broker], "cluster_id": "old", "controller_id": 3, "topics": []}
    metadata = MetadataResponse(**fields | missing)
    with (
        StandIn({MetadataRequest: metadata}, versions={MetadataRequest: (0, 8)}) as old,
        pytest.raises(Unreachable, match=r"names no (cluster|broker of its cluster)"),
    ):
        bootstrap(cluster(old.address), QUICK)


def named_twice(host: str) -> Any:
    """An answer that names broker 7 twice, the second time at this host."""
    return described_cluster("k", [(7, "h", 9), (7, host, 9)])


def test_a_broker_that_is_named_twice_in_the_same_way_is_one_broker() -> None:
    """A plan with two of them would have two endpoints for one node."""
    with StandIn({DescribeClusterRequest: named_twice("h")}) as broker:
        assert [one.node_id for one in bootstrap(cluster(broker.address), QUICK).brokers] == [7]


def test_a_broker_that_is_named_in_two_ways_is_refused_by_its_id() -> None:
    """Nobody knows which of the two is meant: one line at bootstrap, an error page in a walk."""
    with StandIn({DescribeClusterRequest: named_twice("elsewhere")}) as broker:
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
def test_a_peer_that_never_answers_does_not_hang(mute: str, protocol: str) -> None:
    """Every wait has a deadline: connecting, the TLS handshake, ApiVersions, SASL."""
    sasl = Sasl("PLAIN", "u", Secret("canary-1f9c")) if protocol.startswith("SASL") else None
    with pytest.raises(CensusError) as error:
        bootstrap(cluster(mute, security_protocol=protocol, sasl=sasl), QUICK)
    assert error.value.exit_code == 1
    assert "canary" not in str(error.value)


def test_a_broker_that_hangs_up_is_unreachable() -> None:
    """As a broker does that is given the wrong protocol."""
    with StandIn({DescribeClusterRequest: Act(drop=True)}) as broker, pytest.raises(Unreachable):
        bootstrap(cluster(broker.address), QUICK)


@pytest.mark.parametrize("server", ["kafka", "kafka:", ":9092", "kafka:port"])
def test_a_server_without_a_port_is_a_configuration_error(server: str) -> None:
    with pytest.raises(ConfigError, match=r"clusters\.prod\.bootstrap_servers"):
        bootstrap(cluster(server), QUICK)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (0, None),
        (16, "NOT_COORDINATOR"),
        (-100, "BROKER_NOT_ALIVE"),
        (128, "INVALID_REGULAR_EXPRESSION"),
        (999, "ERROR_999"),
    ],
)
def test_error_codes_have_names(code: int, name: str | None) -> None:
    assert error_name(code) == name
