"""One broker: connect, negotiate ApiVersions, authenticate, then one request at a time.

Sockets, TLS, SASL and codecs are kafka-python's low-level client, driven by its
event loop without threads. What is added here: every wait has a deadline, the TLS
handshake included; a response's size is kept; `throttle_time_ms` of every response
keeps the connection silent until it has passed (KIP-219) whatever the RPC; an
answer that cannot be decoded closes the connection instead of hanging it; a connection
proves that its broker belongs to the expected cluster before it serves; and every
failure is a `WireError` with a code and one line.

kafka-python's own log lines are switched off: at debug level they hold SASL tokens.
"""

import logging
import math
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from kafka import errors as kafka_errors
from kafka.future import Future
from kafka.net.connection import KafkaConnection
from kafka.net.inet import KafkaNetSocket
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector
from kafka.net.transport import KafkaSSLTransport, KafkaTCPTransport
from kafka.protocol.metadata import ApiVersionsResponse
from kafka.protocol.parser import KafkaProtocol

from kafka_census import __version__
from kafka_census.error_codes import ErrorCode
from kafka_census.protocol import failures, identity, scram, tls
from kafka_census.protocol.gc_paused import gc_paused
from kafka_census.protocol.releases import release_at_least
from kafka_census.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.protocol.wire_error import WireError
from kafka_messages.decoding import UNDECODABLE

logging.getLogger("kafka").setLevel(logging.CRITICAL + 1)
scram.register()

_LAST_PORT = 65_535


@dataclass(frozen=True)
class Endpoint:
    """Where a node listens, on the listener that the bootstrap servers belong to."""

    node_id: int
    host: str
    port: int

    def __str__(self) -> str:
        """How messages name it."""
        return f"{self.host}:{self.port}" if self.node_id < 0 else f"broker {self.node_id} at {self.host}:{self.port}"


@dataclass(frozen=True)
class Answer:
    """A decoded response and its size in bytes."""

    response: Any
    size: int


class _Protocol(KafkaProtocol):  # type: ignore[misc]  # kafka-python has no types
    """The frame parser, remembering the size of the last frame and the features that ApiVersions named.

    What it cannot decode is a KafkaProtocolError, for which kafka-python closes the connection; so is a first
    answer in another protocol than Kafka's.
    """

    last_size = 0
    features: Mapping[str, int] = MappingProxyType({})

    def _validate_frame_size(self, nbytes: int) -> None:
        if not self.last_size:
            failures.require_kafka(nbytes.to_bytes(4, signed=True))
        super()._validate_frame_size(nbytes)

    def _process_response(self, read_buffer: Any) -> Any:
        self.last_size = len(read_buffer)
        try:
            with gc_paused():
                correlation_id, response = super()._process_response(read_buffer)
        except UNDECODABLE as error:
            raise kafka_errors.KafkaProtocolError(f"undecodable response: {error!r}") from error
        if isinstance(response, ApiVersionsResponse):
            self.features = {one.name: one.max_version for one in response.supported_features or ()}
        return correlation_id, response


class _WholeReads:
    """What a peer sent before it hung up is read, not dropped: a refused SCRAM login says why and closes at once."""

    def _sock_recv(self) -> tuple[bytes, Exception | None]:
        data, error = super()._sock_recv()  # type: ignore[misc]  # a mixin for kafka-python's transports
        return data, None if data else error


class _TcpTransport(_WholeReads, KafkaTCPTransport):  # type: ignore[misc]  # kafka-python has no types
    """Plaintext."""


class _SslTransport(_WholeReads, KafkaSSLTransport):  # type: ignore[misc]  # kafka-python has no types
    """TLS. A broker that does not accept our certificate says so after the handshake (1.3), maybe while we write."""

    def _sock_send(self) -> tuple[int, Exception | None]:
        sent, error = super()._sock_send()
        if error is None:
            return sent, None
        _, why = self._sock_recv()
        return sent, why if why is not None and tls.is_alert(why) else error


class _Connection(KafkaConnection):  # type: ignore[misc]  # kafka-python has no types
    """A connection with our frame parser, and of whose SASL exchange every failure is a KafkaError."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.parser = _Protocol(
            client_id=self.config["client_id"],
            receive_message_max_bytes=self.config["receive_message_max_bytes"],
        )

    async def _sasl_authenticate(self, timeout_at: float | None = None) -> None:
        """The first time and again before the session ends (KIP-368); what makes no sense is a refusal."""
        try:
            await super()._sasl_authenticate(timeout_at)
        except UNDECODABLE as error:
            if self.transport is None:
                raise kafka_errors.KafkaConnectionError("the connection was lost during SASL") from error
            text = f"the broker's SASL exchange makes no sense: {error!r}"
            raise kafka_errors.SaslAuthenticationFailedError(text) from error


class Connection:
    """A lazily opened, re-opened connection to one node.

    Where the settings name a cluster id, each opening proves it by one request, after SASL and before
    any other request: the node of another cluster is WRONG_CLUSTER, and receives nothing else.

    Not safe for concurrent sends: the caller keeps one request in flight. `session` counts
    how often it was opened: what ApiVersions said holds for one session. `release_at_least` is what it proved last,
    None before the first session.
    """

    def __init__(
        self, net: NetworkSelector, endpoint: Endpoint, cluster: ClusterSettings, collect: CollectSettings
    ) -> None:
        """Nothing is opened before the first `versions` or `send`."""
        self.endpoint = endpoint
        self._net = net
        self._cluster = cluster
        self._collect = collect
        self._conn: _Connection | None = None
        self._tls: ssl.SSLContext | None = None
        self._silent_until = 0.0
        self.session = 0
        self.release_at_least: str | None = None

    async def version(self, api_key: int, lowest: int, highest: int, features: tuple[str, ...] = ()) -> int | None:
        """The highest version of an API that both sides speak within the range; None when there is none.

        None also when this very connection did not advertise each of the `features`, at level 1 or above.
        """
        conn = await self._open()
        if any(conn.parser.features.get(name, 0) < 1 for name in features):
            return None
        return identity.common_version(conn.broker_version_data.api_versions, api_key, lowest, highest)

    async def offered(self) -> identity.Offered:
        """What ApiVersions reported on this connection."""
        versions: identity.Offered = (await self._open()).broker_version_data.api_versions
        return versions

    async def send(
        self, request: Any, timeout_s: float, deadline: float = math.inf, session: int | None = None
    ) -> Answer:
        """Send one request whose version is set; wait for its response at most `timeout_s` seconds.

        Raises WireError, whose `sent` says whether the node may have received the request; so too when the
        `deadline` (of `time.monotonic`) passes before the broker's throttle time is over, and when the connection
        is not of that `session`: its version was negotiated on another.
        """
        conn = await self._open()
        silent = self._silent_until - time.monotonic()
        if silent > 0:
            await self._net.sleep(min(silent, max(0.0, deadline - time.monotonic())))
            conn = await self._open()
        left = deadline - time.monotonic()
        if left <= 0:
            raise WireError(ErrorCode.DEADLINE_EXCEEDED, f"{self.endpoint}: no time is left to ask")
        if session not in (None, self.session):
            raise WireError(ErrorCode.CONNECTION_FAILED, f"{self.endpoint}: the connection was replaced meanwhile")
        try:
            response = await conn.send_request(request, request_timeout_ms=min(timeout_s, left) * 1000)
        except kafka_errors.KafkaError as error:
            self.close()
            raise self._explained(error, sent=True) from error
        except UNDECODABLE as error:
            # Such as a name that one broker listed, and that is too long for the version that this one speaks.
            self.close()
            text = f"{self.endpoint}: {type(request).__name__} cannot be sent: {error!r}"
            raise WireError(ErrorCode.INVALID_REQUEST, text) from error
        self._heed_throttle(response)
        return Answer(response, conn.parser.last_size)

    def close(self) -> None:
        """Close the connection; the next send opens a new one."""
        if self._conn is not None and not self._conn.closed:
            self._conn.close()
        self._conn = None

    def _heed_throttle(self, response: Any) -> None:
        throttle = getattr(response, "throttle_time_ms", 0) or 0
        # A little longer than the response says: the broker unmutes by its own clock.
        self._silent_until = time.monotonic() + throttle / 1000 + 0.001 if throttle else 0.0

    async def _open(self) -> _Connection:
        if self._conn is not None and self._conn.connected:
            return self._conn
        deadline = time.monotonic() + self._collect.connect_timeout_ms / 1000
        transport = None
        try:
            transport = await self._transport(deadline)
            conn = _Connection(self._net, node_id=self.endpoint.node_id, **self._kafka_config())
            conn.connection_made(transport)
            await conn.initialize(timeout_at=deadline)
            await conn
            await self._prove(conn, deadline)
        except (WireError, kafka_errors.KafkaError, OSError, *UNDECODABLE) as error:
            if transport is not None:
                transport.abort()
            if isinstance(error, WireError):
                raise
            raise self._explained(error) from error
        self._conn = conn
        self.session += 1
        self.release_at_least = release_at_least(conn.broker_version_data.api_versions)
        return conn

    async def _prove(self, conn: _Connection, deadline: float) -> None:
        """Raise where the broker is not of the expected cluster."""
        expected = self._cluster.cluster_id
        if expected is None:
            return
        where, left = str(self.endpoint), max(0.0, deadline - time.monotonic())
        request = identity.question(where, conn.broker_version_data.api_versions)
        response = await conn.send_request(request, request_timeout_ms=left * 1000)
        self._heed_throttle(response)
        identity.require(where, response, expected)

    async def _connect(self, deadline: float) -> socket.socket:
        """A connected socket. kafka-python's own loop over addresses leaves failed sockets open."""
        factory = KafkaNetSocket()
        if not 0 < self.endpoint.port <= _LAST_PORT:
            raise WireError(ErrorCode.CONNECTION_FAILED, f"{self.endpoint}: there is no such port")
        failure = f"{self.endpoint.host} cannot be resolved"
        try:
            found = factory.dns_lookup(self.endpoint.host, self.endpoint.port)
        except ValueError as error:
            raise WireError(ErrorCode.CONNECTION_FAILED, f"{self.endpoint}: not a host name: {error}") from error
        for family, kind, proto, _name, address in found:
            sock: socket.socket = factory.socket(family, kind, proto)
            sock.setblocking(False)
            for option in KafkaConnectionManager.DEFAULT_CONFIG["socket_options"]:
                sock.setsockopt(*option)
            try:
                await factory.sock_connect(self._net, sock, address, timeout_at=deadline)
            except kafka_errors.KafkaTimeoutError:
                sock.close()
                failure = f"no connection within {self._collect.connect_timeout_ms} ms"
            except kafka_errors.KafkaConnectionError as error:
                sock.close()
                refused = "ECONNREFUSED" in str(error)
                failure = "connection refused: nothing listens there" if refused else failures.words(error)
            else:
                return sock
        raise WireError(ErrorCode.CONNECTION_FAILED, f"{self.endpoint}: {failure}")

    async def _transport(self, deadline: float) -> Any:
        if not self._cluster.uses_tls:
            return _TcpTransport(self._net, await self._connect(deadline), host=self.endpoint.host)
        try:
            self._tls = self._tls or tls.context(self._cluster.ssl)
        except tls.TlsFileError as error:
            text = f"{self.endpoint}: clusters.{self._cluster.name}.ssl.{error.setting}: {error}"
            raise WireError(ErrorCode.CONNECTION_FAILED, text) from error
        sock = await self._connect(deadline)
        try:
            transport = _SslTransport(self._net, sock, host=self.endpoint.host, ssl_context=self._tls)
        except ValueError as error:
            sock.close()
            raise WireError(ErrorCode.CONNECTION_FAILED, f"{self.endpoint}: not a host name: {error}") from error
        # kafka-python's handshake has no deadline: a peer that never answers would hang it.
        done = self._net.call_soon_with_future(transport.handshake)
        expired = Future()
        timer = self._net.call_at(deadline, lambda: expired.success(None))
        both = Future()
        for future in (done, expired):
            future.add_both(lambda _: None if both.is_done else both.success(None))
        await both
        if not done.is_done:
            transport.abort()
            raise kafka_errors.KafkaConnectionError("the TLS handshake got no answer in time")
        self._net.cancel(timer)
        if done.exception is not None:
            transport.abort()
            raise done.exception
        return transport

    def _kafka_config(self) -> dict[str, Any]:
        cluster, sasl = self._cluster, self._cluster.sasl
        config: dict[str, Any] = {
            "client_id": cluster.client_id,
            "client_software_name": "kafka-census",
            "client_software_version": __version__,
            "security_protocol": cluster.security_protocol,
            "receive_message_max_bytes": self._collect.receive_message_max_bytes,
            "request_timeout_ms": self._collect.request_timeout_ms,
        }
        if sasl is not None:
            config["sasl_mechanism"] = sasl.mechanism
            config["sasl_plain_username"] = sasl.username
            config["sasl_plain_password"] = sasl.password.reveal()
        return config

    def _explained(self, error: Exception, *, sent: bool = False) -> WireError:
        """The failure as a code and one line that names the node."""
        largest = self._collect.receive_message_max_bytes
        explained = failures.wire_error(error, str(self.endpoint), self.endpoint.host, self._cluster, largest)
        explained.sent = sent
        return explained
