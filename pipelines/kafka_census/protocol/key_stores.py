"""Stores of keys and certificates in PKCS#12, as Java has them, made into PEM for OpenSSL."""

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat
from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12KeyAndCertificates, load_pkcs12
from cryptography.x509 import Certificate

Store = PKCS12KeyAndCertificates


def opened(data: bytes, password: str | None) -> Store:
    """What is in a PKCS#12 store. Raises ValueError where it is none, or the password is another."""
    return load_pkcs12(data, None if password is None else password.encode())


def certificates(store: Store) -> list[Certificate]:
    """All certificates of a store, that of its key first."""
    own = [store.cert] if store.cert else []
    return [one.certificate for one in (*own, *store.additional_certs)]


def as_pem(found: list[Certificate]) -> str:
    """Certificates, one after the other."""
    return "".join(one.public_bytes(Encoding.PEM).decode() for one in found)


@contextmanager
def key_file(store: Store) -> Iterator[tuple[str, str]]:
    """A file with the key and the certificates of a store, and the password of the key in it.

    OpenSSL reads keys from files alone. This one is ours to read, is encrypted by a password that nobody else has, and
    is gone at the end.
    """
    password = secrets.token_urlsafe()
    encryption = BestAvailableEncryption(password.encode())
    key = store.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption) if store.key else b""
    descriptor, path = tempfile.mkstemp(suffix=".pem")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(key + as_pem(certificates(store)).encode())
        yield path, password
    finally:
        os.unlink(path)  # noqa: PTH108 - as mkstemp gave it
