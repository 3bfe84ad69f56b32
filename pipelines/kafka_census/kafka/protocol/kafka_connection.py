"""kafka-python's connection to one broker, with additions.

The frame parser keeps the size of a response and the features of the broker, and closes the connection after a
response that cannot be decoded. Every failure of the SASL exchange is a KafkaError. The first request says which broker
of which cluster is meant (KIP-1242).
"""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from kafka import errors as kafka_errors
from kafka.protocol.parser import KafkaProtocol

from kafka_census.kafka.error_codes import ErrorCode, error_name
from kafka_census.kafka.protocol import failures
from kafka_census.kafka.protocol.gc_paused import gc_paused
from kafka_census.kafka.protocol.sasl_gssapi import Gssapi
from kafka_census.kafka.protocol.sasl_msk import MskIam
from kafka_census.kafka.protocol.sasl_oauth import OAuth
from kafka_census.kafka.protocol.sasl_scram import MIN_ITERATIONS, Scram
from kafka_census.private.kafka_python import OwnFirstRequest, log_nothing, use_mechanisms
from kafka_messages import ApiVersionsRequest, ApiVersionsResponse
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


_MEANS_A_BROKER = 5
"""The first version of ApiVersions that says which broker of which cluster is meant."""


class BrokerConnection(OwnFirstRequest):
    """A connection with our frame parser, whose SASL exchange raises only KafkaError.

    Where the config `meant` has a cluster_id and a node_id, `routed` is whether the broker is the one that is meant:
    None where it cannot be asked (before Kafka 4.4). A broker that is not gets no password; without SASL it is asked
    again for its API versions, so that it can be asked who it is.
    """

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = {
        **OwnFirstRequest.DEFAULT_CONFIG,
        "meant": {},
        "sasl_aws": None,
        "sasl_kerberos_tickets": None,
    }
    routed: bool | None = None

    async def api_versions(self, ask: Callable[[Any], Awaitable[Any]]) -> Any:
        """The response at the highest version that both sides speak. Raises KafkaError."""
        version = ApiVersionsRequest.max_version
        while True:
            request = self.api_versions_request(version)
            response = await ask(request)
            if response.error_code == ErrorCode.UNSUPPORTED_VERSION and version:
                offered = {one.api_key: one.max_version for one in response.api_keys}
                version = max(0, min(version - 1, offered.get(response.API_KEY, 0)))
            elif response.error_code == ErrorCode.REBOOTSTRAP_REQUIRED and request.cluster_id is not None:
                self.routed = False
                if self.sasl_enabled:
                    raise failures.AnotherBrokerError
            elif response.error_code:
                what = f"ApiVersions answered {error_name(response.error_code)}"
                raise kafka_errors.for_code(response.error_code)(what)
            else:
                self.routed = True if request.cluster_id is not None else self.routed
                return response

    def api_versions_request(self, version: int = _MEANS_A_BROKER) -> Any:
        """The request of a version; it says who is meant, where it can and the broker has not said that it is not."""
        return ApiVersionsRequest(
            version=version,
            client_software_name=self.config["client_software_name"],
            client_software_version=self.config["client_software_version"],
            **(self.config["meant"] if version >= _MEANS_A_BROKER and self.routed is not False else {}),
        )

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
