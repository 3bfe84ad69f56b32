"""What DescribeConfigs asks, and what it makes of an answer."""

from typing import Any

import pytest

from kafka_census.kafka.paging.rpc import Ask
from kafka_census.kafka.rpc import rpc
from kafka_census.kafka.rpc.describe_configs import TOPIC_KEYS
from unit.rpc.answers import EVERYTHING, answer, items, sent


def _configs(*synonyms: tuple[str, str, int]) -> Any:
    value = {"name": "min.insync.replicas", "value": "2", "config_source": 1, "config_type": 3}
    value["synonyms"] = [{"name": name, "value": value, "source": source} for name, value, source in synonyms]
    denied = {"error_code": 29, "error_message": "no", "resource_type": 2, "resource_name": "u", "configs": []}
    return answer("DescribeConfigs", results=[{"resource_type": 2, "resource_name": "t", "configs": [value]}, denied])


def test_default_is_the_synonym_of_the_same_name() -> None:
    """Synonyms of other names are in other units: hours for milliseconds."""
    hours, own = ("log.retention.hours", "168", 5), ("min.insync.replicas", "1", 5)
    for synonyms, default in (((("min.insync.replicas", "2", 4), hours, own), "1"), ((hours,), None), ((), None)):
        item, _ = items("DescribeConfigs", "brokers", _configs(*synonyms), 4)
        assert (item["value"], item["default_value"]) == ("2", default)


@pytest.mark.parametrize(
    ("scope", "kind", "keys"), [("topics", 2, list(TOPIC_KEYS)), ("topics_all", 2, None), ("brokers", 4, None)]
)
@pytest.mark.parametrize("version", [4, 5])
def test_a_scope_asks_for_its_keys(version: int, scope: str, kind: int, keys: list[str] | None) -> None:
    """A few keys of every topic, or all; null stands for all. Only brokers are few enough for synonyms."""
    asked = sent("DescribeConfigs", scope, version, Ask(("1", "2"), None, 7))
    assert [(one.resource_type, one.resource_name) for one in asked.resources] == [(kind, "1"), (kind, "2")]
    assert [one.configuration_keys for one in asked.resources] == [keys, keys]
    assert (asked.include_synonyms, asked.include_documentation) == (scope == "brokers", False)
    for api in rpc("DescribeConfigs", scope).apis:
        assert [api.key(row) for row in api.rows(_configs(), EVERYTHING)] == ["t", "u"]
