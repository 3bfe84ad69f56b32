"""A message of kafka-python's as Kafka's JSON says it."""

import base64
from typing import Any

Json = dict[str, Any]

_RENAMED = {
    ("MetadataResponse", "authorized_operations"): "clusterAuthorizedOperations",
    ("Topics", "authorized_operations"): "topicAuthorizedOperations",
    ("DescribeClusterResponse", "authorized_operations"): "clusterAuthorizedOperations",
}
"""Fields that kafka-python calls otherwise, by the struct that they are in."""

_NOT_GIVEN = -(2**31)


def kafka_json(message: Any, version: int) -> Json:
    """The fields of a message at a version, under Kafka's names; tagged ones only where they are not the default."""
    return _struct(message._struct, message, version)


def _struct(struct: Any, item: Any, version: int) -> Json:
    return {
        _RENAMED.get((struct._name, field._name), field._name[0].lower() + field._name[1:]): _value(
            field, getattr(item, field.name), version
        )
        for field in struct.fields.values()
        if field.for_version_q(version)
        and not (field.tagged_field_q(version) and getattr(item, field.name) == field.default)
    }


def _value(field: Any, value: Any, version: int) -> Any:
    if field.is_array() and value is not None:
        return [_value(field.array_of, one, version) for one in value]
    if field.is_struct() and value is not None:
        return _struct(field, value, version)
    return _LEAVES[field.type_str](value) if field.type_str in _LEAVES else value


def _uuid(value: Any) -> str:
    return base64.urlsafe_b64encode(value.bytes if value else bytes(16)).decode().rstrip("=")


def _bytes(value: bytes | None) -> str | None:
    return None if value is None else base64.b64encode(value).decode()


def _signed(bits: set[int] | None) -> int:
    """Authorized operations: a set of bits here, a signed int32 there."""
    number = _NOT_GIVEN if bits is None else sum(1 << bit for bit in bits)
    return number - 2**32 if number >= 2**31 else number


_LEAVES = {"uuid": _uuid, "bytes": _bytes, "bitfield": _signed}
