"""Converts PKCS#12 stores of keys and certificates, Java's standard format, to PEM for OpenSSL."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat
from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12KeyAndCertificates, load_pkcs12
from cryptography.x509 import Certificate

from kafka_census.kafka.protocol.private_file import private_file

Store = PKCS12KeyAndCertificates


def opened(data: bytes, password: str | None) -> Store:
    """The content of a PKCS#12 store. Raises ValueError for another format and for a wrong password."""
    return load_pkcs12(data, None if password is None else password.encode())


def certificates(store: Store) -> list[Certificate]:
    """All certificates of a store, first the certificate of its key."""
    own = [store.cert] if store.cert else []
    return [one.certificate for one in (*own, *store.additional_certs)]


def as_pem(found: list[Certificate]) -> str:
    """Certificates as PEM text."""
    return "".join(one.public_bytes(Encoding.PEM).decode() for one in found)


@contextmanager
def key_file(store: Store) -> Iterator[tuple[str, str]]:
    """A file with the key and the certificates of a store, and the password of the key in it.

    The key is encrypted with a random password.
    """
    password = secrets.token_urlsafe()
    encryption = BestAvailableEncryption(password.encode())
    key = store.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption) if store.key else b""
    with private_file(key + as_pem(certificates(store)).encode()) as path:
        yield path, password
