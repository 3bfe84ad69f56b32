"""kafka-python's connection to one broker, with additions.

The frame parser keeps the size of a response and the features of the broker, and closes the connection after a
response that cannot be decoded. Every failure of the SASL exchange is a KafkaError.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from kafka import errors as kafka_errors
from kafka.net.connection import KafkaConnection
from kafka.protocol.metadata import ApiVersionsResponse
from kafka.protocol.parser import KafkaProtocol

from kafka_census.kafka.protocol import failures
from kafka_census.kafka.protocol.gc_paused import gc_paused
from kafka_census.kafka.protocol.sasl_gssapi import Gssapi
from kafka_census.kafka.protocol.sasl_msk import MskIam
from kafka_census.kafka.protocol.sasl_oauth import OAuth
from kafka_census.kafka.protocol.sasl_scram import MIN_ITERATIONS, Scram
from kafka_census.private.kafka_python import log_nothing, use_mechanisms
from kafka_messages.decoding import UNDECODABLE

log_nothing()
use_mechanisms(dict.fromkeys(MIN_ITERATIONS, Scram) | {"OAUTHBEARER": OAuth, "AWS_MSK_IAM": MskIam, "GSSAPI": Gssapi})

_SIZE = 4
"""Bytes of a frame that are its size."""


class FrameParser(KafkaProtocol):  # type: ignore[misc]  # kafka-python has no types
    """A frame parser that keeps the size of the last frame and the features of ApiVersions.

    A response that cannot be decoded, and a first answer in another protocol, raise KafkaProtocolError, after which
    kafka-python closes the connection. With one request in flight, all bytes since the last response are of one frame.
    """

    last_size = 0
    features: Mapping[str, int] = MappingProxyType({})
    _head = b""
    _received = 0

    def receive_bytes(self, data: bytes) -> list[tuple[int, Any]]:
        """The responses that these bytes complete. Raises KafkaError."""
        if len(self._head) < _SIZE:
            self._head += data[: _SIZE - len(self._head)]
            if len(self._head) == _SIZE:
                failures.require_kafka(self._head)
        self._received += len(data)
        try:
            with gc_paused():
                responses: list[tuple[int, Any]] = super().receive_bytes(data)
        except UNDECODABLE as error:
            raise kafka_errors.KafkaProtocolError(f"undecodable response: {error!r}") from error
        for _, response in responses:
            self.last_size, self._received = self._received - _SIZE, 0
            if isinstance(response, ApiVersionsResponse):
                self.features = {one.name: one.max_version for one in response.supported_features or ()}
        return responses


class BrokerConnection(KafkaConnection):  # type: ignore[misc]  # kafka-python has no types
    """A connection with our frame parser, whose SASL exchange raises only KafkaError."""

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = {
        **KafkaConnection.DEFAULT_CONFIG,
        "sasl_aws": None,
        "sasl_kerberos_tickets": None,
    }

    def connection_made(self, transport: Any) -> None:
        """Take the open transport."""
        super().connection_made(transport)
        self.parser = FrameParser(
            client_id=self.config["client_id"],
            receive_message_max_bytes=self.config["receive_message_max_bytes"],
        )

    def close(self, error: Exception | None = None) -> None:
        """Close the connection, because of an error or not. An invalid answer in the SASL exchange is a refusal.

        kafka-python authenticates once ApiVersions is answered, and again before the session ends (KIP-368); it closes
        a connection with whatever the exchange raises.
        """
        if isinstance(error, UNDECODABLE) and self.broker_version_data is not None:
            text = f"the broker's SASL exchange makes no sense: {error!r}"
            error = kafka_errors.SaslAuthenticationFailedError(text)
        super().close(error)
