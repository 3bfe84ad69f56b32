"""Scenario files: what is wrong with one is one line. Each is served in test_scenarios_walked.py."""

from pathlib import Path
from typing import Any

import pytest

from kafka_census.errors import ConfigError
from kafka_emulator.__main__ import server_of
from kafka_emulator.features import LATEST
from kafka_emulator.scenario import Scenario
from kafka_emulator.scenario_file import read


def test_the_command_line_changes_what_the_file_says() -> None:
    changes: dict[str, Any] = {"brokers.count": 5, "groups.count": 7, "kip_1062": True, "kip_1062_of": {}}
    scenario = read("old_brokers", changes | {"as_version": LATEST, "as_versions": {}})
    assert (scenario.brokers.count, scenario.groups.count) == (5, 7)
    assert {speaks.kip_1062 for speaks in server_of(scenario).speaks.values()} == {True}


@pytest.mark.parametrize(
    ("said", "shapes"),
    [
        ({}, {(True, True)}),
        ({"kip_1062": False}, {(False, False)}),
        ({"kip_1062": False, "kip_637": True}, {(False, True)}),
        ({"kip_1062": True, "kip_637": False}, {(True, False)}),
        ({"kip_1062_of": {2: False}}, {(True, True), (False, False)}),
    ],
)
def test_each_draft_can_be_had_without_the_other(said: dict[str, Any], shapes: set[tuple[bool, bool]]) -> None:
    speaks = server_of(read("calm", said)).speaks.values()
    assert {(one.kip_1062, one.kip_637) for one in speaks} == shapes


def test_the_oldest_broker_decides_what_groups_there_are() -> None:
    world = server_of(read("calm", {"as_versions": {2: "3.9"}})).world
    assert {shape.type for shape in world.groups.all_shapes} == {"classic"}
    declared = world.groups.get("shipping")
    assert declared is not None
    assert (declared.shape.type, declared.shape.state, declared.members) == ("classic", "Stable", 2)


WRONG = """
groups: {cuont: 1} -> unknown key 'groups.cuont'
groups: {count: many} -> groups.count: input should be a valid integer
faults: [{do: {drop: true, delay_ms: 5}}] -> faults.0.do: do exactly one thing
faults: [{api: ListGroups}] -> faults.0.do: field required
events: [{after_ms: 5, do: drop}] -> events.0: an event changes the cluster; drop belongs to a fault
groups: {declared: [{id: g, type: share, state: Assigning}]} -> a share group is Stable, Empty or Dead, not Assigning
security: {quotas: [{entity: {ip: i, user: u}, values: {}}]} -> security.quotas.0: an ip is an entity of its own
topics: {declared: [{name: a, states: [{partition: 1}]}]} -> topic 'a' has 1 partitions, not number 1
topics: {declared: [{name: a b}]} -> topics.declared.0.name: 'a b' is no possible name of a topic
topics: {declared: [{name: a, configs: {a.b: c}}]} -> topics.declared.0.configs: there is no such config as 'a.b'
topics: {declared: [{name: a, futures: [{partition: 0, broker: 1, log_dir: 2}]}]} -> have 1 log dirs, not number 2
brokers: {stopped: [4]} -> brokers.stopped: brokers are 1 to 3; there is no broker 4
brokers: {configs: {min.insync.replicas: two}} -> brokers.configs.min.insync.replicas: must be a whole
groups: {declared: [{id: g, topics: [gone]}]} -> groups.declared.0.topics: there is no topic 'gone'
groups: {declared: [{id: g, offsets: [{topic: topic-00009, partition: 6, offset: 1}]}]} -> 6 partitions, not number 6
transactions: {declared: [{id: t, producer_id: 1, partitions: [[__consumer_offsets, 50]]}]} -> not number 50
security: {quotas: [{entity: {user: u}, values: {}}, {entity: {user: u}, values: {}}]} -> 'u')]' is there twice
security: {acls: [{resource_type: TRANSACTIONAL_ID, resource_name: a, operation: READ}]} -> type TRANSACTIONAL_ID
security: {acls: [{resource_type: CLUSTER, resource_name: mine}]} -> the only cluster is 'kafka-cluster'
faults: [{do: {restart: {brokers: [4]}}}] -> faults.0.do.restart.brokers: brokers are 1 to 3; there is no broker 4
faults: [{do: {move_coordinators: {to: 1, partitions: [50]}}}] -> has 50 partitions, not number 50
events: [{after_ms: 1, do: {delete_topics: [topic-00010]}}] -> 0.do.delete_topics: there is no topic 'topic-00010'
"""
"""What a file says, and what is wrong with it; what all YAML files may be is a test of configurations."""


@pytest.mark.parametrize("line", WRONG.strip().splitlines())
def test_what_is_wrong_is_one_line_with_the_files_name(line: str, tmp_path: Path) -> None:
    text, _, wrong = line.partition(" -> ")
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        read(path)
    assert str(error.value).startswith(f"{path}:")
    assert wrong in str(error.value)
    assert "\n" not in str(error.value)


def test_what_a_deed_creates_is_there(tmp_path: Path) -> None:
    """A topic may be deleted that is created before, a group may read one that comes later, or is generated."""
    path = tmp_path / "mine.yaml"
    path.write_text("""
groups: {declared: [{id: g, topics: [late, topic-00009]}]}
faults: [{do: {create_topics: [{name: late}]}}, {do: {create_groups: [new]}}]
events:
  - {after_ms: 1, do: {delete_topics: [late, topic-00000, __transaction_state]}}
  - {after_ms: 1, do: {delete_groups: [new, g, group-0000099]}}
""")
    assert len(read(path).events) == 2


def test_a_fault_of_an_api_that_is_not_there_is_refused() -> None:
    scenario = Scenario.model_validate({"faults": [{"api": "ListGruops", "do": "drop"}]})
    with pytest.raises(ConfigError, match="a fault names the API 'ListGruops'; there are ApiVersions, "):
        server_of(scenario)
