"""Sockets and TLS of one connection: kafka-python's transports, with a deadline for every wait.

The deadline includes the TLS handshake. Data that a peer sent before it closed the connection are read.
"""

import socket
import ssl
from dataclasses import dataclass
from typing import Any

from kafka import errors as kafka_errors
from kafka.future import Future
from kafka.net.inet import KafkaNetSocket
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector
from kafka.net.transport import KafkaSSLTransport, KafkaTCPTransport

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol import failures, tls_failures
from kafka_census.kafka.protocol.allowed_hosts import permitted
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.protocol.wire_error import WireError


class _WholeReads:
    """Reads data that a peer sent before it closed: a broker that refuses SCRAM sends the reason and closes at once."""

    def _sock_recv(self) -> tuple[bytes, Exception | None]:
        data, error = super()._sock_recv()  # type: ignore[misc]  # a mixin for kafka-python's transports
        return data, None if data else error


class TcpTransport(_WholeReads, KafkaTCPTransport):  # type: ignore[misc]  # kafka-python has no types
    """Plaintext."""


class SslTransport(_WholeReads, KafkaSSLTransport):  # type: ignore[misc]  # kafka-python has no types
    """TLS. In TLS 1.3 a broker refuses our certificate after the handshake, possibly while we write."""

    def _sock_send(self) -> tuple[int, Exception | None]:
        sent, error = super()._sock_send()
        if error is None:
            return sent, None
        _, why = self._sock_recv()
        return sent, why if why is not None and tls_failures.is_alert(why) else error


@dataclass(frozen=True)
class Way:
    """The way to a node of a cluster, which says which hosts are allowed.

    deadline    the time until which it is tried, of `time.monotonic`
    timeout_ms  the time limit that messages name
    """

    endpoint: Endpoint
    cluster: ClusterSettings
    deadline: float
    timeout_ms: int


async def plaintext(net: NetworkSelector, way: Way) -> TcpTransport:
    """An open transport without TLS. Raises WireError."""
    return TcpTransport(net, await _connected(net, way), host=way.endpoint.host)


async def encrypted(net: NetworkSelector, way: Way, context: ssl.SSLContext) -> SslTransport:
    """An open transport whose TLS handshake has succeeded. Raises WireError, and the error of the handshake.

    kafka-python's handshake has no deadline: a peer that never answers would hang it.
    """
    sock = await _connected(net, way)
    try:
        transport = SslTransport(net, sock, host=way.endpoint.host, ssl_context=context)
    except ValueError as error:
        sock.close()
        raise WireError(ErrorCode.CONNECTION_FAILED, f"{way.endpoint}: not a host name: {error}") from error
    done = net.call_soon_with_future(transport.handshake)
    expired = Future()
    timer = net.call_at(way.deadline, lambda: expired.success(None))
    both = Future()
    for future in (done, expired):
        future.add_both(lambda _: None if both.is_done else both.success(None))
    await both
    if not done.is_done:
        transport.abort()
        raise kafka_errors.KafkaConnectionError("the TLS handshake got no answer in time")
    net.cancel(timer)
    if done.exception is not None:
        transport.abort()
        raise done.exception
    return transport


async def _connected(net: NetworkSelector, way: Way) -> socket.socket:
    """A connected socket. kafka-python's own loop over addresses leaves failed sockets open."""
    factory, endpoint = KafkaNetSocket(), way.endpoint
    if not endpoint.has_a_port:
        raise WireError(ErrorCode.CONNECTION_FAILED, f"{endpoint}: there is no such port")
    failure = f"{endpoint.host} cannot be resolved"
    try:
        found = factory.dns_lookup(endpoint.host, endpoint.port)
    except ValueError as error:
        raise WireError(ErrorCode.CONNECTION_FAILED, f"{endpoint}: not a host name: {error}") from error
    for family, kind, proto, _name, address in _permitted(way, found):
        sock: socket.socket = factory.socket(family, kind, proto)
        sock.setblocking(False)
        for option in KafkaConnectionManager.DEFAULT_CONFIG["socket_options"]:
            sock.setsockopt(*option)
        try:
            await factory.sock_connect(net, sock, address, timeout_at=way.deadline)
        except kafka_errors.KafkaTimeoutError:
            sock.close()
            failure = f"no connection within {way.timeout_ms} ms"
        except kafka_errors.KafkaConnectionError as error:
            sock.close()
            refused = "ECONNREFUSED" in str(error)
            failure = "connection refused: nothing listens there" if refused else failures.words(error)
        else:
            return sock
    raise WireError(ErrorCode.CONNECTION_FAILED, f"{endpoint}: {failure}")


def _permitted(way: Way, resolved: list[Any]) -> list[Any]:
    """The resolved addresses that may be connected to. Raises WireError where none of them may."""
    left = permitted(way.endpoint.host, resolved, way.cluster.allowed_hosts)
    if resolved and not left:
        key = f"clusters.{way.cluster.name}.allowed_hosts"
        text = f"{way.endpoint}: {key} does not allow this host: nothing was sent to it"
        raise WireError(ErrorCode.HOST_NOT_ALLOWED, text, f"add it to {key} if it is a broker's")
    return left
