"""Kerberos tickets for GSSAPI: MIT's library requests tickets from the KDC with a keytab, or reads a ticket cache.

`KRB5_CONFIG`, or else /etc/krb5.conf, names realms and KDCs. The tickets of a keytab stay in the memory of the process,
where the library renews them at half their lifetime. The library reads a keytab from a file in memory: the keytab is on
no disk, and ends with the process. No peer receives the keys of a keytab, so no peer can echo them: `redaction` does
not look for them.
"""

import os
import sys
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec
from threading import Lock
from typing import Any

from kafka_census.kafka.protocol.settings import Kerberos
from kafka_census.threads import within

_LATER = {-1765328228: "KRB5_KDC_UNREACH", -1765328355: "KRB5KDC_ERR_SVC_UNAVAILABLE"}
"""Errors after which a later request may succeed."""
_NO_CACHE = -1765328189
"""KRB5_FCC_NOFILE: the cache has no ticket, and the keytab no key of the principal."""

_SIGNED_IN: dict[Kerberos, str] = {}
"""The principal of the last ticket."""


class NoTicket(Exception):
    """No ticket is available now; a ticket may be available later."""


class TicketRefused(Exception):
    """The KDC refused a ticket, there is no keytab or cache to use, or the package is not installed."""


def require_package() -> None:
    """Raises TicketRefused when the package gssapi is not installed, or MIT's library is missing."""
    if sys.platform != "linux":
        raise TicketRefused("only on Linux")
    install = "pip install 'kafka-census[kerberos]', which compiles it: apt-get install gcc libkrb5-dev"
    if find_spec("gssapi") is None:
        raise TicketRefused(f"the package gssapi is not installed: {install}")
    try:
        import gssapi  # noqa: F401
    except ImportError as error:
        raise TicketRefused(f"the package gssapi cannot be used ({error}): {install}") from None


def user(kerberos: Kerberos) -> str | None:
    """The first part of the principal, by which brokers know a user by default. None before the first ticket."""
    principal = kerberos.principal or _SIGNED_IN.get(kerberos)
    return principal and principal.partition("@")[0].partition("/")[0]


class Tickets:
    """Provides the tickets of a principal to a connection, which waits up to `timeout_s` seconds for a ticket."""

    def __init__(self, kerberos: Kerberos, timeout_s: float) -> None:
        """Set up without a request."""
        self._kerberos, self._timeout_s = kerberos, timeout_s

    def context(self, host: str) -> tuple[Any, bytes]:
        """A security context with the broker on a host, and its first token. Raises NoTicket and TicketRefused.

        The library retries every KDC before it gives up, which takes longer than a connection waits: hence the thread.
        """
        require_package()
        try:
            return within(self._timeout_s, lambda: self._asked(host))
        except TimeoutError:
            raise NoTicket(f"the KDC gave no ticket within {self._timeout_s:g} s") from None

    def _asked(self, host: str) -> tuple[Any, bytes]:
        import gssapi
        from gssapi.exceptions import GSSError

        kerberos = self._kerberos
        principal = kerberos.principal
        try:
            service = gssapi.Name(f"{kerberos.service_name}@{host}", gssapi.NameType.hostbased_service)
            with _store(kerberos) as store, _one_at_a_time(kerberos):
                name = gssapi.Name(principal, gssapi.NameType.kerberos_principal) if principal else None
                credentials = gssapi.Credentials(name=name, usage="initiate", store=store)
                context = gssapi.SecurityContext(
                    name=service, creds=credentials, mech=gssapi.MechType.kerberos, usage="initiate"
                )
                token = context.step(None)
                _SIGNED_IN[kerberos] = str(credentials.name)
        except GSSError as error:
            raise _explained(error, f"{kerberos.service_name}/{host}", kerberos) from None
        return context, token


@lru_cache(maxsize=64)
def _one_at_a_time(_of: Kerberos) -> Lock:
    """The library empties a cache before it stores a new ticket: other threads must not read the cache meanwhile."""
    return Lock()


@contextmanager
def _store(kerberos: Kerberos) -> Iterator[dict[str, str]]:
    """The keytab and the ticket cache for MIT's library (a credential store)."""
    if kerberos.keytab is None:
        yield {"ccache": kerberos.ticket_cache} if kerberos.ticket_cache else {}
        return
    content = b64decode(kerberos.keytab.current().reveal())
    descriptor = os.memfd_create("keytab")
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(content)
        # A cache of its own: the tickets of a keytab must not serve another keytab.
        cache = f"MEMORY:{sha256(repr(kerberos).encode() + content).hexdigest()}"
        yield {"client_keytab": f"FILE:/proc/self/fd/{descriptor}", "ccache": cache}
    finally:
        os.close(descriptor)


def words(error: Any) -> str:
    """The message of a GSSError in one line: that of MIT's library, or else the general message of GSSAPI.

    Of a ticket that expired while it was read the library says "Success", and only GSSAPI what happened.
    """
    own = error.get_all_statuses(error.min_code, False) if error.min_code else []
    statuses = [text for text in own if text != "Success"]
    return "; ".join(statuses or error.get_all_statuses(error.maj_code, True))


def _explained(error: Any, service: str, kerberos: Kerberos) -> NoTicket | TicketRefused:
    code = error.min_code - (1 << 32)
    if code == _NO_CACHE and kerberos.keytab is not None:
        said = f"{kerberos.keytab.file or 'the keytab'} has no key of {kerberos.principal}"
    else:
        said = words(error)
    text = f"no Kerberos ticket for {service}: {said}"
    return NoTicket(text) if code in _LATER else TicketRefused(text)
