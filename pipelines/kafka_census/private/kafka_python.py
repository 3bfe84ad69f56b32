"""kafka-python: its SASL mechanisms and loggers, of the whole process; an exchange of GSSAPI; a first request of ours.

Private are the fields of `SaslMechanismGSSAPI`: `_client_ctx`, `_next_token`, `_is_done` and `_is_authenticated`; and
of `KafkaConnection` the methods `_get_api_versions`, which `initialize` calls before SASL, and `_send_request`. The
client is made of public methods of `kafka.net` and `kafka.protocol.parser`, which kafka-python does not document.
Tried on kafka-python 3.0.12. A release that is not 3.0 is refused on import, since it may decode or authenticate in
another way. What kafka-python's generated decoders lack is in `kafka_messages.decoding`, for the emulator as well.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from kafka import __version__
from kafka.net.connection import KafkaConnection
from kafka.net.sasl import register_sasl_mechanism
from kafka.net.sasl.abc import SaslMechanism
from kafka.net.sasl.gssapi import SaslMechanismGSSAPI
from kafka.protocol.broker_version_data import BrokerVersionData

from kafka_census.errors import ConfigError

_TRIED = "3.0.12"


def require_tried(version: str) -> None:
    """Raise ConfigError for a release of kafka-python that was not tried."""
    if version.split(".")[:2] != _TRIED.split(".")[:2]:
        raise ConfigError(
            f"kafka-python {version} is installed, and this census was tried on {_TRIED}: "
            f"pip install 'kafka-python~={_TRIED}'"
        )


def use_mechanisms(mechanisms: Mapping[str, type[SaslMechanism]]) -> None:
    """Make kafka-python use these classes for SASL, in the whole process."""
    for name, mechanism in mechanisms.items():
        register_sasl_mechanism(name, mechanism, overwrite=True)


def log_nothing() -> None:
    """Switch kafka-python's loggers off: at debug level they hold SASL tokens."""
    logging.getLogger("kafka").setLevel(logging.CRITICAL + 1)


class OwnFirstRequest(KafkaConnection):  # type: ignore[misc]  # kafka-python has no types
    """kafka-python's connection, whose subclass asks for the API versions of the broker."""

    async def api_versions(self, ask: Callable[[Any], Awaitable[Any]]) -> Any:
        """The broker's response to ApiVersions; `ask` returns the response to a request."""
        raise NotImplementedError

    async def _get_api_versions(self, timeout_at: float | None = None) -> None:
        answer = await self.api_versions(partial(self._send_request, timeout_at=timeout_at))
        versions = {one.api_key: (one.min_version, one.max_version) for one in answer.api_keys}
        self.broker_version_data = BrokerVersionData(api_versions=versions)


class GssapiExchange(SaslMechanismGSSAPI):  # type: ignore[misc]  # kafka-python has no types
    """kafka-python's exchange of GSSAPI in a security context that exists; kafka-python would use the default cache."""

    def __init__(self, context: Any, first_token: bytes) -> None:
        self._is_done = self._is_authenticated = False
        # Empty: the user is the principal of the ticket. kafka-python sends the name of the broker's service.
        self.auth_id = ""
        self._client_ctx, self._next_token = context, first_token


require_tried(__version__)
