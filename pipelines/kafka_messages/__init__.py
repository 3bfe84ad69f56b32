"""Messages that kafka-python lacks: their JSON is that of Kafka 4.3.1, unmodified (see README.md and NOTICE)."""

from typing import Any

from kafka.protocol.api_message import ApiMessage, ApiMessageData


def message(name: str, patch: Any = None) -> Any:
    """The class of one request or response, which kafka-python builds from the JSON here; `patch` may add fields.

    From then on kafka-python decodes responses of the API to the new response class. kafka-python
    holds the class weakly: keep it in a module.
    """
    attributes: dict[str, Any] = {"__module__": __name__} | ({"json_patch": classmethod(patch)} if patch else {})
    return ApiMessageData(name, (ApiMessage,), attributes, load_json=__name__)


ShareGroupDescribeRequest = message("ShareGroupDescribeRequest")
ShareGroupDescribeResponse = message("ShareGroupDescribeResponse")
StreamsGroupDescribeRequest = message("StreamsGroupDescribeRequest")
StreamsGroupDescribeResponse = message("StreamsGroupDescribeResponse")
DescribeShareGroupOffsetsRequest = message("DescribeShareGroupOffsetsRequest")
DescribeShareGroupOffsetsResponse = message("DescribeShareGroupOffsetsResponse")
