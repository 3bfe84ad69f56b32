"""Scenario files: each can be read and served; what is wrong with one is one line."""

from pathlib import Path
from typing import Any

import pytest

from kafka_census.emulator.__main__ import server_of
from kafka_census.emulator.scenario import FOLDER, Scenario, read
from kafka_census.errors import ConfigError

NAMES = (
    "calm",
    "coordinators_move",
    "hostile",
    "hot_producers",
    "huge_group",
    "narrow_acls",
    "old_brokers",
    "one_broker_down",
    "rolling_restart",
    "topics_deleted_midway",
)


def test_the_scenarios_are_those_of_the_folder() -> None:
    """None is there that no test reads."""
    assert tuple(sorted(path.stem for path in FOLDER.glob("*.yaml"))) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_says_what_it_is_about(name: str) -> None:
    """In a sentence; its cluster can be made."""
    scenario = read(name)
    assert scenario.about.endswith(".")
    assert len(server_of(scenario).world.topics.names) > 0


def test_the_command_line_changes_what_the_file_says() -> None:
    """For all brokers."""
    changes: dict[str, Any] = {"brokers.count": 5, "groups.count": 7, "kip_1062": True, "kip_1062_of": {}}
    scenario = read("old_brokers", changes | {"as_version": "4.3", "as_versions": {}})
    assert (scenario.brokers.count, scenario.groups.count) == (5, 7)
    assert {speaks.kip_1062 for speaks in server_of(scenario).speaks.values()} == {True}


WRONG = {
    "grups: {count: 1}": "unknown key 'grups'",
    "groups: {cuont: 1}": "unknown key 'groups.cuont'",
    "groups: {count: many}": "groups.count: input should be a valid integer",
    "groups: 5": "groups: input should be",
    "- a": "must be sections such as 'groups:', not a single value",
    "groups: [": "not valid YAML",
    "faults: [{do: explode}]": "unknown key 'faults.0.do.explode'",
    "faults: [{do: {drop: true, delay_ms: 5}}]": "faults.0.do: do exactly one thing",
    "faults: [{api: ListGroups}]": "faults.0.do: field required",
    "events: [{after_ms: 5, do: drop}]": "events.0: an event changes the cluster; drop belongs to a fault",
    "brokers: {stopped: [4]}": "the file: brokers are 1 to 3; there is no broker 4",
    "topics: {declared: [{name: a, states: [{partition: 1}]}]}": "topic 'a' has 1 partitions, not number 1",
    "security: {acls: [{resource_type: SHELF, resource_name: a}]}": "security.acls.0.resource_type: input should be",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_one_line_with_the_files_name(text: str, tmp_path: Path) -> None:
    """And where in it."""
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        read(path)
    assert str(error.value).startswith(f"{path}: ")
    assert WRONG[text] in str(error.value)
    assert "\n" not in str(error.value)


def test_a_scenario_that_is_not_there_names_those_that_are() -> None:
    """By name."""
    with pytest.raises(ConfigError, match=r"conf/scenarios/quiet\.yaml: no such scenario; there are calm, "):
        read("quiet")


def test_a_fault_of_an_api_that_is_not_there_is_refused() -> None:
    """It would never be hit."""
    scenario = Scenario.model_validate({"faults": [{"api": "ListGruops", "do": "drop"}]})
    with pytest.raises(ConfigError, match="a fault names the API 'ListGruops'; there are ApiVersions, "):
        server_of(scenario)
