"""Creates a TLS context from PEM, PKCS#12 or JKS files; an error names the setting of the file.

Files that a task carries (`Ssl.carried`) are used like files on this machine.
OpenSSL never asks for a password at the terminal: an encrypted key without `ssl.password` is an error.
The reader of stores is imported only for them.
"""

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from kafka_census.kafka.protocol.private_file import private_file
from kafka_census.kafka.protocol.settings import Ssl

if TYPE_CHECKING:
    from kafka_census.kafka.protocol.key_stores import Store

_CERTIFICATE = re.compile(rb"-----BEGIN [A-Z0-9 ]*CERTIFICATE-----")
_KEY = re.compile(rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----")
_STORE = (b"\x30", b"\xfe\xed\xfe\xed", b"\xce\xce\xce\xce")
"""The first bytes of PKCS#12, JKS and JCEKS."""


class TlsFileError(Exception):
    """A file or password of `ssl` cannot be used; `setting` is its key."""

    def __init__(self, setting: str, message: str) -> None:
        """`message` is the reason, in half a line."""
        super().__init__(message)
        self.setting = setting


@dataclass
class _Password:
    """The password of the private key, and whether OpenSSL asked for it. Without one, asking is an error."""

    text: str | None
    keyfile: str
    asked: bool = False

    def __call__(self) -> str:
        self.asked = True
        if self.text is None:
            raise TlsFileError("password", f"is not set, and the private key in '{self.keyfile}' is encrypted")
        return self.text


def context(files: Ssl) -> ssl.SSLContext:
    """The TLS context of a client. Raises TlsFileError."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.check_hostname = files.check_hostname
    if files.cafile is None:
        made.load_default_certs()
    else:
        _trust(made, files, files.cafile)
    if files.certfile is not None:
        _load_own(made, files, files.certfile)
    return made


def own_subject(files: Ssl) -> str | None:
    """The subject of our certificate in the notation of RFC 4514, the name for brokers; None without a certificate.

    Raises TlsFileError.
    """
    if files.certfile is None:
        return None
    from cryptography import x509

    store = _store(files, "certfile", files.certfile)
    if store is not None:
        found = store.cert.certificate if store.cert else None
    else:
        found = x509.load_pem_x509_certificates(_read(files, "certfile", files.certfile))[0]
    return found.subject.rfc4514_string() if found else None


def _trust(made: ssl.SSLContext, files: Ssl, cafile: str) -> None:
    """Trust the authorities in a file."""
    store = _store(files, "cafile", cafile)
    try:
        if store is None:
            _require(files, "cafile", cafile, _CERTIFICATE, "certificate")
            with _on_disk(files, cafile) as path:
                made.load_verify_locations(path)
            return
        from kafka_census.kafka.protocol import key_stores

        found = key_stores.certificates(store)
        if not found:
            raise TlsFileError("cafile", f"'{cafile}' holds no certificate")
        made.load_verify_locations(cadata=key_stores.as_pem(found))
    except ssl.SSLError as error:
        raise TlsFileError("cafile", f"'{cafile}' is damaged ({error.reason})") from None


def _load_own(made: ssl.SSLContext, files: Ssl, certfile: str) -> None:
    """Load our certificate and its key."""
    store = _store(files, "certfile", certfile)
    if store is None:
        _load_pem(made, files, certfile)
        return
    from kafka_census.kafka.protocol import key_stores

    if files.keyfile is not None:
        raise TlsFileError("keyfile", f"is to be left out: '{certfile}' is a store, which holds the key")
    if store.cert is not None and store.key is None and files.password is None and files.key_password is None:
        raise TlsFileError("password", f"is not set, and the private key in '{certfile}' is encrypted")
    if store.key is None or store.cert is None:
        raise TlsFileError("certfile", f"'{certfile}' holds no private key with its certificate")
    with key_stores.key_file(store) as (path, password):
        try:
            made.load_cert_chain(path, password=password)
        except ssl.SSLError as error:
            raise TlsFileError("certfile", f"'{certfile}' cannot be used ({error.reason or 'damaged'})") from None


def _store(files: Ssl, setting: Literal["cafile", "certfile"], path: str) -> "Store | None":
    """The content of a PKCS#12 or JKS store; None for a file in another format, such as PEM."""
    password_setting = "cafile_password" if setting == "cafile" else "password"
    password = files.cafile_password if setting == "cafile" else files.password
    data = _read(files, setting, path)
    if not data.startswith(_STORE):
        return None
    from kafka_census.kafka.protocol import key_stores

    of_key = (files.key_password or password) if setting == "certfile" else None
    try:
        return key_stores.opened(data, password.reveal() if password else None, of_key.reveal() if of_key else None)
    except key_stores.KeyShut:
        text = "does not open" if files.key_password else "is not set, and the password of the store does not open"
        raise TlsFileError("key_password", f"{text} the private key in '{path}'") from None
    except ValueError:
        if password is None:
            text = f"is not set, and '{path}' is no store that opens without, nor PEM"
        else:
            text = f"does not open '{path}', or that is neither a PKCS#12 or JKS store nor PEM"
        raise TlsFileError(password_setting, text) from None


def _load_pem(made: ssl.SSLContext, files: Ssl, certfile: str) -> None:
    keyfile, where = (files.keyfile, "keyfile") if files.keyfile else (certfile, "certfile")
    _require(files, "certfile", certfile, _CERTIFICATE, "certificate")
    _require(files, where, keyfile, _KEY, "private key")
    password = _Password(files.password.reveal() if files.password else None, keyfile)
    try:
        with _on_disk(files, certfile) as own, _on_disk(files, keyfile) as key:
            made.load_cert_chain(own, key, password)
    except ssl.SSLError as error:
        if "MISMATCH" in str(error.reason):
            text = f"the private key in '{keyfile}' does not belong to the certificate in '{certfile}'"
        elif password.asked:
            raise TlsFileError("password", f"does not open the private key in '{keyfile}'") from None
        else:
            text = f"'{keyfile}' or the certificate in '{certfile}' cannot be used ({error.reason or 'damaged'})"
        raise TlsFileError(where, text) from None
    except ValueError:
        raise TlsFileError("password", "is longer than OpenSSL takes (1,023 bytes)") from None


@contextmanager
def _on_disk(files: Ssl, path: str) -> Iterator[str]:
    """One of the files by its path here, or a private copy of what came along, which is gone at the end."""
    if path not in files.carried:
        yield path
        return
    with private_file(files.carried[path]) as copy:
        yield copy


def _require(files: Ssl, setting: str, path: str, what: re.Pattern[bytes], name: str) -> None:
    if not what.search(_read(files, setting, path)):
        raise TlsFileError(setting, f"'{path}' holds no {name} in PEM format")


def _read(files: Ssl, setting: str, path: str) -> bytes:
    try:
        return files.content(path)
    except OSError as error:
        raise TlsFileError(setting, f"'{path}' cannot be read: {error.strerror}") from None
