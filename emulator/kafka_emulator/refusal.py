"""An error for everything that a request names, in the fields where its response has codes.

The field is at the top level if the response has one there, and otherwise in every item: the topics of
DescribeTopicPartitions, the partitions of ListOffsets. Such an item has its names and no other data.
"""

from typing import Any

from kafka_emulator.call import Call
from kafka_emulator.handlers.handler import Handler

INVALID_REQUEST = 42
_KEPT = ("brokers", "cluster_id", "controller_id")
"""Fields that a refusal keeps: an answer of Metadata without brokers would be another failure."""


def refused(handler: Handler, request: Any, call: Call, code: int) -> Any:
    """The response to a request that is refused with a code."""
    if handler.refuse is not None:
        return handler.refuse(request, call, code)
    fields = {field.name: field for field in handler.response.fields.values() if field.for_version_q(call.version)}
    if "error_code" in fields:
        honest = handler.answer(request, call.without_paging()) if _KEPT[0] in fields else None
        kept = {name: getattr(honest, name) for name in _KEPT if name in fields and honest is not None}
        return handler.response(version=call.version, **{**_empty(fields), **kept, "error_code": code})
    response = handler.answer(request, call.without_paging())
    for name, field in fields.items():
        if field.is_struct_array():
            setattr(response, name, [_failed(field, item, call.version, code) for item in getattr(response, name)])
    return response


def _empty(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: [] if field.is_array() else field.default for name, field in fields.items()}


def _failed(struct: Any, item: Any, version: int, code: int) -> Any:
    """An item with this code, or with the code in its items."""
    fields = {field.name: field for field in struct.fields.values() if field.for_version_q(version)}
    values = dict(zip(fields, item, strict=False)) if isinstance(item, tuple) else {f: getattr(item, f) for f in fields}
    if "error_code" in fields:
        reported: dict[str, Any] = {name: [] for name, field in fields.items() if field.is_array()}
        return struct.data_class(**{**values, **reported, "error_code": code})
    nested = {
        name: [_failed(field, one, version, code) for one in values[name]]
        for name, field in fields.items()
        if field.is_struct_array()
    }
    return struct.data_class(**{**values, **nested})
