"""What DescribeConfigs makes of an answer."""

from typing import Any

import pytest

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_census.rpc.describe_configs import TOPIC_KEYS
from kafka_messages.kip_1062 import DescribeConfigsResponse
from unit.rpc.answers import EVERYTHING, items, over_the_wire, page_of, sent


def _configs(synonyms: tuple[tuple[str, str, int], ...] = (), **page: Any) -> Any:
    result = DescribeConfigsResponse.DescribeConfigsResult
    synonym = result.DescribeConfigsResourceResult.DescribeConfigsSynonym
    value = result.DescribeConfigsResourceResult(
        name="min.insync.replicas",
        value="2",
        read_only=False,
        config_source=1,
        is_sensitive=False,
        synonyms=[synonym(name=name, value=value, source=source) for name, value, source in synonyms],
        config_type=3,
        documentation=None,
    )
    return DescribeConfigsResponse(
        throttle_time_ms=0,
        results=[
            result(error_code=0, error_message=None, resource_type=2, resource_name="t", configs=[value]),
            result(error_code=29, error_message="no", resource_type=2, resource_name="u", configs=[]),
        ],
        **page,
    )


def test_describe_configs_is_a_row_a_key_and_one_for_a_refusal() -> None:
    """A denied resource keeps its code; a value keeps its source."""
    for version, way in ((1, 1), (4, 1), (5, 0)):
        first, second = items("DescribeConfigs", "topics", _configs(), version, way=way)
        assert (first["resource_name"], first["value"], first["source"]) == ("t", "2", 1)
        assert (second["resource_name"], second["error_code"], second["name"]) == ("u", 29, None)


def test_default_is_the_synonym_of_the_same_name() -> None:
    """Synonyms of other names are in other units: hours for milliseconds."""
    hours, own = ("log.retention.hours", "168", 5), ("min.insync.replicas", "1", 5)
    for synonyms, default in (((("min.insync.replicas", "2", 4), hours, own), "1"), ((hours,), None), ((), None)):
        item, _ = items("DescribeConfigs", "brokers", _configs(synonyms), 4, way=1)
        assert (item["value"], item["default_value"]) == ("2", default)


@pytest.mark.parametrize(("scope", "keys"), [("topics", list(TOPIC_KEYS)), ("topics_all", None), ("brokers", None)])
def test_a_scope_asks_for_its_keys(scope: str, keys: list[str] | None) -> None:
    """A few keys of every topic, or all; null stands for all. Only brokers are few enough for synonyms."""
    asked = sent("DescribeConfigs", scope, 4, Ask(("1",), None, 7), way=1)
    assert [one.configuration_keys for one in asked.resources] == [keys]
    assert asked.include_synonyms == (scope == "brokers")
    assert not asked.include_documentation


@pytest.mark.parametrize(("scope", "kind"), [("topics", 2), ("brokers", 4)])
def test_describe_configs_pages_by_the_broker_s_cursor_at_v5(scope: str, kind: int) -> None:
    """Limit and cursor are sent there, and not below; a row answers the resource that it names."""
    ask = Ask(("1", "2"), ("2", kind), 7)
    asked = sent("DescribeConfigs", scope, 5, ask)
    assert page_of(asked) == (7, ("2", kind))
    assert [(one.resource_type, one.resource_name) for one in asked.resources] == [(kind, "1"), (kind, "2")]
    assert page_of(sent("DescribeConfigs", scope, 4, ask, way=1)) == (2000, None)
    by_cursor, by_window = rpc("DescribeConfigs", scope).apis
    follows = DescribeConfigsResponse.Cursor(resource_name="3", resource_type=kind)
    assert by_cursor.next_cursor(over_the_wire(_configs(next_cursor=follows), 5)) == ("3", kind)
    assert by_cursor.next_cursor(over_the_wire(_configs(), 5)) is None
    for api in (by_cursor, by_window):
        assert [api.key(row) for row in api.rows(_configs(), EVERYTHING)] == ["t", "u"]
