"""Messages that kafka-python lacks, or whose newest version it lacks: their JSON is that of Kafka 4.4.0, unmodified.

README.md and NOTICE beside it say where it is from. kafka-python decodes responses of an API by the class that was
defined last, so its own classes are imported first.
"""

import struct
from typing import Any

from kafka.protocol import admin, metadata  # noqa: F401 - so that the classes here are defined after those
from kafka.protocol.api_message import ApiMessage, ApiMessageData

UNSUPPORTED_VERSION = 35
_CORRELATION_ID = _SIZE = 4


def message(name: str, patch: Any = None) -> Any:
    """The class of one request or response, which kafka-python builds from the JSON here; `patch` may add fields.

    From then on kafka-python decodes responses of the API to the new response class. kafka-python
    holds the class weakly: keep it in a module.
    """
    attributes: dict[str, Any] = {"__module__": __name__} | ({"json_patch": classmethod(patch)} if patch else {})
    return ApiMessageData(name, (ApiMessage,), attributes, load_json=__name__)


class ApiVersionsResponse(metadata.ApiVersionsResponse, load_json=__name__):  # type: ignore[call-arg,misc]
    """kafka-python's response, which reads as version 0 only the refusal of a version that the broker lacks (KIP-511).

    Every other error is in the version of the request; kafka-python reads each as version 0.
    """

    @classmethod
    def decode(cls, data: Any, version: int | None = None, header: bool = False, framed: bool = False) -> Any:
        """The response in these bytes. Raises what decoding raises."""
        data = data.read() if hasattr(data, "read") else bytes(data)
        (code,) = struct.unpack_from(">h", data, framed * _SIZE + header * _CORRELATION_ID)
        read_as = 0 if code == UNSUPPORTED_VERSION else version
        return super(metadata.ApiVersionsResponse, cls).decode(data, read_as, header, framed)


ApiVersionsRequest = message("ApiVersionsRequest")
DeleteGroupsRequest = message("DeleteGroupsRequest")
DeleteGroupsResponse = message("DeleteGroupsResponse")
ShareGroupDescribeRequest = message("ShareGroupDescribeRequest")
ShareGroupDescribeResponse = message("ShareGroupDescribeResponse")
StreamsGroupDescribeRequest = message("StreamsGroupDescribeRequest")
StreamsGroupDescribeResponse = message("StreamsGroupDescribeResponse")
DescribeShareGroupOffsetsRequest = message("DescribeShareGroupOffsetsRequest")
DescribeShareGroupOffsetsResponse = message("DescribeShareGroupOffsetsResponse")
