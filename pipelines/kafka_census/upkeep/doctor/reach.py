"""Reaches one node step by step: name, TCP, TLS, Kafka's protocol, SASL, and the ids of its cluster and of itself.

After a failed step the others are not tried: the failure names the step and the remedy.
"""

import ssl
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from kafka.net.selector import NetworkSelector

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.rpc import Ask
from kafka_census.kafka.protocol import identity, tls_failures
from kafka_census.kafka.protocol.allowed_hosts import permitted
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.connection import Connection
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.failures import CredentialUnavailableError
from kafka_census.kafka.protocol.redaction import redacted, secrets_of
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.protocol.wire_error import WireError
from kafka_census.kafka.rpc import rpc as rpc_named
from kafka_census.kafka.rpc.describe_cluster import DESCRIBE_CLUSTER
from kafka_census.pages.header import WalkName
from kafka_census.upkeep.doctor import certificate
from kafka_census.upkeep.doctor.addresses import AddressInfo, connected, looked_up
from kafka_census.upkeep.doctor.facts import Broker, Failure, Node, Stage, View
from kafka_census.upkeep.doctor.probes import offered
from kafka_messages.decoding import UNDECODABLE

_STAGES: Mapping[int, Stage] = {
    ErrorCode.SASL_AUTHENTICATION_FAILED: Stage.SASL,
    ErrorCode.WRONG_CLUSTER: Stage.CLUSTER,
    ErrorCode.WRONG_BROKER: Stage.CLUSTER,
    ErrorCode.HOST_NOT_ALLOWED: Stage.NAME,
}
"""The step at which a conversation failed, by error code; every other code means SASL or an earlier step."""


@dataclass(frozen=True)
class _Deadline:
    """A deadline, as a value of `time.monotonic`."""

    at: float

    @property
    def left(self) -> float:
        """Seconds until the deadline, at least so many that a socket accepts them as a timeout."""
        return max(0.001, self.at - time.monotonic())


def reach(
    endpoint: Endpoint, cluster: ClusterSettings, collect: CollectSettings, walks: Collection[WalkName], deadline: float
) -> Node:
    """A node as far as it can be reached until the deadline (of `time.monotonic`), and how it pages these walks.

    Name resolution cannot be interrupted, and may exceed the deadline.
    """
    node, ends = Node(endpoint), _Deadline(deadline)
    addresses = _addresses(node, cluster)
    if isinstance(addresses, Failure):
        return replace(node, failure=addresses)
    for step in (_connected, _secured):
        node = step(node, addresses, cluster, ends)
        if node.failure is not None:
            return node
    left_ms = int(ends.left * 1000) + 1
    collect = replace(
        collect,
        connect_timeout_ms=min(collect.connect_timeout_ms, left_ms),
        request_timeout_ms=min(collect.request_timeout_ms, left_ms),
    )
    net = NetworkSelector(client_id=cluster.client_id, slow_task_threshold_secs=0)
    try:
        return net.run(_asked, net, node, cluster, collect, walks)  # type: ignore[no-any-return]  # it has no types
    finally:
        net.close()


def _addresses(node: Node, cluster: ClusterSettings) -> list[AddressInfo] | Failure:
    """The addresses that may be connected to; the failure where there are none."""
    host = node.endpoint.host
    if not node.endpoint.has_a_port:
        return Failure(Stage.NAME, "there is no such port", _address(node, cluster))
    try:
        resolved = looked_up(host, node.endpoint.port)
    except UnicodeError:
        return Failure(Stage.NAME, f"'{host}' is not a host name", _address(node, cluster))
    except OSError as error:
        remedy = f"{_address(node, cluster)}, or this machine's name resolution"
        return Failure(Stage.NAME, f"'{host}' cannot be resolved: {error.strerror}", remedy)
    key = f"clusters.{cluster.name}.allowed_hosts"
    refused = Failure(Stage.NAME, f"{key} does not allow this host", f"add it to {key} if it is a broker's")
    return permitted(host, resolved, cluster.allowed_hosts) or refused


def _connected(node: Node, addresses: Sequence[AddressInfo], cluster: ClusterSettings, deadline: _Deadline) -> Node:
    try:
        connected(addresses, deadline.left).close()
    except ConnectionRefusedError:
        what = "connection refused: nothing listens there"
    except TimeoutError:
        what = "nobody answers: a firewall may drop what is sent there"
    except OSError as error:
        what = error.strerror or str(error)
    else:
        return node
    remedy = f"start the broker, open the way to it, or {_address(node, cluster)}"
    return replace(node, failure=Failure(Stage.TCP, what, remedy))


def _secured(node: Node, addresses: Sequence[AddressInfo], cluster: ClusterSettings, deadline: _Deadline) -> Node:
    if not cluster.uses_tls:
        return node
    host = node.endpoint.host
    shown, remedy = None, f"check clusters.{cluster.name}.security_protocol ({cluster.security_protocol})"
    try:
        return replace(node, certificate=certificate.of_server(host, addresses, cluster.ssl, deadline.left))
    except ssl.SSLError as error:
        what, advice = tls_failures.handshake_failure(error, host, cluster)
        remedy = advice or remedy
        if isinstance(error, ssl.SSLCertVerificationError):
            shown = certificate.unverified(host, addresses, cluster.ssl, deadline.left)
    except TimeoutError:
        what = "the TLS handshake got no answer in time"
    except (OSError, ValueError) as error:
        what = f"TLS failed: {error}"
    return replace(node, certificate=shown, failure=Failure(Stage.TLS, what, remedy))


async def _asked(
    net: NetworkSelector, node: Node, cluster: ClusterSettings, collect: CollectSettings, walks: Collection[WalkName]
) -> Node:
    connection = Connection(net, node.endpoint, cluster, collect)
    try:
        view = await _view(connection, collect.request_timeout_ms / 1000)
        paging = {}
        for walk in walks:
            found = await offered(connection, rpc_named(*walk), drafts=True)
            paging[walk] = found[0].paging if found else "none"
        return replace(node, view=view, paging=paging, release=connection.release_at_least)
    except WireError as error:
        return replace(node, failure=_failure(node, error, cluster))
    finally:
        connection.close()


async def _view(connection: Connection, timeout_s: float) -> View:
    """The cluster by DescribeCluster, or by Metadata for brokers before 2.8. Raises WireError."""
    where = str(connection.endpoint)
    found = await offered(connection, DESCRIBE_CLUSTER, drafts=False)
    if found is None:
        raise WireError(ErrorCode.UNSUPPORTED_VERSION, f"{where} offers neither DescribeCluster nor Metadata v4")
    api, version = found
    question = Ask((), None, 1)
    response = (await connection.send(api.build(version, question), timeout_s)).response
    try:
        code, message = api.error(response)
        if code:
            raise WireError(code, f"{where}: {message}")
        rows = tuple(api.rows(response, question))
    except UNDECODABLE as error:
        raise WireError(ErrorCode.MALFORMED_RESPONSE, f"{where}: an answer that makes no sense: {error!r}") from error
    brokers = tuple(Broker(Endpoint(*row[:3]), bool(row[4])) for row in rows)
    if not brokers:
        raise WireError(ErrorCode.MALFORMED_RESPONSE, f"{where} names no broker of its cluster")
    return View(identity.cluster_id_of(where, response), brokers, rows[0][-1])


def _failure(node: Node, error: WireError, cluster: ClusterSettings) -> Failure:
    """The failed step of a conversation, without secrets and without the node's name, which the report shows."""
    stage = (
        Stage.SASL if isinstance(error.__cause__, CredentialUnavailableError) else _STAGES.get(error.code, Stage.KAFKA)
    )
    advice = {
        Stage.SASL: f"check clusters.{cluster.name}.sasl",
        Stage.CLUSTER: "correct what its address leads to (DNS, VIP, advertised.listeners)",
    }.get(stage, f"check clusters.{cluster.name}.security_protocol ({cluster.security_protocol})")
    what = redacted(error.message, secrets_of(cluster)).removeprefix(f"{node.endpoint}: ")
    return Failure(stage, what, error.advice or advice)


def _address(node: Node, cluster: ClusterSettings) -> str:
    """The remedy for a wrong address."""
    if node.endpoint.node_id < 0:
        return f"correct clusters.{cluster.name}.bootstrap_servers"
    return "correct the address that the broker gives to clients (its advertised.listeners)"
