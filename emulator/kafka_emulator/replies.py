"""From a request to the bytes of the reply, with the faults of this answer."""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kafka_emulator.call import Call, cursor_of, position_of
from kafka_emulator.encoding import encoded
from kafka_emulator.fault_actions import FaultAction
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.mutations import mutated
from kafka_emulator.paging import Cursor, InvalidCursor, clamp
from kafka_emulator.refusal import INVALID_REQUEST, refused

FaultActions = Mapping[str, FaultAction]
_LIMITS = ("response_pagination_limit", "response_partition_limit")
_UNLIMITED = 2**31 - 1
_SIZE = 4
_CORRELATED = _SIZE + 4
"""The bytes of a frame up to the end of the correlation id."""


@dataclass(frozen=True)
class Reply:
    """The reply: a frame or nothing, its delay, whether the connection is closed, and the time between two bytes."""

    frame: bytes | None
    delay: float = 0.0
    muted: float = 0.0
    hang_up: bool = False
    drip: float = 0.0

    def parts(self) -> Iterator[bytes]:
        """What is sent at once: the frame, or each of its bytes."""
        frame = self.frame or b""
        size = 1 if self.drip else len(frame)
        return (frame[at : at + size] for at in range(0, len(frame), size or 1))


HANG_UP = Reply(None, hang_up=True)


@dataclass(frozen=True)
class Asked:
    """The cursor of a request, and the effective limit; None where the request has none."""

    cursor: Cursor | None
    limit: int | None


def asked(request: Any, call: Call) -> Asked:
    """The cursor and the limit of a request."""
    field = _field(request, "cursor")
    limit = next((getattr(request, name) for name in _LIMITS if _field(request, name)), None)
    cursor = position_of(request.cursor) if field else None
    return Asked(cursor, None if limit is None else clamp(limit, call.server_limit))


def answered(handler: Handler, request: Any, call: Call) -> Any:
    """The response without faults."""
    try:
        return handler.answer(request, call)
    except InvalidCursor:
        return refused(handler, request, call, INVALID_REQUEST)


def respond(
    handler: Handler, request: Any, call: Call, actions: FaultActions, before: Asked | None
) -> tuple[Any, set[str]]:
    """The response, and the names of the actions carried out on it; `before` is the request of the previous page."""
    if (code := actions.get("error")) is not None:
        return refused(handler, request, call, code.error or 0), {"error"}
    now, done = asked(request, call), set[str]()
    if (lower := actions.get("limit")) is not None and now.limit is not None:
        call = call.limited(lower.limit or 1)
        done.add("limit")
    if "impersonate" in actions and _field(request, "cluster_id"):
        request.cluster_id, request.node_id = None, -1
        done.add("impersonate")
    response = answered(handler, request, call)
    if "lose_page" in actions and now.limit is not None and response.next_cursor is not None:
        follows = Asked(position_of(response.next_cursor), now.limit)
        response = answered(handler, _instead(request, follows), call)
        done.add("lose_page")
    if "double_page" in actions and before is not None:
        both = Asked(before.cursor, (before.limit or 0) + (now.limit or 0))
        response = answered(handler, _instead(request, both), call.with_limit(_UNLIMITED))
        done.add("double_page")
    if "repeat_cursor" in actions and now.cursor is not None:
        response.next_cursor = cursor_of(handler.response, now.cursor)
        done.add("repeat_cursor")
    return response, done


def sent(response: Any, correlation_id: int, version: int, actions: FaultActions, name: str) -> tuple[Reply, set[str]]:
    """The reply with a response, and the names of the actions carried out on it; `name` identifies the reply."""
    if "drop" in actions:
        return HANG_UP, {"drop"}
    done = set(actions) & {"delay_ms", "drip_ms", "throttle_ms", "mutate", "truncate", "cut", "oversize"}
    muted = 0.0
    if (throttle := actions.get("throttle_ms")) is not None and _field(response, "throttle_time_ms", version):
        response.throttle_time_ms = throttle.throttle_ms
        muted = (throttle.throttle_ms or 0) / 1000
    frame = framed(response, correlation_id, version)
    if (mutate := actions.get("mutate")) is not None:
        frame = mutated(frame, f"{mutate.mutate}/{name}")
    if (cut := actions.get("cut")) is not None:
        rest = frame[_SIZE : max(_CORRELATED, len(frame) - (cut.cut or 0))]
        frame = len(rest).to_bytes(_SIZE) + rest
    if (oversize := actions.get("oversize")) is not None:
        frame = (oversize.oversize or 0).to_bytes(_SIZE) + frame[_SIZE:]
    short = actions["truncate"].truncate or 0 if "truncate" in actions else 0
    delay = (actions["delay_ms"].delay_ms or 0) / 1000 if "delay_ms" in actions else 0.0
    drip = (actions["drip_ms"].drip_ms or 0) / 1000 if "drip_ms" in actions else 0.0
    return Reply(frame[: max(_SIZE, len(frame) - short)], delay, muted, hang_up=bool(short), drip=drip), done


def framed(response: Any, correlation_id: int, version: int) -> bytes:
    """The frame of a response, with its size in front."""
    response.with_header(correlation_id=correlation_id)
    header = response.encode_header(response.flexible_version_q(version))
    (body,) = encoded(type(response), version, [response])
    return b"".join(((len(header) + len(body)).to_bytes(_SIZE), header, body))


def _field(message: Any, name: str, version: int | None = None) -> bool:
    """Whether a message has a field at its version."""
    field = type(message).fields.get(name)
    return field is not None and bool(field.for_version_q(message.API_VERSION if version is None else version))


def _instead(request: Any, other: Asked) -> Any:
    """The same request for another page."""
    changed = copy.copy(request)
    changed.cursor = cursor_of(type(request), other.cursor)
    for name in _LIMITS:
        if _field(request, name):
            setattr(changed, name, other.limit)
    return changed
