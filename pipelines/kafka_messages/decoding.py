"""kafka-python's decoder, made as strict as Kafka's own readers: a frame is decoded completely or not at all.

kafka-python generates the decoder of a message when it first meets one. This module adds to that
code, for the whole process, the checks that Kafka's generated readers have and kafka-python lacks:

- A varint ends after 5 bytes: each further byte costs more, a megabyte of them half a minute.
- A field that the schema does not declare nullable is not null.
- A response ends where its frame ends: not before, where a count was too small or negative
  and items were left out, and not after, where Python cuts a string short without an error.
  (Consumers' metadata may have further bytes: those of later clients have more fields.)

Importing this module changes the decoding of all messages; decoders raise one of `UNDECODABLE`.

kafka-python promises none of these names: `emit_decode_from` and `compiled_decode_from` of its fields, the code that
they emit and its globals, and `_struct`. Tried on kafka-python 3.0.12; the census refuses a release that is not 3.0
(`kafka_census.private.kafka_python`). They stand here and not there because the emulator decodes requests in the same
way, and may import nothing of the census's client.
"""

import struct
from collections.abc import Callable
from functools import cache, partial
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
    LookupError,
    AttributeError,
    AssertionError,
    ArithmeticError,
    MemoryError,
    EOFError,
    RecursionError,
)
"""The exceptions that what a peer sent may make a parser raise."""

_LAST_SHIFT = 28
_NEVER_NONE = frozenset({"string", "bytes", "records"})
"""Simple types that decode null to None; a UUID is None for zero, too."""


def _ending(emit: Callable[..., None]) -> Callable[..., None]:
    """Add an end to the code of a varint: its last line, in the loop over the bytes, increases the shift."""

    def emit_decode_from(ctx: Any, var_name: str, indent: str) -> None:
        emit(ctx, var_name, indent)
        shift = ctx.lines[-1].split()[0]
        ctx.emit(indent, f"    if {shift} > {_LAST_SHIFT}: raise ValueError('a varint does not end')")

    return emit_decode_from


def _not_null(emit: Callable[..., None]) -> Callable[..., None]:
    """Add a check after the code of a field: the value is not null."""

    def emit_decode_from(field: Any, ctx: Any, var_name: str, indent: str, version: int, **how: Any) -> None:
        emit(field, ctx, var_name, indent, version=version, **how)
        if (field.is_array() or field.type_str in _NEVER_NONE) and not field.nullable_for_version_q(version):
            ctx.emit(indent, f"if {var_name} is None: raise ValueError('{field.name} is null')")

    return emit_decode_from


def _to_the_end(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """Add a check to the decoder of a response: no bytes are left after it."""

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


def schema(message: Any) -> Any:
    """The schema of a message, of which kafka-python generates its code."""
    return message._struct


@cache
def handle_invalid_text(message: Any, version: int, errors: str) -> None:
    """Have the decoder of this message give invalid UTF-8 to an error handler of `codecs`, instead of failing.

    The code that kafka-python generates calls `str` by that name.
    """
    flexible = message.flexible_version_q(version)
    decode = schema(message).compiled_decode_from(version, compact=flexible, tagged=flexible, data_class=message[None])
    decode.__globals__["str"] = partial(str, errors=errors)


UnsignedVarInt32.emit_decode_from = staticmethod(_ending(UnsignedVarInt32.emit_decode_from))
for _kind in (SimpleField, ArrayField, StructArrayField):
    _kind.emit_decode_from = _not_null(_kind.emit_decode_from)
StructField.compiled_decode_from = _to_the_end(StructField.compiled_decode_from)
