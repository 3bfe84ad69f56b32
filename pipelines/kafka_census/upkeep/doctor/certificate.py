"""Certificates of servers, read whether or not the client accepts them."""

import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cryptography import x509

from kafka_census.kafka.protocol import tls
from kafka_census.kafka.protocol.settings import Ssl
from kafka_census.upkeep.doctor.addresses import AddressInfo, connected


@dataclass(frozen=True)
class Certificate:
    """The subject, the names and the validity of a certificate.

    subject, issuer  in the notation of RFC 4514: CN=broker,O=example
    names            host names and IP addresses for which the certificate is valid
    """

    subject: str
    issuer: str
    names: tuple[str, ...]
    begins: datetime
    ends: datetime

    def __str__(self) -> str:
        """A summary in half a line."""
        names = ", ".join(self.names) or "no host"
        return f"{self.subject or 'no subject'} for {names}, valid until {self.ends:%Y-%m-%d %H:%MZ}"


def of_server(host: str, addresses: Sequence[AddressInfo], files: Ssl, timeout_s: float) -> Certificate | None:
    """The certificate of a server whose chain and host name are accepted; None where its text cannot be read.

    Raises ssl.SSLError and OSError; ValueError for a host that is not a name.
    """
    return _read(_presented(host, addresses, tls.context(files), timeout_s))


def unverified(host: str, addresses: Sequence[AddressInfo], files: Ssl, timeout_s: float) -> Certificate | None:
    """The certificate of a server that is not accepted; None where there is none, or where it cannot be read.

    This serves only to report the reason: no data are sent on that connection.
    """
    context = tls.context(files)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        return _read(_presented(host, addresses, context, timeout_s))
    except (OSError, ValueError):
        return None


def _presented(host: str, addresses: Sequence[AddressInfo], context: ssl.SSLContext, timeout_s: float) -> bytes:
    with (
        connected(addresses, timeout_s) as plain,
        context.wrap_socket(plain, server_hostname=host) as secured,
    ):
        return secured.getpeercert(binary_form=True) or b""


def _read(der: bytes) -> Certificate | None:
    """The certificate; None where it cannot be read: OpenSSL may accept what this library does not."""
    try:
        made = x509.load_der_x509_certificate(der)
        return Certificate(
            made.subject.rfc4514_string(),
            made.issuer.rfc4514_string(),
            _names(made),
            made.not_valid_before_utc,
            made.not_valid_after_utc,
        )
    except Exception:  # noqa: BLE001 - the library's errors have no base, and the server chose the bytes
        return None


def _names(made: x509.Certificate) -> tuple[str, ...]:
    try:
        found = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ()
    hosts = found.get_values_for_type(x509.DNSName)
    return (*hosts, *map(str, found.get_values_for_type(x509.IPAddress)))
