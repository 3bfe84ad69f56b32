"""DescribeConfigs: whose configs, with which codes, and the broker's limit."""

from typing import Any

import pytest

from emulator.asking import ask, cluster
from kafka_emulator.config_keys import PAGINATION_LIMIT
from kafka_messages.kip_1062 import DescribeConfigsRequest, paged

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
TOPICS: dict[str, Any] = {
    "partitions": 30,
    "declared": [{"name": "own", "configs": {"min.insync.replicas": "2", "retention.ms": "5"}}],
}
ALICE = {"authorizer": True, "super_users": []}


def request(*resources: tuple[int, str], keys: Any = None, flags: bool = False, **fields: Any) -> Any:
    """A request for resources of (type, name), all with the same keys."""
    resource = DescribeConfigsRequest.DescribeConfigsResource
    asked = [resource(resource_type=kind, resource_name=name, configuration_keys=keys) for kind, name in resources]
    flagged = {"include_synonyms": flags, "include_documentation": flags}
    return DescribeConfigsRequest(resources=asked, **flagged, **fields)


def page(*resources: tuple[int, str], limit: int, cursor: tuple[Any, ...] | None = None) -> Any:
    return request(*resources, **paged(DescribeConfigsRequest, limit, cursor))


def reported(response: Any) -> list[tuple[int, int, str]]:
    return [(one.error_code, one.resource_type, one.resource_name) for one in response.results]


def values(response: Any) -> dict[str, str | None]:
    (result,) = response.results
    assert result.error_code == 0
    return {one.name: one.value for one in result.configs}


def test_synonyms_and_documentation_come_when_asked_for() -> None:
    """The one in use is first; documentation and types came with version 3."""
    server = cluster(topics=TOPICS, brokers={"dynamic_configs": {"min.insync.replicas": "3"}})
    for version in (1, 2, 3, 4, 5):
        (one,) = (
            ask(server, request((TOPIC, "own"), keys=["min.insync.replicas"], flags=True), version).results[0].configs
        )
        assert [(s.value, s.source) for s in one.synonyms] == [("2", 1), ("3", 3), ("1", 5)]
        assert version < 3 or (one.config_type, bool(one.documentation)) == (3, True)
        (one,) = ask(server, request((TOPIC, "own"), keys=["min.insync.replicas"]), version).results[0].configs
        assert (one.synonyms, one.config_source) == ([], 1)
        assert version < 3 or one.documentation is None


def test_what_a_topic_does_not_set_is_the_value_of_the_broker_that_is_asked() -> None:
    server = cluster(topics=TOPICS, brokers={"configs_of": {2: {"log.retention.ms": "77"}}})
    name = server.world.topics.names[0]
    asked = [values(ask(server, request((TOPIC, name), keys=["retention.ms"]), 4, broker)) for broker in (1, 2)]
    assert asked == [{"retention.ms": "604800000"}, {"retention.ms": "77"}]


def test_a_broker_tells_of_itself_and_of_the_dynamic_defaults() -> None:
    """Another id, no number and no id for loggers are 42."""
    server = cluster(
        brokers={"dynamic_configs": {"min.insync.replicas": "2"}, "configs_of": {2: {"num.io.threads": "9"}}}
    )
    assert values(ask(server, request((BROKER, "2")), 4, 2))["num.io.threads"] == "9"
    assert values(ask(server, request((BROKER, "")), 4, 2)) == {"min.insync.replicas": "2"}
    assert "root" in values(ask(server, request((LOGGER, "2")), 4, 2))
    others = request((BROKER, "1"), (BROKER, "one"), (LOGGER, "1"), (LOGGER, ""))
    response = ask(server, others, 4, 2)
    assert [one.error_code for one in response.results] == [42] * 4
    assert response.results[0].error_message == "Unexpected broker id, expected 2 or empty string, but received 1"


@pytest.mark.parametrize(("kafka", "kind"), [("4.3", 3), ("4.3", 0), ("2.8", METRICS), ("2.8", GROUP)])
def test_one_unknown_type_fails_all(kafka: str, kind: int) -> None:
    """With 42, and no config is returned."""
    server = cluster(as_version=kafka, kip_1062=False, topics=TOPICS)
    response = ask(server, request((TOPIC, "own"), (kind, "x")), 4)
    assert reported(response) == [(42, TOPIC, "own"), (42, kind, "x")]


def test_what_is_denied_comes_last_with_the_code_of_its_type() -> None:
    """29, 30 and 31; a denied topic is not said to be unknown. ALTER_CONFIGS allows it too."""
    acls = [
        {"operation": "ALTER_CONFIGS", "resource_type": "TOPIC", "resource_name": "own"},
        {"operation": "DESCRIBE", "resource_type": "TOPIC", "resource_name": "*"},
    ]
    server = cluster(topics=TOPICS, security={**ALICE, "acls": acls})
    asked = request((TOPIC, "gone"), (GROUP, "g"), (BROKER, ""), (METRICS, "m"), (LOGGER, "1"), (TOPIC, "own"))
    denied = [(29, TOPIC, "gone"), (30, GROUP, "g"), (31, BROKER, ""), (31, METRICS, "m"), (31, LOGGER, "1")]
    assert reported(ask(server, asked, 4)) == [(0, TOPIC, "own"), *denied]


def test_the_limit_of_the_broker_holds() -> None:
    server = cluster(topics=TOPICS, brokers={"configs": {PAGINATION_LIMIT: "2"}})
    response = ask(server, page(*((TOPIC, f"topic-{number:05d}") for number in range(4)), limit=2000), 5)
    assert (len(response.results), response.next_cursor.resource_name) == (2, "topic-00002")
