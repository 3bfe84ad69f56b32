"""DescribeConfigs (API 32): the configs of topics and brokers, and the source of each value.

Topics are asked of any broker, in windows of names; a value that is not set on the
topic is the *answering* broker's own, and brokers may differ, so each broker is also
asked about itself (it refuses other broker ids with 42). `source` is Kafka's ConfigSource: 1 topic,
2 dynamic broker, 3 dynamic default, 4 static, 5 default. Sensitive values are null, as Kafka
sends them.

Three scopes. `topics` asks for the few keys that most tables need; `topics_all` for all
keys (about 33), which land five times as many items and are read by `configs` only.
`brokers` asks for all keys (about 360), with their synonyms, which include Kafka's own
default: brokers are few. A topic's synonyms would double the answers of 10^5 topics, and are
in other units (log.retention.hours for retention.ms): they are not asked for.

With KIP-1062 the broker pages: its cursor is name and type of a resource; the limit counts
resources, so that each comes with all its keys.
"""

from collections.abc import Callable, Iterator
from typing import Any

from kafka_census.kafka.paging.cursor import Cursor
from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, code_name, no_error
from kafka_messages.kip_1062 import DescribeConfigsRequest, paged

PAGED = 5
TOPIC, BROKER = 2, 4
KIND = {TOPIC: "topic", BROKER: "broker"}
TOPIC_KEYS = (
    "min.insync.replicas",
    "leader.replication.throttled.replicas",
    "follower.replication.throttled.replicas",
    "cleanup.policy",
    "retention.ms",
    "retention.bytes",
    "unclean.leader.election.enable",
)
DEFAULT = 5

ITEM = (
    Field("resource_type", "string", "topic or broker."),
    Field("resource_name", "string", "Topic name or broker id."),
    Field("error_code", "int", "Kafka's error code for this resource, 0 none; then name is null."),
    Field("error_message", "string", "Kafka's message for it."),
    Field("name", "string", "Config key."),
    Field("value", "string", "Its value; null when sensitive."),
    Field("source", "int", "ConfigSource: 1 topic, 2 dynamic broker, 3 dynamic default, 4 static, 5 default."),
    Field("is_sensitive", "boolean", "Whether Kafka hides the value."),
    Field("default_value", "string", "Kafka's own default; null where it has none or hides it, and for topics."),
)


def _builder(resource_type: int, config_keys: tuple[str, ...] | None) -> Callable[[int, Ask], Any]:
    """A builder of requests for these config keys of each resource; None for all keys."""
    resource = DescribeConfigsRequest.DescribeConfigsResource

    def build(version: int, ask: Ask) -> Any:
        names = None if config_keys is None else list(config_keys)
        resources = [
            resource(resource_type=resource_type, resource_name=key, configuration_keys=names) for key in ask.keys
        ]
        page = paged(DescribeConfigsRequest, ask.limit, ask.cursor) if version >= PAGED else {}
        return DescribeConfigsRequest(
            version=version,
            resources=resources,
            include_synonyms=resource_type == BROKER,
            include_documentation=False,
            **page,
        )

    return build


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for result in response.results:
        kind = code_name(KIND, result.resource_type)
        if result.error_code or not result.configs:
            yield kind, result.resource_name, result.error_code, result.error_message, *[None] * 5
        for config in result.configs:
            yield (
                kind,
                result.resource_name,
                result.error_code,
                result.error_message,
                config.name,
                config.value,
                config.config_source,
                config.is_sensitive,
                next((one.value for one in config.synonyms if (one.name, one.source) == (config.name, DEFAULT)), None),
            )


def _key(row: Row) -> str:
    return str(row[1])


def _positions(response: Any) -> Iterator[Cursor]:
    return ((one.resource_name, one.resource_type) for one in response.results if not one.error_code)


def _apis(resource_type: int, config_keys: tuple[str, ...] | None) -> tuple[Api, ...]:
    window = Api(
        request=DescribeConfigsRequest,
        versions=(1, 4),
        paging="window",
        build=_builder(resource_type, config_keys),
        rows=_rows,
        error=no_error,
        key=_key,
    )
    return window.by_cursor(PAGED, positions=_positions), window


DESCRIBE_CONFIGS_TOPICS = Rpc("DescribeConfigs", "topics", ITEM, _apis(TOPIC, TOPIC_KEYS))
DESCRIBE_CONFIGS_TOPICS_ALL = Rpc("DescribeConfigs", "topics_all", ITEM, _apis(TOPIC, None))
DESCRIBE_CONFIGS_BROKERS = Rpc("DescribeConfigs", "brokers", ITEM, _apis(BROKER, None))
