"""Requests as they come: read with the message's schema, and refused where a broker could not read them."""

import struct
from typing import Any

_UNREADABLE = (struct.error, ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError, MemoryError)
_NEVER_NULL = ("string", "bytes")


def read_request(request_class: Any, frame: bytes, version: int) -> Any:
    """The request in a frame; None where it cannot be read, or holds a null where its schema allows none."""
    try:
        request = request_class.decode(frame, version=version, header=True)
    except _UNREADABLE:
        return None
    request.API_VERSION = version
    return request if _is_whole(request, request_class.fields, version) else None


def _is_whole(item: Any, fields: dict[str, Any], version: int) -> bool:
    """kafka-python reads a null anywhere. One among an array's names is the handler's to refuse."""
    for field in fields.values():
        if not field.for_version_q(version) or field.tagged_field_q(version):
            continue
        value = getattr(item, field.name)
        is_nested = field.is_struct() or field.is_struct_array()
        if value is None:
            may_be = field.nullable_for_version_q(version)
            if not may_be and (is_nested or field.is_array() or field.type_str in _NEVER_NULL):
                return False
        elif is_nested:
            inner = value if field.is_struct_array() else (value,)
            if not all(_is_whole(one, field.fields, version) for one in inner):
                return False
    return True
