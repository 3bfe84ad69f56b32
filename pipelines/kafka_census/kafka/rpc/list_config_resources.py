"""ListConfigResources (API 74; client metrics KIP-1000 v0, all types KIP-1142 v1): resources that may have configs.

Asked of any broker, whole. Below v1 the API is ListClientMetricsResources, and lists client metrics only.
"""

from collections.abc import Iterator
from typing import Any

from kafka.protocol.admin import ListConfigResourcesRequest

from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, code_name

EVERY_TYPE = 1
CLIENT_METRICS = 16
RESOURCE_TYPES = {2: "topic", 4: "broker", 8: "broker_logger", CLIENT_METRICS: "client_metrics", 32: "group"}
"""Names by the codes of org.apache.kafka.common.config.ConfigResource.Type."""

ITEM = (
    Field("resource_type", "string", "topic, broker, broker_logger, client_metrics or group."),
    Field("resource_name", "string", "Name of the resource."),
)


def _build(version: int, _ask: Ask) -> Any:
    # An empty list means every type.
    types: dict[str, Any] = {"resource_types": []} if version >= EVERY_TYPE else {}
    return ListConfigResourcesRequest(version=version, **types)


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for one in response.config_resources:
        code = one.resource_type if response.version >= EVERY_TYPE else CLIENT_METRICS
        yield code_name(RESOURCE_TYPES, code), one.resource_name


LIST_CONFIG_RESOURCES = Rpc(
    name="ListConfigResources",
    scope="config_resources",
    item=ITEM,
    apis=(Api(request=ListConfigResourcesRequest, versions=(0, 1), build=_build, rows=_rows),),
)
