"""Requests, read as strictly as by Kafka's brokers, which close the connection on a request that they cannot read.

Text that is not UTF-8 can be read: Java replaces it by U+FFFD, and the request is answered.
"""

import codecs
from typing import Any

from kafka_messages.decoding import UNDECODABLE, handle_invalid_text

_HEADER = 8
"""API key, version and correlation id; the client id follows, behind its length."""

_LENGTH = 2
_ANONYMOUS = b"\xff\xff"
"""A null client id."""

_SURROGATE, _SURROGATES = 0xED, range(0xA0, 0xC0)
"""The first bytes of a surrogate, which is invalid UTF-8: Java replaces all its bytes together, Python each byte."""

_REPLACED = "replaced as in Java"


def read_request(request_class: Any, frame: bytes, version: int) -> Any:
    """The request in a frame; None where it cannot be read, or has a null where its schema allows none."""
    try:
        handle_invalid_text(request_class, version, _REPLACED)
        request = request_class.decode(_anonymous(frame), version=version, header=True)
    except UNDECODABLE:
        return None
    request.API_VERSION = version
    return request


def _anonymous(frame: bytes) -> bytes:
    """The frame without its client id, on which no answer depends. Raises ValueError if the id is incomplete."""
    begin = _HEADER + _LENGTH
    end = begin + max(0, int.from_bytes(frame[_HEADER:begin], signed=True))
    if end > len(frame):
        raise ValueError("the client id does not end")
    return frame[:_HEADER] + _ANONYMOUS + frame[end:]


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """U+FFFD for bytes that cannot be decoded, and the position at which decoding continues."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    first, *rest = error.object[error.start : error.start + 3]
    if first != _SURROGATE or not rest or rest[0] not in _SURROGATES:
        return "\ufffd", error.end
    ends = len(rest) > 1 and rest[1] & 0xC0 == 0x80  # noqa: PLR2004 - a continuation byte
    return "\ufffd", error.start + (3 if ends else 2)


codecs.register_error(_REPLACED, _replaced)
