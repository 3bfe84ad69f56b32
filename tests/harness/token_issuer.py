"""An issuer of tokens for OAUTHBEARER: signs JWTs, publishes its key to brokers in a file, serves a token endpoint.

`TokenIssuer(folder)` signs; `with issuer.endpoint("census", "its secret") as endpoint:` is a token endpoint on loopback
(RFC 6749, 4.4).
"""

import json
import time
import uuid
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, unquote_plus

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from harness.http_server import Answer, served

NAME = "https://issuer.example.org"
LIFETIME_S = 300
_KEY_ID = "the-key"
_HANDLER = "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler"
_MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"


class TokenIssuer:
    """`keys` is the file with the public key, as a JSON Web Key Set."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.keys = folder / "jwks.json"
        self._key = rsa.generate_private_key(65537, 2048)
        public = self._key.public_key().public_numbers()
        key = {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": _KEY_ID}
        key |= {"n": _number(public.n), "e": _number(public.e)}
        self.keys.write_text(json.dumps({"keys": [key]}), encoding="utf-8")

    def token(self, subject: str, lifetime_s: int = LIFETIME_S, **claims: object) -> str:
        """A signed token; all tokens differ."""
        now = int(time.time())
        said = {"iss": NAME, "aud": "kafka", "sub": subject, "iat": now, "exp": now + lifetime_s}
        said |= {"jti": str(uuid.uuid4())}
        head = {"alg": "RS256", "typ": "JWT", "kid": _KEY_ID}
        text = ".".join(_encoded(json.dumps(part).encode()) for part in (head, {**said, **claims}))
        return f"{text}.{_encoded(self._key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))}"

    def broker_properties(self, prefix: str) -> dict[str, object]:
        """The properties of a broker for a listener; `prefix` as in `listener.name.tokens`."""
        return {
            f"{prefix}.oauthbearer.sasl.jaas.config": f"{_MODULE} required;",
            f"{prefix}.oauthbearer.sasl.server.callback.handler.class": _HANDLER,
            f"{prefix}.sasl.oauthbearer.jwks.endpoint.url": self.keys.as_uri(),
            f"{prefix}.sasl.oauthbearer.expected.issuer": NAME,
            f"{prefix}.sasl.oauthbearer.expected.audience": "kafka",
        }

    @property
    def java_option(self) -> str:
        """The JVM option without which a broker of Kafka 4 reads keys from no file and no URL."""
        return f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={self.keys.as_uri()}"

    @contextmanager
    def endpoint(self, client: str, secret: str, keystore: Path | None = None) -> Iterator["TokenEndpoint"]:
        """A token endpoint for one client, which is the subject of its tokens; by https where `keystore` is given."""
        endpoint = TokenEndpoint((client, secret), self.token)

        def answer(asked: BaseHTTPRequestHandler, body: str) -> Answer:
            form = {key: values[0] for key, values in parse_qs(body).items()}
            return endpoint.answered(asked.headers["Authorization"], form)

        with served(answer, keystore) as url:
            endpoint.url = f"{url}/token"
            yield endpoint


@dataclass
class TokenEndpoint:
    """A running token endpoint.

    answer  a fixed answer to every request: a status, headers, and a body
    asked   the forms of clients with the right secret, in order
    issued  the issued tokens
    """

    client: tuple[str, str]
    issue: Callable[[str], str]
    answer: Answer | None = None
    asked: list[Mapping[str, str]] = field(default_factory=list)
    issued: list[str] = field(default_factory=list)
    url: str = ""

    def answered(self, authorization: str, form: Mapping[str, str]) -> Answer:
        if self.answer is not None:
            return self.answer
        client, _, secret = b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
        client, secret = unquote_plus(client), unquote_plus(secret)
        if self.client != (client, secret) or form.get("grant_type") != "client_credentials":
            said = {"error": "invalid_client", "error_description": f"who is {client},\n with {secret}?"}
            return 401, {}, json.dumps(said).encode()
        self.asked.append(form)
        self.issued.append(self.issue(client))
        said = {"access_token": self.issued[-1], "token_type": "Bearer", "expires_in": LIFETIME_S}
        return 200, {}, json.dumps(said).encode()


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _number(value: int) -> str:
    return _encoded(value.to_bytes((value.bit_length() + 7) // 8))
