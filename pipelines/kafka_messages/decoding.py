"""kafka-python's decoder, made as strict as Kafka's own readers: a frame is read as a whole or not at all.

kafka-python writes the code that decodes a message when it first sees one. Into that code go,
for the whole process, the checks that Kafka's generated readers have and it has not:

- A varint ends after 5 bytes: each byte more costs more, a megabyte of them half a minute.
- What its schema does not call nullable is not null.
- A response ends where its frame ends: not before it, where a count was too small or negative
  and items were left out, and not behind it, where Python cuts a string short in silence.
  (What consumers write about themselves may go on: a later client's has more fields.)

This is what a message is decoded with once this module is imported; `UNDECODABLE` is what it raises.
"""

import struct
from collections.abc import Callable
from typing import Any

from kafka.protocol.schemas.fields.array import ArrayField
from kafka.protocol.schemas.fields.codecs import UnsignedVarInt32
from kafka.protocol.schemas.fields.simple import SimpleField
from kafka.protocol.schemas.fields.struct import StructField
from kafka.protocol.schemas.fields.struct_array import StructArrayField

UNDECODABLE = (
    struct.error,
    ValueError,
    TypeError,
    IndexError,
    KeyError,
    AttributeError,
    AssertionError,
    OverflowError,
    MemoryError,
)
"""The cause of an undecodable frame, as Python's readers raise it."""

_LAST_SHIFT = 28
_NEVER_NONE = frozenset({"string", "bytes", "records"})
"""Simple types of which None is null; of a UUID it is zero, too."""


def _ending(emit: Callable[..., None]) -> Callable[..., None]:
    """A varint's code, with an end: its last line is in the loop over the bytes, and adds to the shift."""

    def emit_decode_from(ctx: Any, var_name: str, indent: str) -> None:
        emit(ctx, var_name, indent)
        shift = ctx.lines[-1].split()[0]
        ctx.emit(indent, f"    if {shift} > {_LAST_SHIFT}: raise ValueError('a varint does not end')")

    return emit_decode_from


def _not_null(emit: Callable[..., None]) -> Callable[..., None]:
    """A field's code, and after it that there is a value."""

    def emit_decode_from(field: Any, ctx: Any, var_name: str, indent: str, version: int, **how: Any) -> None:
        emit(field, ctx, var_name, indent, version=version, **how)
        if (field.is_array() or field.type_str in _NEVER_NONE) and not field.nullable_for_version_q(version):
            ctx.emit(indent, f"if {var_name} is None: raise ValueError('{field.name} is null')")

    return emit_decode_from


def _to_the_end(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """A message's code, and of a response that nothing is left after it."""

    def compiled_decode_from(message: Any, version: int, **how: Any) -> Callable[[memoryview, int], tuple[Any, int]]:
        decode = compiled(message, version, **how)
        if message.type_str != "response":
            return decode  # type: ignore[no-any-return]  # kafka-python has no types

        def whole(data: memoryview, pos: int) -> tuple[Any, int]:
            decoded, end = decode(data, pos)
            if end != len(data):
                raise ValueError(f"{message.name} v{version} ends at byte {end} of {len(data)}")
            return decoded, end

        return whole

    return compiled_decode_from


UnsignedVarInt32.emit_decode_from = staticmethod(_ending(UnsignedVarInt32.emit_decode_from))
for _kind in (SimpleField, ArrayField, StructArrayField):
    _kind.emit_decode_from = _not_null(_kind.emit_decode_from)
StructField.compiled_decode_from = _to_the_end(StructField.compiled_decode_from)
