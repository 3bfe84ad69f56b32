"""Explains a failed TLS handshake, with the setting to correct."""

import re
import ssl

from kafka_census.kafka.protocol.settings import ClusterSettings

_NOT_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL", "RECORD_LAYER_FAILURE", "UNEXPECTED_MESSAGE")
_OF_OUR_CERTIFICATE = re.compile(
    r"ALERT_(CERTIFICATE|BAD_CERTIFICATE|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED|DECRYPT_ERROR)"
)
# OpenSSL's X509_V_ERR_*.
_NOT_YET_VALID, _EXPIRED, _HOST_MISMATCH, _ADDRESS_MISMATCH = 9, 10, 62, 64
_UNTRUSTED = (2, 7, 18, 19, 20, 21, 27)


def is_alert(error: ssl.SSLError) -> bool:
    """Whether an error is a TLS alert of the peer."""
    return "ALERT" in str(error.reason)


def handshake_failure(error: ssl.SSLError, host: str, cluster: ClusterSettings) -> tuple[str, str | None]:
    """The meaning of a failed handshake, and the setting to correct; None where it is unknown."""
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
