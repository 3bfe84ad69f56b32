"""TLS: our files made into a context, and what a failed handshake means, each in words that name the setting.

OpenSSL never asks for a password at the terminal: a key that needs one without `ssl.password` is an error.
"""

import re
import ssl
from dataclasses import dataclass
from pathlib import Path

from kafka_census.protocol.settings import ClusterSettings, Ssl

_CERTIFICATE = re.compile(rb"-----BEGIN [A-Z0-9 ]*CERTIFICATE-----")
_KEY = re.compile(rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----")
_NOT_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL", "RECORD_LAYER_FAILURE", "UNEXPECTED_MESSAGE")
_OF_OUR_CERTIFICATE = re.compile(
    r"ALERT_(CERTIFICATE|BAD_CERTIFICATE|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED|DECRYPT_ERROR)"
)
# OpenSSL's X509_V_ERR_*.
_NOT_YET_VALID, _EXPIRED, _HOST_MISMATCH, _ADDRESS_MISMATCH = 9, 10, 62, 64
_UNTRUSTED = (2, 7, 18, 19, 20, 21, 27)


class TlsFileError(Exception):
    """A file or password of `ssl` that cannot be used; `setting` is its key."""

    def __init__(self, setting: str, message: str) -> None:
        """What is wrong with it, in half a line."""
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
    """What a client connects with. Raises TlsFileError."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.check_hostname = files.check_hostname
    if files.cafile is None:
        made.load_default_certs()
    else:
        _require("cafile", files.cafile, _CERTIFICATE, "certificate")
        try:
            made.load_verify_locations(files.cafile)
        except ssl.SSLError as error:
            raise TlsFileError("cafile", f"'{files.cafile}' is damaged ({error.reason})") from None
    if files.certfile is not None:
        _load_own(made, files, files.certfile)
    return made


def _load_own(made: ssl.SSLContext, files: Ssl, certfile: str) -> None:
    """Our own certificate and its key."""
    keyfile, where = (files.keyfile, "keyfile") if files.keyfile else (certfile, "certfile")
    _require("certfile", certfile, _CERTIFICATE, "certificate")
    _require(where, keyfile, _KEY, "private key")
    password = _Password(files.password.reveal() if files.password else None, keyfile)
    try:
        made.load_cert_chain(certfile, files.keyfile, password)
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


def _require(setting: str, path: str, what: re.Pattern[bytes], name: str) -> None:
    try:
        found = what.search(Path(path).read_bytes())
    except OSError as error:
        raise TlsFileError(setting, f"'{path}' cannot be read: {error.strerror}") from None
    if not found:
        raise TlsFileError(setting, f"'{path}' holds no {name} in PEM format")


def is_alert(error: Exception) -> bool:
    """Whether a transport's error is what the peer itself said of TLS."""
    cause = error.args[0] if error.args else None
    return isinstance(cause, ssl.SSLError) and "ALERT" in str(cause.reason)


def handshake_failure(error: ssl.SSLError, host: str, cluster: ClusterSettings) -> tuple[str, str | None]:
    """What a failed handshake means, and what to correct; None where nobody knows."""
    key = f"clusters.{cluster.name}"
    if isinstance(error, ssl.SSLCertVerificationError):
        return _certificate_failure(error, host, cluster)
    reason = error.reason or str(error)
    if _OF_OUR_CERTIFICATE.search(reason):
        ours = "our certificate" if cluster.ssl.certfile else "that we have no certificate"
        return f"the broker did not accept {ours} ({reason})", f"check {key}.ssl.certfile and {key}.ssl.keyfile"
    if isinstance(error, ssl.SSLEOFError):
        ours = "accept our certificate" if cluster.ssl.certfile else "demand a certificate"
        text = f"the broker hung up in TLS: it may not speak TLS, or {ours}"
        return text, f"check {key}.security_protocol and {key}.ssl.certfile"
    if reason in _NOT_TLS:
        return f"TLS failed ({reason}): this listener does not speak TLS", f"check {key}.security_protocol"
    return f"TLS failed ({reason}): is this listener a TLS one?", None


def _certificate_failure(
    error: ssl.SSLCertVerificationError, host: str, cluster: ClusterSettings
) -> tuple[str, str | None]:
    key, cafile = f"clusters.{cluster.name}.ssl", cluster.ssl.cafile
    text = f"the broker's certificate was not accepted: {error.verify_message}"
    if error.verify_code in (_HOST_MISMATCH, _ADDRESS_MISMATCH):
        return text, f"name the broker ('{host}') as its certificate does, or set {key}.check_hostname: false"
    if error.verify_code in (_EXPIRED, _NOT_YET_VALID):
        return text, "renew the certificate of the broker or of its authority, or correct the clock of this machine"
    if error.verify_code in _UNTRUSTED:
        known = f"'{cafile}'" if cafile else "the system's authorities"
        return f"{text}; no authority in {known} has signed it", f"set {key}.cafile to the authority that did"
    return text, f"check {key}.cafile"
