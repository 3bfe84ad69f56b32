"""Converts errors of kafka-python and OpenSSL to a `WireError` of one line."""

import re
import ssl

from kafka import errors as kafka_errors

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.protocol import tls_failures
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.protocol.wire_error import WireError


class AnotherBrokerError(kafka_errors.KafkaError):  # type: ignore[misc]  # kafka-python has no types
    """The broker says, before it gets a password, that it is not the one that is meant (KIP-1242)."""

    def __str__(self) -> str:
        """What is not known: which of the two it is."""
        return "this is another broker, or a broker of another cluster: nothing else was sent to it"


_CODES: tuple[tuple[type[Exception] | tuple[type[Exception], ...], int], ...] = (
    (
        (
            kafka_errors.SaslAuthenticationFailedError,
            kafka_errors.UnsupportedSaslMechanismError,
            kafka_errors.IllegalSaslStateError,
        ),
        ErrorCode.SASL_AUTHENTICATION_FAILED,
    ),
    (AnotherBrokerError, ErrorCode.WRONG_BROKER),
    ((kafka_errors.RequestTimedOutError, kafka_errors.KafkaTimeoutError), ErrorCode.DEADLINE_EXCEEDED),
    (kafka_errors.InvalidReceiveError, ErrorCode.FRAME_TOO_LARGE),
    ((kafka_errors.KafkaProtocolError, kafka_errors.CorrelationIdError), ErrorCode.MALFORMED_RESPONSE),
)
_TLS_RECORDS = (b"\x14\x03", b"\x15\x03", b"\x16\x03")
_PROTOCOLS = {b"HTTP": "HTTP", b"SSH-": "SSH"}


class CredentialUnavailableError(kafka_errors.KafkaConnectionError):  # type: ignore[misc]  # kafka-python has no types
    """No token or ticket is available now; one may be available later."""

    def __init__(self, what: str, look_at: str) -> None:
        """`what` is missing, and `look_at` says what to check: a key of `sasl`, and the way to the issuer."""
        super().__init__(what)
        self.look_at = look_at


class NotKafkaError(kafka_errors.KafkaProtocolError):  # type: ignore[misc]  # kafka-python has no types
    """The first bytes of a peer belong to another protocol."""

    def __init__(self, protocol: str) -> None:
        """`protocol` is the name of the protocol; TLS for a TLS listener that we did not connect to by TLS."""
        super().__init__(f"this is not a Kafka listener: it answers {protocol}")
        self.protocol = protocol


def require_kafka(head: bytes) -> None:
    """Raises NotKafkaError where the first four bytes of a peer's first answer are not the size of a frame."""
    if head[:2] in _TLS_RECORDS:
        raise NotKafkaError("TLS")
    if head in _PROTOCOLS:
        raise NotKafkaError(_PROTOCOLS[head])
    if head.isascii() and head.decode().isprintable():
        raise NotKafkaError(f"text, {head.decode()!r}")


def wire_error(error: Exception, where: str, host: str, cluster: ClusterSettings, largest: int) -> WireError:
    """A failure as a code and one line that names the node.

    where    the name of the node in messages
    largest  the largest response that is accepted
    """
    cause = error.args[0] if isinstance(error, kafka_errors.KafkaConnectionError) and error.args else error
    advice: str | None = None
    if isinstance(cause, ssl.SSLError):
        text, advice = tls_failures.handshake_failure(cause, host, cluster)
        return WireError(ErrorCode.CONNECTION_FAILED, f"{where}: {text}", advice)
    if isinstance(error, OSError):
        return WireError(ErrorCode.CONNECTION_FAILED, f"{where}: {type(error).__name__}: {error}")
    if isinstance(error, NotKafkaError):
        if error.protocol == "TLS":
            advice = f"set clusters.{cluster.name}.security_protocol to SSL or SASL_SSL"
            return WireError(ErrorCode.CONNECTION_FAILED, f"{where}: this listener speaks TLS", advice)
        advice = f"correct clusters.{cluster.name}.bootstrap_servers"
        return WireError(ErrorCode.CONNECTION_FAILED, f"{where}: {error}", advice)
    if not isinstance(error, kafka_errors.KafkaError):
        text = f"{where}: an answer that makes no sense: {error!r}"
        return WireError(ErrorCode.MALFORMED_RESPONSE, text)
    code = next((code for kind, code in _CODES if isinstance(error, kind)), ErrorCode.CONNECTION_FAILED)
    text = words(error)
    if code == ErrorCode.FRAME_TOO_LARGE:
        text = f"a response is larger than collect.receive_message_max_bytes ({largest:,}): {text}"
    if isinstance(error, CredentialUnavailableError):
        advice = f"check clusters.{cluster.name}.sasl.{error.look_at}"
    return WireError(code, f"{where}: {text}", advice)


def words(error: Exception) -> str:
    """The message of kafka-python in one line, without its numbers and class names."""
    text = " ".join(str(error).split())
    return re.sub(r"^(\[Error \d+\] )?(\w+Error: )*", "", text) or type(error).__name__
