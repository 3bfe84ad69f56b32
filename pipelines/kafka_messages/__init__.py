"""Messages that kafka-python has not: their JSON is Kafka 4.3.1's, unmodified (see README.md and NOTICE)."""

from typing import Any

from kafka.protocol.api_message import ApiMessage, ApiMessageData


def message(name: str, patch: Any = None) -> Any:
    """The class of one request or response, made by kafka-python from the JSON here; `patch` may add to it.

    A response is what answers of its API are decoded to from then on. kafka-python holds it
    weakly: the class must live in a module.
    """
    attributes: dict[str, Any] = {"__module__": __name__} | ({"json_patch": classmethod(patch)} if patch else {})
    return ApiMessageData(name, (ApiMessage,), attributes, load_json=__name__)


ShareGroupDescribeRequest = message("ShareGroupDescribeRequest")
ShareGroupDescribeResponse = message("ShareGroupDescribeResponse")
StreamsGroupDescribeRequest = message("StreamsGroupDescribeRequest")
StreamsGroupDescribeResponse = message("StreamsGroupDescribeResponse")
DescribeShareGroupOffsetsRequest = message("DescribeShareGroupOffsetsRequest")
DescribeShareGroupOffsetsResponse = message("DescribeShareGroupOffsetsResponse")
