"""One broker: connect, negotiate ApiVersions, authenticate, then one request at a time.

Sockets, TLS, SASL and codecs are those of kafka-python's low-level client, driven by its
event loop without threads. This module adds: a deadline for every wait, including the TLS
handshake; the size of each response; silence for the `throttle_time_ms` of
every response, whatever the RPC (KIP-219); closing the connection after an
answer that cannot be decoded, instead of hanging; the proof
that the broker belongs to the expected cluster and is the expected broker, before the first request; and a
`WireError` with a code and one line for every failure.
"""

import math
import ssl
import time
from dataclasses import dataclass
from typing import Any

from kafka import errors as kafka_errors
from kafka.net.selector import NetworkSelector

from kafka_census import __version__
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol import failures, identity, tls
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.kafka_connection import BrokerConnection
from kafka_census.kafka.protocol.kerberos import Tickets
from kafka_census.kafka.protocol.releases import release_at_least
from kafka_census.kafka.protocol.sasl_oauth import Provider
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.protocol.transports import Way, encrypted, plaintext
from kafka_census.kafka.protocol.wire_error import WireError
from kafka_messages.decoding import UNDECODABLE


@dataclass(frozen=True)
class Answer:
    """A decoded response and its size in bytes."""

    response: Any
    size: int


class Connection:
    """A lazily opened, re-opened connection to one node.

    Where the settings name a cluster id, each opening proves it by one request, after SASL and before any other
    request, and the id of the node, where that is known: by the first request where the broker knows KIP-1242, else by
    a second one. The node of another cluster is WRONG_CLUSTER, another broker WRONG_BROKER, and neither receives
    anything else.

    Not safe for concurrent sends: the caller keeps one request in flight. `session` counts
    how often it was opened: what ApiVersions said holds for one session. `release_at_least` is what it proved last,
    None before the first session.
    """

    def __init__(
        self, net: NetworkSelector, endpoint: Endpoint, cluster: ClusterSettings, collect: CollectSettings
    ) -> None:
        """Create a closed connection; the first `versions` or `send` opens it."""
        self.endpoint = endpoint
        self._net = net
        self._cluster = cluster
        self._collect = collect
        self._conn: BrokerConnection | None = None
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
            # Such as a name from another broker's listing that is too long for the version of this broker.
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
        # A little longer than the response demands, because the broker unmutes by its own clock.
        self._silent_until = time.monotonic() + throttle / 1000 + 0.001 if throttle else 0.0

    async def _open(self) -> BrokerConnection:
        if self._conn is not None and self._conn.connected:
            return self._conn
        deadline = time.monotonic() + self._collect.connect_timeout_ms / 1000
        transport = None
        try:
            transport = await self._transport(deadline)
            conn = BrokerConnection(self._net, node_id=self.endpoint.node_id, **self._kafka_config())
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

    async def _prove(self, conn: BrokerConnection, deadline: float) -> None:
        """Raise WireError where the broker does not belong to the expected cluster, or is not the expected broker."""
        expected = self._cluster.cluster_id
        if expected is None:
            return
        offered = conn.broker_version_data.api_versions
        where = str(self.endpoint)
        about_cluster = await self._proof(conn, identity.question(where, offered), deadline)
        identity.require(where, about_cluster, expected)
        if self.endpoint.node_id < 0:
            return
        brokers, routed = identity.brokers_of(about_cluster), conn.routed
        if routed and conn.sasl_enabled:
            # Before SASL Kafka does not compare the ids (SaslServerAuthenticator.handleApiVersionsRequest).
            routed = identity.is_meant(where, await self._proof(conn, conn.api_versions_request(), deadline))
        if routed is None:
            question = identity.broker_question(offered, self.endpoint.node_id)
            about_broker = None if question is None else await self._proof(conn, question, deadline)
            identity.require_broker(self.endpoint, about_broker, brokers)
        elif not routed:
            raise identity.another_broker(self.endpoint, "it says that it is not meant", brokers)

    async def _proof(self, conn: BrokerConnection, question: Any, deadline: float) -> Any:
        """The answer to a question that proves something, once the throttle time of the answer before it is over."""
        silent = min(self._silent_until, deadline) - time.monotonic()
        if silent > 0:
            await self._net.sleep(silent)
        left = max(0.0, deadline - time.monotonic())
        response = await conn.send_request(question, request_timeout_ms=left * 1000)
        self._heed_throttle(response)
        return response

    async def _transport(self, deadline: float) -> Any:
        way = Way(self.endpoint, self._cluster, deadline, self._collect.connect_timeout_ms)
        if not self._cluster.uses_tls:
            return await plaintext(self._net, way)
        try:
            self._tls = self._tls or tls.context(self._cluster.ssl)
        except tls.TlsFileError as error:
            text = f"{self.endpoint}: clusters.{self._cluster.name}.ssl.{error.setting}: {error}"
            raise WireError(ErrorCode.CONNECTION_FAILED, text) from error
        return await encrypted(self._net, way, self._tls)

    def _kafka_config(self) -> dict[str, Any]:
        cluster, sasl = self._cluster, self._cluster.sasl
        # Kafka takes both ids or neither.
        known = cluster.cluster_id if self.endpoint.node_id >= 0 else None
        config: dict[str, Any] = {
            "client_id": cluster.client_id,
            "client_software_name": "kafka-census",
            "client_software_version": __version__,
            "meant": {} if known is None else {"cluster_id": known, "node_id": self.endpoint.node_id},
            "security_protocol": cluster.security_protocol,
            "receive_message_max_bytes": self._collect.receive_message_max_bytes,
            "request_timeout_ms": self._collect.request_timeout_ms,
        }
        if sasl is not None:
            config["sasl_mechanism"] = sasl.mechanism
            config["sasl_plain_username"] = sasl.username
            config["sasl_plain_password"] = sasl.password.reveal() if sasl.password else None
            config["sasl_aws"] = sasl.aws
            timeout_s = self._collect.connect_timeout_ms / 1000
            if sasl.oauth is not None:
                config["sasl_oauth_token_provider"] = Provider(sasl.oauth, timeout_s)
            if sasl.kerberos is not None:
                config["sasl_kerberos_tickets"] = Tickets(sasl.kerberos, timeout_s)
        return config

    def _explained(self, error: Exception, *, sent: bool = False) -> WireError:
        """The failure as a code and one line that names the node."""
        largest = self._collect.receive_message_max_bytes
        explained = failures.wire_error(error, str(self.endpoint), self.endpoint.host, self._cluster, largest)
        explained.sent = sent
        return explained
