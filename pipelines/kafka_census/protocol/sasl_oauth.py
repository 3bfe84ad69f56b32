"""OAUTHBEARER (RFC 7628): a token is sent, and a refusal is reported with what can be seen of the token.

kafka-python answers a refusal with one more message, and what the broker says then is all that is left of it.
"""

import json
from datetime import UTC, datetime

from kafka import errors as kafka_errors
from kafka.net.sasl import register_sasl_mechanism
from kafka.net.sasl.oauth import AbstractTokenProvider, SaslMechanismOAuth

from kafka_census.protocol.settings import ClientCredentials, Token
from kafka_census.protocol.tokens import NoToken, TokenRefused, claims, tokens_of


class NoTokenError(kafka_errors.KafkaConnectionError):  # type: ignore[misc]  # kafka-python has no types
    """There is no token now; there may be one later."""


class Provider(AbstractTokenProvider):  # type: ignore[misc]  # kafka-python has no types
    """The tokens of a source for a connection, which waits for one so many seconds."""

    def __init__(self, source: Token | ClientCredentials, timeout_s: float) -> None:
        """Nothing is asked here."""
        self._source, self._timeout_s = source, timeout_s
        self.sent = ""

    def token(self) -> str:
        """The token to send. Raises NoTokenError and SaslAuthenticationFailedError."""
        try:
            self.sent = tokens_of(self._source).current(self._timeout_s)
        except NoToken as error:
            raise NoTokenError(str(error)) from None
        except TokenRefused as error:
            raise kafka_errors.SaslAuthenticationFailedError(str(error)) from None
        return self.sent


class OAuth(SaslMechanismOAuth):  # type: ignore[misc]  # kafka-python has no types
    """The exchange of one connection."""

    def receive(self, auth_bytes: bytes) -> None:
        """Take the broker's answer, which is empty where we are let in. Raises SaslAuthenticationFailedError."""
        if auth_bytes:
            raise kafka_errors.SaslAuthenticationFailedError(
                f"the broker refused the token{_status(auth_bytes)}{_expired(self.token_provider.sent)}"
            )
        super().receive(auth_bytes)


def _status(answer: bytes) -> str:
    """The word that a refusal has (RFC 7628, 3.2.2)."""
    try:
        return f" ({json.loads(answer)['status']})"
    except (ValueError, KeyError, TypeError):
        return ""


def _expired(token: str) -> str:
    """When a token has ended, by its own words and our clock."""
    ends = claims(token).get("exp")
    if not isinstance(ends, int | float) or not 0 < ends < datetime.now(UTC).timestamp():
        return ""
    return f": it expired at {datetime.fromtimestamp(ends, UTC):%Y-%m-%d %H:%M:%SZ}"


def register() -> None:
    """Have kafka-python use this OAUTHBEARER, in the whole process."""
    register_sasl_mechanism("OAUTHBEARER", OAuth, overwrite=True)
