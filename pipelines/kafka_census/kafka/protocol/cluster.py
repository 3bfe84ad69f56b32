"""Bootstrap: the first broker that answers identifies the cluster.

Every configured server is tried, each with its own connection, until one answers
with its cluster (`protocol.identity`). A cluster that cannot be surveyed at all ends here, in one line:
no listener, wrong TLS, wrong password, another cluster than the configured one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kafka.net.selector import NetworkSelector

from kafka_census.errors import AuthenticationFailed, ConfigError, Unreachable, WrongCluster
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol import aws, identity, kerberos, tls
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.connection import Connection
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.redaction import redacted, secrets_of
from kafka_census.kafka.protocol.retry import Backoff
from kafka_census.kafka.protocol.settings import ClientCredentials, ClusterSettings
from kafka_census.kafka.protocol.wire_error import WireError

BOOTSTRAP_ROUNDS = 3


@dataclass(frozen=True)
class ClusterView:
    """The cluster that answered: Kafka's cluster id and the endpoints of alive brokers.

    controller_id  the controller in ZooKeeper mode, any alive broker in KRaft mode; below 0 for none
    """

    cluster_id: str
    brokers: tuple[Endpoint, ...]
    controller_id: int = -1

    @property
    def at_one_address(self) -> Mapping[str, list[int]]:
        """The ids of brokers that advertise one host and port, by that address: only one of them can be there."""
        found: dict[str, list[int]] = {}
        for broker in self.brokers:
            found.setdefault(f"{broker.host.lower()}:{broker.port}", []).append(broker.node_id)
        return {address: ids for address, ids in found.items() if len(ids) > 1}


def bootstrap(cluster: ClusterSettings, collect: CollectSettings) -> ClusterView:
    """The cluster behind the bootstrap servers.

    Raises Unreachable, AuthenticationFailed or WrongCluster, each with one line; ConfigError, before anything is
    connected, where a TLS file cannot be used.
    """
    servers = bootstrap_endpoints(cluster)
    require_means(cluster)
    net = NetworkSelector(client_id=cluster.client_id, slow_task_threshold_secs=0)
    try:
        # The question is the cluster id itself, so no id can be proven yet.
        view: ClusterView = net.run(_first_answer, net, servers, replace(cluster, cluster_id=None), collect)
    finally:
        net.close()
    if cluster.cluster_id is not None and view.cluster_id != cluster.cluster_id:
        expected = f"conf expects {cluster.cluster_id}; correct bootstrap_servers or clusters.{cluster.name}.cluster_id"
        if cluster.answered_before:
            expected = f"{cluster.cluster_id} answered there before; correct what leads there (DNS, VIP, tunnels)"
        raise WrongCluster(
            f"cluster '{cluster.name}': {', '.join(cluster.bootstrap_servers)} belongs to cluster id "
            f"{redacted(view.cluster_id, secrets_of(cluster))}, but {expected}"
        )
    return view


def require_means(cluster: ClusterSettings) -> None:
    """Raises ConfigError where a TLS file or a package that connections need cannot be used."""
    oauth = cluster.sasl.oauth if cluster.sasl else None
    if cluster.sasl:
        try:
            if cluster.sasl.aws:
                aws.require_package()
            if cluster.sasl.kerberos:
                kerberos.require_package()
        except (aws.NoCredentials, kerberos.TicketRefused) as error:
            raise ConfigError(f"clusters.{cluster.name}.sasl.mechanism: {cluster.sasl.mechanism}: {error}") from None
    for section, files in (
        ("ssl", cluster.ssl if cluster.uses_tls else None),
        ("sasl.oauth.token_endpoint", oauth.ssl if isinstance(oauth, ClientCredentials) else None),
    ):
        try:
            if files is not None:
                tls.context(files)
        except tls.TlsFileError as error:
            raise ConfigError(f"clusters.{cluster.name}.{section}.{error.setting}: {error}") from None


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
                if error.code == ErrorCode.SASL_AUTHENTICATION_FAILED:
                    said = redacted(error.message, secrets_of(cluster))
                    raise AuthenticationFailed(
                        f"cluster '{cluster.name}': {said}; check clusters.{cluster.name}.sasl"
                    ) from None
            finally:
                connection.close()
        if round_no < BOOTSTRAP_ROUNDS:
            await net.sleep(backoff.delay(round_no))
    reason = redacted(failure.message, secrets_of(cluster)) if failure else "no bootstrap server is configured"
    advice = (failure.advice if failure else None) or (
        f"check clusters.{cluster.name}.bootstrap_servers and security_protocol ({cluster.security_protocol})"
    )
    raise Unreachable(f"cluster '{cluster.name}': no bootstrap server answered ({reason}); {advice}")


async def _describe(connection: Connection, timeout_s: float) -> ClusterView:
    where = str(connection.endpoint)
    request = identity.question(where, await connection.offered())
    response = (await connection.send(request, timeout_s)).response
    cluster_id = identity.cluster_id_of(where, response)
    named = identity.brokers_of(response)
    addresses = [(broker.node_id, broker.host, broker.port) for broker in named]
    broken = identity.contradiction(addresses) if named else "names no broker of its cluster"
    if broken:
        raise WireError(ErrorCode.MALFORMED_RESPONSE, f"{where}: {broken}")
    return ClusterView(cluster_id, tuple(dict.fromkeys(named)), response.controller_id)
