"""kafka-python's connection to one broker, with additions.

The frame parser keeps the size of a response and the features of the broker, and closes the connection after a
response that cannot be decoded. Every failure of the SASL exchange is a KafkaError.

kafka-python's own log lines are switched off: at debug level they hold SASL tokens.
"""

import logging
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from kafka import errors as kafka_errors
from kafka.net.connection import KafkaConnection
from kafka.protocol.metadata import ApiVersionsResponse
from kafka.protocol.parser import KafkaProtocol

from kafka_census.kafka.protocol import failures, sasl_gssapi, sasl_msk, sasl_oauth, sasl_scram
from kafka_census.kafka.protocol.gc_paused import gc_paused
from kafka_messages.decoding import UNDECODABLE

logging.getLogger("kafka").setLevel(logging.CRITICAL + 1)
sasl_scram.register()
sasl_oauth.register()
sasl_msk.register()
sasl_gssapi.register()


class FrameParser(KafkaProtocol):  # type: ignore[misc]  # kafka-python has no types
    """A frame parser that keeps the size of the last frame and the features of ApiVersions.

    A response that cannot be decoded, and a first answer in another protocol, raise KafkaProtocolError, after which
    kafka-python closes the connection.
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

    async def _sasl_authenticate(self, timeout_at: float | None = None) -> None:
        """Authenticate at the start and before the session ends (KIP-368); an invalid answer counts as a refusal."""
        try:
            await super()._sasl_authenticate(timeout_at)
        except UNDECODABLE as error:
            if self.transport is None:
                raise kafka_errors.KafkaConnectionError("the connection was lost during SASL") from error
            text = f"the broker's SASL exchange makes no sense: {error!r}"
            raise kafka_errors.SaslAuthenticationFailedError(text) from error
