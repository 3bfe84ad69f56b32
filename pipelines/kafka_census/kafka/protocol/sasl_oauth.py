"""OAUTHBEARER (RFC 7628): sends a token, and reports a refusal with the expiry of the token, if it has one.

kafka-python answers a refusal with a further message and would report only the broker's last answer.
"""

from datetime import UTC, datetime

from kafka import errors as kafka_errors
from kafka.net.sasl.oauth import AbstractTokenProvider, SaslMechanismOAuth

from kafka_census.files.json_object import json_object, quoted
from kafka_census.kafka.protocol.failures import CredentialUnavailableError
from kafka_census.kafka.protocol.no_token import NoToken, TokenRefused
from kafka_census.kafka.protocol.settings import ClientCredentials, Token
from kafka_census.kafka.protocol.tokens import claims, tokens_of


class Provider(AbstractTokenProvider):  # type: ignore[misc]  # kafka-python has no types
    """Provides the tokens of a source to a connection, which waits up to `timeout_s` seconds for a token."""

    def __init__(self, source: Token | ClientCredentials, timeout_s: float) -> None:
        """Set up without a request."""
        self._source, self._timeout_s = source, timeout_s
        self.sent = ""

    def token(self) -> str:
        """The token to send. Raises CredentialUnavailableError and SaslAuthenticationFailedError."""
        try:
            self.sent = tokens_of(self._source).current(self._timeout_s)
        except NoToken as error:
            raise CredentialUnavailableError(str(error), "oauth, and the way to the token endpoint") from None
        except TokenRefused as error:
            raise kafka_errors.SaslAuthenticationFailedError(str(error)) from None
        return self.sent


class OAuth(SaslMechanismOAuth):  # type: ignore[misc]  # kafka-python has no types
    """The exchange of one connection."""

    def receive(self, auth_bytes: bytes) -> None:
        """Take the broker's answer, which is empty on success. Raises SaslAuthenticationFailedError."""
        if auth_bytes:
            raise kafka_errors.SaslAuthenticationFailedError(
                # RFC 7628, 3.2.2.
                f"the broker refused the token{quoted(json_object(auth_bytes).get('status'))}"
                f"{_expired(self.token_provider.sent)}"
            )
        super().receive(auth_bytes)


def _expired(token: str) -> str:
    """The time at which a token expired, by its claim and our clock; empty for another token."""
    ends = claims(token).get("exp")
    if not isinstance(ends, int | float) or not 0 < ends < datetime.now(UTC).timestamp():
        return ""
    return f": it expired at {datetime.fromtimestamp(ends, UTC):%Y-%m-%d %H:%M:%SZ}"
