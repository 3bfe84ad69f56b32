"""Converts stores of keys and certificates to PEM for OpenSSL: PKCS#12, and Java's own formats JKS and JCEKS.

Of several keys in a store the first one is used. The reader of Java's own formats is imported for those alone.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_der_private_key,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import (
    PKCS12Certificate,
    PKCS12KeyAndCertificates,
    load_pkcs12,
)
from cryptography.x509 import Certificate, load_der_x509_certificate

from kafka_census.kafka.protocol.private_file import private_file

Store = PKCS12KeyAndCertificates

JAVAS_OWN = (b"\xfe\xed\xfe\xed", b"\xce\xce\xce\xce")
"""The first bytes of JKS and of JCEKS."""


class KeyShut(Exception):
    """The password does not open the key in a store that is open."""


def opened(data: bytes, password: str | None, key_password: str | None = None) -> Store:
    """The content of a store.

    password      of the store; None skips the check of a store of Java's own format, as Java does
    key_password  of the key in a store of Java's own format; None leaves the key out

    Raises ValueError for another format and for a wrong password, KeyShut for a wrong password of the key.
    """
    if data.startswith(JAVAS_OWN):
        return _of_java(data, password, key_password)
    return load_pkcs12(data, None if password is None else password.encode())


def _of_java(data: bytes, password: str | None, key_password: str | None) -> Store:
    import jks

    try:
        store = jks.KeyStore.loads(data, password, try_decrypt_keys=False)
        chain, key = [], None
        for entry in list(store.private_keys.values())[:1]:
            chain = [load_der_x509_certificate(found) for _, found in entry.cert_chain]
            if key_password is not None:
                entry.decrypt(key_password)
                key = load_der_private_key(entry.pkey_pkcs8, None)
    except jks.DecryptionFailureException:
        raise KeyShut from None
    except Exception as error:
        raise ValueError("not a store that this password opens") from error
    trusted = [PKCS12Certificate(load_der_x509_certificate(entry.cert), None) for entry in store.certs.values()]
    own = [PKCS12Certificate(found, None) for found in chain]
    return Store(key, own[0] if own else None, [*own[1:], *trusted])


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
