"""The encoder of responses: the bytes that kafka-python's own encoder writes, of every RPC and version."""

import random
import struct
from typing import Any
from uuid import UUID

import pytest
from kafka.protocol.consumer import ConsumerProtocolAssignment

from kafka_emulator.encoding import encoded
from kafka_emulator.handlers import HANDLERS
from kafka_emulator.handlers.handler import Handler

_RANGES = {
    "int8": (-(2**7), 2**7),
    "int16": (-(2**15), 2**15),
    "uint16": (0, 2**16),
    "int32": (-(2**31), 2**31),
    "int64": (-(2**63), 2**63),
}
_LONG = "x" * 20_000
"""Its length takes three bytes as a varint."""


def _value(field: Any, version: int, draw: random.Random) -> Any:
    if not field.is_array() and field.type_str in _RANGES:
        return draw.randrange(*_RANGES[field.type_str])
    if field.nullable_for_version_q(version) and draw.random() < 0.2:
        return None
    if field.is_struct_array():
        return _structs(field.array_of, version, draw)
    if field.is_array():
        return [_value(field.array_of, version, draw) for _ in range(draw.choice((0, 1, 200)))]
    if field.is_struct():
        return field.data_class(**_fields(field, version, draw))
    others = {
        "bool": draw.random() < 0.5,
        "float64": draw.random(),
        "uuid": UUID(int=draw.getrandbits(128)),
        "string": draw.choice(("", "topic-1", "ключ🙂", "x" * 127, "x" * 128, _LONG if draw.random() < 0.1 else "y")),
        "bytes": draw.randbytes(draw.choice((0, 1, 300))),
        "bitfield": draw.choice((None, {1, 3})),
    }
    return others[field.type_str]


def _structs(schema: Any, version: int, draw: random.Random) -> list[Any]:
    """Message objects, or rows, which cannot have tagged fields; kafka-python takes a list of one kind only."""
    values = [_fields(schema, version, draw) for _ in range(draw.choice((0, 1, 3)))]
    if draw.random() < 0.5 or any(field.tagged_field_q(version) for field in schema.fields.values()):
        return [schema.data_class(**one) for one in values]
    return [tuple(one.values()) for one in values]


def _fields(schema: Any, version: int, draw: random.Random) -> dict[str, Any]:
    fields = [field for field in schema.fields.values() if field.for_version_q(version)]
    return {field.name: _value(field, version, draw) for field in fields}


@pytest.mark.parametrize("handler", HANDLERS, ids=lambda handler: handler.name)
def test_every_version_of_every_response_is_as_kafka_python_writes_it(handler: Handler) -> None:
    """Random messages: objects and rows, nulls, empty lists, strings of any length."""
    draw = random.Random(handler.name)
    for version in range(handler.response.max_version + 1):
        for _ in range(8):
            response = handler.response(version=version, **_fields(handler.response, version, draw))
            assert encoded(type(response), version, [response]) == [bytes(response.encode())]


def test_many_messages_at_once_are_each_by_itself() -> None:
    rows = [([("a", (0, 1)), ("b", ())], None), ([], None), ([("ключ", (7,))], b"data")]
    for row, data in zip(rows, encoded(ConsumerProtocolAssignment, 1, rows), strict=True):
        message = ConsumerProtocolAssignment(version=1, assigned_partitions=row[0], user_data=row[1])
        assert data == bytes(message.encode(header=False))
    with pytest.raises((struct.error, TypeError)):
        encoded(ConsumerProtocolAssignment, 1, [([("a",)], None)])
