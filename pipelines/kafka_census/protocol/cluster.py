"""Bootstrap: the first broker that answers says who the cluster is.

Every configured server is tried, each with its own connection, until one answers
DescribeCluster (KIP-700) or, on brokers without it, Metadata. What cannot be
surveyed at all ends here, in one line: nothing listening, wrong TLS, wrong
password, another cluster than the configured one.
"""

from dataclasses import dataclass
from typing import Any

from kafka.net.selector import NetworkSelector
from kafka.protocol.admin import DescribeClusterRequest

from kafka_census.errors import AuthenticationFailed, ConfigError, Unreachable, WrongCluster
from kafka_census.protocol import error_codes
from kafka_census.protocol.connection import Connection, Endpoint
from kafka_census.protocol.error_codes import WireError, error_name
from kafka_census.protocol.kip_1062 import MetadataRequest
from kafka_census.protocol.retry import Backoff
from kafka_census.protocol.settings import ClusterSettings, CollectSettings

BOOTSTRAP_ROUNDS = 3
DESCRIBE_CLUSTER_MAX = 2
METADATA_MIN, METADATA_MAX = 4, 13


@dataclass(frozen=True)
class ClusterView:
    """Who answered: Kafka's cluster id and the endpoints that are alive."""

    cluster_id: str
    brokers: tuple[Endpoint, ...]


def bootstrap(cluster: ClusterSettings, collect: CollectSettings) -> ClusterView:
    """The cluster behind the bootstrap servers.

    Raises Unreachable, AuthenticationFailed or WrongCluster, each with one line.
    """
    servers = bootstrap_endpoints(cluster)
    net = NetworkSelector(client_id=cluster.client_id, slow_task_threshold_secs=0)
    try:
        view: ClusterView = net.run(_first_answer, net, servers, cluster, collect)
    finally:
        net.close()
    if cluster.cluster_id is not None and view.cluster_id != cluster.cluster_id:
        raise WrongCluster(
            f"cluster '{cluster.name}': {', '.join(cluster.bootstrap_servers)} belongs to cluster id "
            f"{view.cluster_id}, but conf expects {cluster.cluster_id}; "
            f"correct bootstrap_servers or clusters.{cluster.name}.cluster_id"
        )
    return view


def bootstrap_endpoints(cluster: ClusterSettings) -> list[Endpoint]:
    """The bootstrap servers, whose node ids are not known. Raises ConfigError."""
    return [_endpoint(cluster.name, server) for server in cluster.bootstrap_servers]


def _endpoint(name: str, server: str) -> Endpoint:
    host, _, port = server.rpartition(":")
    if not host or not port.isdigit():
        raise ConfigError(f"clusters.{name}.bootstrap_servers: '{server}' is not host:port")
    return Endpoint(-1, host.strip("[]"), int(port))


async def _first_answer(
    net: NetworkSelector, servers: list[Endpoint], cluster: ClusterSettings, collect: CollectSettings
) -> ClusterView:
    backoff = Backoff(collect.retry_backoff_ms, collect.retry_backoff_max_ms)
    failure: WireError | None = None
    for round_no in range(1, BOOTSTRAP_ROUNDS + 1):
        for endpoint in servers:
            connection = Connection(net, endpoint, cluster, collect)
            try:
                return await _describe(connection, collect.request_timeout_ms / 1000)
            except WireError as error:
                failure = error
                if error.code == error_codes.SASL_AUTHENTICATION_FAILED:
                    raise AuthenticationFailed(
                        f"cluster '{cluster.name}': {error.message}; check clusters.{cluster.name}.sasl"
                    ) from None
            finally:
                connection.close()
        if round_no < BOOTSTRAP_ROUNDS:
            await net.sleep(backoff.delay(round_no))
    reason = failure.message if failure else "no bootstrap server is configured"
    raise Unreachable(
        f"cluster '{cluster.name}': no bootstrap server answered ({reason}); check "
        f"clusters.{cluster.name}.bootstrap_servers and security_protocol ({cluster.security_protocol})"
    )


async def _describe(connection: Connection, patience: float) -> ClusterView:
    version = await connection.version(DescribeClusterRequest.API_KEY, 0, DESCRIBE_CLUSTER_MAX)
    request: Any
    if version is not None:
        request = DescribeClusterRequest(version=version, include_cluster_authorized_operations=False)
    else:
        metadata = await connection.version(MetadataRequest.API_KEY, METADATA_MIN, METADATA_MAX)
        if metadata is None:
            raise WireError(
                error_codes.UNSUPPORTED_VERSION, f"{connection.endpoint} offers neither DescribeCluster nor Metadata v4"
            )
        request = MetadataRequest(version=metadata, topics=[], allow_auto_topic_creation=False)
    response = (await connection.send(request, patience)).response
    code = response.error_code or 0
    if code:
        raise WireError(code, f"{connection.endpoint}: {error_name(code)}")
    nodes = tuple(
        Endpoint(broker.broker_id if version is not None else broker.node_id, broker.host, broker.port)
        for broker in response.brokers
    )
    if not nodes or not response.cluster_id:
        raise WireError(error_codes.MALFORMED_RESPONSE, f"{connection.endpoint} names no cluster, or no broker of it")
    return ClusterView(response.cluster_id, nodes)
