"""SCRAM (RFC 5802, 7677), as strict as Kafka's own client: a malformed or weak answer ends before the proof is sent.

kafka-python reads the two messages of a server loosely: a missing field is a KeyError,
invalid base64 is an empty salt, and one iteration is enough. A proof of few iterations reveals the
password to everybody who sees the proof, and the server proves its identity only after that.
This module accepts the messages that `org.apache.kafka.common.security.scram.internals.ScramMessages` accepts,
with at least the iterations that `ScramMechanism` demands.
"""

import re
from base64 import b64decode
from hmac import compare_digest
from typing import Any

from kafka import errors as kafka_errors
from kafka.net.sasl.abc import SaslMechanism
from kafka.net.sasl.scram import ScramClient

MIN_ITERATIONS = {"SCRAM-SHA-256": 4096, "SCRAM-SHA-512": 4096}
MAX_ITERATIONS = 1_000_000
"""kafka-python's limit: more iterations would occupy a core for seconds."""

_MESSAGES = 2
"""Messages of a server."""
_BASE64 = r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?"
_EXTENSIONS = r"(?:,[A-Za-z]+=[^,\x00]+)*"
_FIRST = re.compile(rf"r=([\x21-\x2b\x2d-\x7e]+),s=({_BASE64}),i=([0-9]{{1,18}}){_EXTENSIONS}")
_FINAL = re.compile(rf"(?:e=([^,\x00]+)|v=({_BASE64})){_EXTENSIONS}")


class Scram(SaslMechanism):  # type: ignore[misc]  # kafka-python has no types
    """The exchange of one connection: two messages of ours, and two of the server."""

    def __init__(self, **config: Any) -> None:
        """Take user, password and mechanism."""
        self.mechanism = config["sasl_mechanism"]
        self._client = ScramClient(config["sasl_plain_username"], config["sasl_plain_password"], self.mechanism)
        self._received = 0

    def auth_bytes(self) -> bytes:
        """The next message to send."""
        message: bytes = self._client.final_message() if self._received else self._client.first_message()
        return message

    def receive(self, auth_bytes: bytes) -> None:
        """Check a message of the server, then take it. Raises SaslAuthenticationFailedError."""
        if self._received:
            self._check_final(_text(auth_bytes))
        else:
            self._check_first(_text(auth_bytes))
            self._client.process_server_first_message(auth_bytes)
        self._received += 1

    def is_done(self) -> bool:
        """Whether both messages of the server were accepted."""
        return self._received == _MESSAGES

    def is_authenticated(self) -> bool:
        """The same: the last message proves that the server knows the password."""
        return self.is_done()

    def _check_first(self, message: str) -> None:
        match = _FIRST.fullmatch(message)
        if not match:
            raise _failed("its first message is not one of SCRAM")
        nonce, _, iterations = match[1], match[2], int(match[3])
        if not nonce.startswith(self._client.nonce.decode()):
            raise _failed("its nonce does not begin with ours")
        least = MIN_ITERATIONS[self.mechanism]
        if iterations < least:
            raise _failed(
                f"it asks for {iterations} iterations, {self.mechanism} needs at least {least}: no proof was sent, "
                "for a weak one tells the password"
            )
        if iterations > MAX_ITERATIONS:
            raise _failed(f"it asks for {iterations} iterations, at most {MAX_ITERATIONS} are computed")

    def _check_final(self, message: str) -> None:
        match = _FINAL.fullmatch(message)
        if not match:
            raise _failed("its last message is not one of SCRAM")
        if match[1]:
            raise _failed(f"it says {match[1]}")
        if not compare_digest(b64decode(match[2]), self._client.server_signature):
            raise _failed("its signature is wrong: it does not know the password")


def _text(message: bytes) -> str:
    try:
        return message.decode()
    except UnicodeDecodeError:
        raise _failed("its message is not UTF-8") from None


def _failed(why: str) -> kafka_errors.KafkaError:
    return kafka_errors.SaslAuthenticationFailedError(f"the broker's SCRAM exchange was refused: {why}")
