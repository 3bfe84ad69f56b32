"""One request to one broker, over a separate socket, including requests that a client's negotiation never sends."""

import socket
from collections.abc import Callable
from typing import Any

from kafka_messages import ApiVersionsRequest, ApiVersionsResponse

_SIZE = 4
_TIMEOUT_S = 20.0


def as_it_is(frame: bytes) -> bytes:
    return frame


def send(server: str, request: Any, response: Any, version: int, edit: Callable[[bytes], bytes] = as_it_is) -> Any:
    """The answer of the broker at `host:port` to a request of this version; None where it closes the connection.

    `edit` changes the request's frame, for bytes that no client encodes.
    """
    host, _, port = server.rpartition(":")
    request.API_VERSION = version
    request.with_header(correlation_id=7)
    with socket.create_connection((host, int(port)), timeout=_TIMEOUT_S) as broker, broker.makefile("rb") as answers:
        broker.sendall(edit(bytes(request.encode(header=True, framed=True))))
        size = int.from_bytes(answers.read(_SIZE))
        frame = answers.read(size)
    return response.decode(frame, version=version, header=True) if size else None


def api_versions(server: str) -> dict[int, tuple[int, int]]:
    """The lowest and the highest version of every API that the broker at `host:port` offers, by its key."""
    request = ApiVersionsRequest(client_software_name="kafka-census", client_software_version="1")
    return {
        one.api_key: (one.min_version, one.max_version)
        for one in send(server, request, ApiVersionsResponse, 3).api_keys
    }
