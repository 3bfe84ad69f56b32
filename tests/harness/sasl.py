"""The broker's side of SASL for a stand-in, correct or rogue: `StandIn({**sasl(Scram()), ListGroupsRequest: ...})`."""

import base64
import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kafka.protocol.sasl import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)

FAILED = 58


def sasl(
    answer: Callable[[bytes], Any], mechanisms: tuple[str, ...] = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
) -> Any:
    """Scripts of a broker with these mechanisms; `answer` is called with each token.

    It returns the bytes of an answer, the text of a refusal, or a whole response (or `Act`).
    """

    def authenticate(request: Any, _n: int) -> Any:
        found = answer(request.auth_bytes)
        if isinstance(found, str):
            told = {"error_code": FAILED, "error_message": found, "auth_bytes": b""}
        elif isinstance(found, bytes):
            told = {"error_code": 0, "error_message": None, "auth_bytes": found}
        else:
            return found
        return SaslAuthenticateResponse(**told, session_lifetime_ms=0)

    handshake = SaslHandshakeResponse(error_code=0, mechanisms=list(mechanisms))
    return {SaslHandshakeRequest: handshake, SaslAuthenticateRequest: authenticate}


def accepting(_token: bytes) -> bytes:
    return b""


@dataclass
class Scram:
    """The SCRAM of one user. A rogue broker changes a message: `first` or `final`, as text or as bytes.

    tokens  the tokens of the client, in order
    """

    password: str
    mechanism: str = "SCRAM-SHA-256"
    iterations: int = 4096
    first: Callable[[str], str | bytes] = str
    final: Callable[[str], str | bytes] = str

    def __post_init__(self) -> None:
        self.tokens: list[bytes] = []
        self._sent = b""

    def __call__(self, token: bytes) -> bytes:
        self.tokens.append(token)
        if token.startswith(b"n,,"):
            nonce = token.partition(b",r=")[2].decode()
            salt = base64.b64encode(b"salt-of-the-user").decode()
            self._sent = _bytes(self.first(f"r={nonce}server,s={salt},i={self.iterations}"))
            return self._sent
        first_bare, without_proof = self.tokens[-2][3:], token.rpartition(b",p=")[0]
        name = self.mechanism.removeprefix("SCRAM-").replace("-", "").lower()
        salted = hashlib.pbkdf2_hmac(name, self.password.encode(), b"salt-of-the-user", self.iterations)
        server_key = hmac.new(salted, b"Server Key", name).digest()
        signed = b",".join((first_bare, self._sent, without_proof))
        signature = base64.b64encode(hmac.new(server_key, signed, name).digest()).decode()
        return _bytes(self.final(f"v={signature}"))


def _bytes(message: str | bytes) -> bytes:
    return message.encode() if isinstance(message, str) else message
