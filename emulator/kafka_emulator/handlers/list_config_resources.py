"""ListConfigResources (API 74; types v1): the resources that may have configs, without pages.

Version 0 lists client metrics only. Without types all types: groups, client metrics, loggers, brokers, topics, in
this order; a type that the version does not know is 35. Groups and client metrics are listed if a config of theirs
is set; no scenario sets configs of client metrics. Topics are not authorized one by one: a principal with
DESCRIBE_CONFIGS on the cluster sees all topics, and without it the answer is 31.
"""

from collections.abc import Iterator
from typing import Any

from kafka.protocol.admin import ListConfigResourcesRequest, ListConfigResourcesResponse

from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.call import Call
from kafka_emulator.config_resources import ConfigType
from kafka_emulator.handlers.handler import Handler

DENIED, UNSUPPORTED_VERSION = 31, 35
EVERY_TYPE = 1
BLOCKS = (
    ConfigType.GROUP,
    ConfigType.CLIENT_METRICS,
    ConfigType.BROKER_LOGGER,
    ConfigType.BROKER,
    ConfigType.TOPIC,
)


def _answer(request: Any, call: Call) -> Any:
    if not call.world.access.allows(Operation.DESCRIBE_CONFIGS, Resource.CLUSTER):
        return _response([], DENIED)
    if call.version < EVERY_TYPE:
        return _response([(name,) for name in _names(ConfigType.CLIENT_METRICS, call)])
    types = set(request.resource_types) or set(BLOCKS)
    if not types <= set(BLOCKS):
        return _response([], UNSUPPORTED_VERSION)
    return _response([(name, kind.value) for kind in BLOCKS if kind in types for name in _names(kind, call)])


def _names(kind: ConfigType, call: Call) -> Iterator[str]:
    """The resources of a type; brokers are those that are registered and have the listener of the request."""
    brokers = call.world.brokers
    if kind in (ConfigType.BROKER, ConfigType.BROKER_LOGGER):
        registered = brokers.alive | brokers.fenced
        yield from (str(one) for one in brokers.ids if one in registered and brokers.has(one, call.listener))
    elif kind == ConfigType.GROUP:
        yield from call.world.groups.configs
    elif kind == ConfigType.TOPIC:
        yield from call.world.topics.names[:]


def _response(resources: list[tuple[Any, ...]], code: int = 0) -> Any:
    return ListConfigResourcesResponse(throttle_time_ms=0, error_code=code, config_resources=resources)


LIST_CONFIG_RESOURCES = Handler(
    ListConfigResourcesRequest, ListConfigResourcesResponse, {"3.9": (0, 0), "4.3": (0, 1)}, _answer
)
