"""Tokens for OAUTHBEARER: as somebody else left one in a file, or from a token endpoint by client credentials.

A token of an endpoint is asked for once per process and is used for `REFRESH_AT` of its lifetime, as Kafka's own client
does. Who hides secrets asks here for those that came after the configuration: nothing of Kafka's client is imported.
"""

import re
import time
from base64 import urlsafe_b64decode
from collections import deque
from collections.abc import Callable, Mapping
from functools import lru_cache
from threading import Lock
from typing import Any
from urllib.parse import quote_plus

from kafka_census.files.json_object import json_object
from kafka_census.kafka.protocol import kerberos
from kafka_census.kafka.protocol.no_token import NoToken, TokenRefused
from kafka_census.kafka.protocol.settings import ClientCredentials, Sasl, Token

REFRESH_AT = 0.8
"""Share of a token's lifetime after which the next one is asked for: `sasl.login.refresh.window.factor` of Kafka."""

_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
"""RFC 6750, 2.1."""


class Tokens:
    """The tokens of one source, and which were given last."""

    def __init__(self, source: Token | ClientCredentials, now: Callable[[], float] = time.monotonic) -> None:
        """Nothing is asked or read here."""
        self._source = source
        self._now = now
        self._lock = Lock()
        self._refresh_at = self._ends_at = now()
        self._given: deque[str] = deque(maxlen=2)

    @property
    def given(self) -> tuple[str, ...]:
        """The last token, and the one before it, of which somebody may still speak."""
        return tuple(self._given)

    def current(self, timeout_s: float) -> str:
        """The token to authenticate with now. Raises NoToken and TokenRefused, without secrets of ours."""
        until = time.monotonic() + timeout_s
        if not self._lock.acquire(timeout=timeout_s):
            raise NoToken("the token endpoint: no answer in time")
        try:
            if isinstance(self._source, Token):
                self._take(self._source.current().reveal(), self._source.file or "sasl.oauth.token")
            elif self._now() >= self._refresh_at:
                self._renew(self._source, max(0.001, until - time.monotonic()))
            return self._given[-1]
        finally:
            self._lock.release()

    def _renew(self, source: ClientCredentials, timeout_s: float) -> None:
        """Ask for the next token; where there is none now, the one that is held serves until it ends."""
        # Here, for a job that only hides tokens asks nobody.
        from kafka_census.kafka.protocol.token_endpoint import asked

        began = self._now()
        try:
            text, lifetime_s = asked(source, timeout_s)
        except NoToken:
            if self._now() >= self._ends_at:
                raise
            return
        self._take(text, "what the token endpoint gave")
        self._refresh_at, self._ends_at = began + lifetime_s * REFRESH_AT, began + lifetime_s

    def _take(self, text: str, where: str) -> None:
        """Make a text the token, the last of all that were given. Raises TokenRefused.

        The exchange has separators of its own, which no token may hold.
        """
        if not _TOKEN.fullmatch(text):
            raise TokenRefused(f"{where} is no token: those are letters, digits and -._~+/=")
        if text in self._given:
            self._given.remove(text)
        self._given.append(text)


@lru_cache(maxsize=64)
def tokens_of(source: Token | ClientCredentials) -> Tokens:
    """The tokens of a source in this process."""
    return Tokens(source)


def secrets_of(source: Token | ClientCredentials) -> set[str]:
    """The client's secret, and what makes the tokens of a source worth something, as far as this process knows them.

    Of a signed one (RFC 7515) that is its signature; what stands before it is no secret, and takes long to look for.
    The client's secret is sent in base64 of its percent-encoded form, which is looked for as a secret of its own.
    """
    given = tokens_of(source).given
    if isinstance(source, Token):
        return {_signature(token) for token in (source.text.reveal(), *given)}
    secret = source.client_secret.reveal()
    return {secret, quote_plus(secret), *map(_signature, given)}


def _signature(token: str) -> str:
    """The last part of a token; all of one that has no parts."""
    return token.rpartition(".")[2]


def claims(token: str) -> Mapping[str, Any]:
    """What a JWT says, unverified; nothing where it is not one."""
    parts = token.split(".")
    try:
        return json_object(urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (IndexError, ValueError):
        return {}


def user(sasl: Sasl) -> str | None:
    """The principal that brokers see: the username, the `sub` of the latest token, or the client id.

    With Kerberos the first part of the principal. None where only brokers know.
    """
    if sasl.kerberos is not None:
        return kerberos.user(sasl.kerberos)
    if sasl.oauth is None:
        return sasl.username
    given = tokens_of(sasl.oauth).given
    held = given[-1] if given else sasl.oauth.current().reveal() if isinstance(sasl.oauth, Token) else ""
    subject = claims(held).get("sub")
    if isinstance(subject, str) and subject:
        return subject
    return sasl.oauth.client_id if isinstance(sasl.oauth, ClientCredentials) else None
