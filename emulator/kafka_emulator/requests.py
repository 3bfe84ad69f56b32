"""Requests as they come: read as strictly as Kafka's brokers read them, who hang up on what they cannot read.

Text that is no UTF-8 can be read: Java puts U+FFFD in its place, and the request is answered.
"""

import codecs
from functools import cache, partial
from typing import Any

from kafka_messages.decoding import UNDECODABLE

_HEADER = 8
"""API key, version and correlation id; the client id follows, behind its length."""

_LENGTH = 2
_ANONYMOUS = b"\xff\xff"
"""A null client id."""

_SURROGATE, _SURROGATES = 0xED, range(0xA0, 0xC0)
"""How UTF-8 would begin a surrogate, which it has not: Java replaces all bytes of one together, Python each byte."""

_REPLACED = "replaced as in Java"


def read_request(request_class: Any, frame: bytes, version: int) -> Any:
    """The request in a frame; None where it cannot be read, or holds a null where its schema allows none."""
    try:
        _replacing(request_class, version)
        request = request_class.decode(_anonymous(frame), version=version, header=True)
    except UNDECODABLE:
        return None
    request.API_VERSION = version
    return request


def _anonymous(frame: bytes) -> bytes:
    """The frame without its client id, which no answer depends on. Raises ValueError where the frame ends in it."""
    begin = _HEADER + _LENGTH
    end = begin + max(0, int.from_bytes(frame[_HEADER:begin], signed=True))
    if end > len(frame):
        raise ValueError("the client id does not end")
    return frame[:_HEADER] + _ANONYMOUS + frame[end:]


@cache
def _replacing(request_class: Any, version: int) -> None:
    """Have kafka-python's decoder of this request replace what is no UTF-8, rather than give up."""
    flexible = request_class.flexible_version_q(version)
    # kafka-python shows its schema only there, and calls `str` by that name in the code that it writes.
    struct = request_class._struct  # noqa: SLF001
    decode = struct.compiled_decode_from(version, compact=flexible, tagged=flexible, data_class=request_class[None])
    decode.__globals__["str"] = partial(str, errors=_REPLACED)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """U+FFFD for what cannot be decoded, and where decoding goes on."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    first, *rest = error.object[error.start : error.start + 3]
    if first != _SURROGATE or not rest or rest[0] not in _SURROGATES:
        return "\ufffd", error.end
    ends = len(rest) > 1 and rest[1] & 0xC0 == 0x80  # noqa: PLR2004 - a continuation byte
    return "\ufffd", error.start + (3 if ends else 2)


codecs.register_error(_REPLACED, _replaced)
