"""Requests as they come: read as strictly as Kafka's brokers read them, who hang up on what they cannot read."""

from typing import Any

from kafka_census.protocol.decoding import UNDECODABLE


def read_request(request_class: Any, frame: bytes, version: int) -> Any:
    """The request in a frame; None where it cannot be read, or holds a null where its schema allows none."""
    try:
        request = request_class.decode(frame, version=version, header=True)
    except UNDECODABLE:
        return None
    request.API_VERSION = version
    return request
