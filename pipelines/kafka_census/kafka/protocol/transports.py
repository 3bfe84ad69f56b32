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
from kafka.net.selector import NetworkSelector
from kafka.net.transport import KafkaSSLTransport, KafkaTCPTransport

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol import failures, tls_failures
from kafka_census.kafka.protocol.allowed_hosts import permitted
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.protocol.wire_error import WireError


class _TcpSocket(socket.socket):
    """A socket that ends only after its data: a broker that refuses SCRAM sends the reason and closes at once.

    kafka-python reads until there is nothing more, and forgets what it read where the last read finds the end.
    """

    _has_data = False

    def __del__(self) -> None:
        """Close what nobody refers to any more: a walk that is dropped in the middle leaves it with its event loop."""
        self.close()

    def recv(self, bufsize: int = 1024, flags: int = 0, /) -> bytes:
        """Bytes that have arrived. After some, an end or an error is first reported as nothing more for now."""
        had_data, self._has_data = self._has_data, False
        try:
            data = super().recv(bufsize, flags)
        except OSError:
            if had_data:
                raise BlockingIOError from None
            raise
        if had_data and not data:
            raise BlockingIOError
        self._has_data = bool(data)
        return data


class _TlsSocket(_TcpSocket, ssl.SSLSocket):
    """The same over TLS. In TLS 1.3 a broker refuses our certificate after the handshake, possibly while we write."""

    def send(self, data: Any, flags: int = 0) -> int:
        """Send bytes; where that fails because of an alert of the peer, raise the alert."""
        try:
            return super().send(data, flags)
        except (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except OSError as error:
            raise self._alert() or error from None

    def _alert(self) -> ssl.SSLError | None:
        """The alert that the peer has sent, if it is the next to be read."""
        try:
            self.recv()
        except ssl.SSLError as error:
            return error if tls_failures.is_alert(error) else None
        except OSError:
            return None
        return None


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


async def plaintext(net: NetworkSelector, way: Way) -> KafkaTCPTransport:
    """An open transport without TLS. Raises WireError."""
    return KafkaTCPTransport(net, await _connected(net, way), host=way.endpoint.host)


async def encrypted(net: NetworkSelector, way: Way, context: ssl.SSLContext) -> KafkaSSLTransport:
    """An open transport whose TLS handshake has succeeded. Raises WireError, and the error of the handshake.

    kafka-python's handshake has no deadline: a peer that never answers would hang it.
    """
    context.sslsocket_class = _TlsSocket
    sock = await _connected(net, way)
    try:
        transport = KafkaSSLTransport(net, sock, host=way.endpoint.host, ssl_context=context)
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
        sock = _TcpSocket(family, kind, proto)
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        try:
            await factory.sock_connect(net, sock, address, timeout_at=way.deadline)
        except kafka_errors.KafkaTimeoutError:
            sock.close()
            failure = f"no connection within {way.timeout_ms / 1000:g} s"
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
