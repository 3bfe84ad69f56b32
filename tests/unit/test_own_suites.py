"""An operator's own suites: what is wrong with a file is one line that names it, before anything is sent."""

import json
from pathlib import Path

import pytest

from kafka_census.errors import ConfigError
from kafka_census.quality.own_suites import of_table, own_suites
from kafka_census.quality.suites import SUITES

NOT_NULL = {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "lag"}}


def written(folder: Path, name: str, content: object) -> Path:
    """The folder, with one file more."""
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_no_folder_is_no_suite(tmp_path: Path) -> None:
    """Nobody has to have expectations of their own."""
    assert own_suites(tmp_path / "nowhere", SUITES) == ()


def test_files_of_a_table_are_read_together(tmp_path: Path) -> None:
    """The name up to the first dot is the table; an expectation's rule is its name, or its type and column."""
    named = NOT_NULL | {"meta": {"rule": "lag_is_there"}, "severity": "warning"}
    written(tmp_path, "group_lag.json", {"name": "x", "expectations": [NOT_NULL]})
    written(tmp_path, "group_lag.team-a.json", {"expectations": [named]})
    written(tmp_path, "brokers.json", {"expectations": [NOT_NULL]})
    suites = own_suites(tmp_path, SUITES)
    found = of_table(suites, "group_lag")
    assert [expectation.meta["rule"] for expectation in found] == [
        "expect_column_values_to_not_be_null(lag)",
        "lag_is_there",
    ]
    assert [expectation.severity.value for expectation in found] == ["critical", "warning"]
    assert len(of_table(suites, "brokers")) == 1
    assert of_table(suites, "quotas") == []


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("nope.json", {"expectations": [NOT_NULL]}, "there is no table 'nope'"),
        ("brokers.json", "{", "cannot be read as JSON"),
        ("brokers.json", [], "holds no list 'expectations'"),
        ("brokers.json", {"expectations": []}, "holds no list 'expectations'"),
        ("brokers.json", {"expectations": ["x"]}, "expectation 1 has no type"),
        (
            "brokers.json",
            {"expectations": [NOT_NULL, {"type": "expect_luck", "kwargs": {}}]},
            "expectation 2 (expect_luck)",
        ),
        ("brokers.json", {"expectations": [{"type": NOT_NULL["type"], "kwargs": {"colum": "x"}}]}, "field required"),
        ("brokers.json", {"expectations": [NOT_NULL | {"severity": "bad"}]}, "Invalid severity 'bad'"),
        ("brokers.json", {"expectations": [NOT_NULL, NOT_NULL]}, "is there already; name it with meta.rule"),
        ("brokers.json", {"expectations": [NOT_NULL | {"meta": {"rule": "broker_is_alive"}}]}, "is there already"),
    ],
)
def test_what_is_wrong_is_one_line_with_its_file(tmp_path: Path, name: str, content: object, said: str) -> None:
    """Exit code 2: nothing was sent."""
    with pytest.raises(ConfigError) as refused:
        own_suites(written(tmp_path, name, content), SUITES)
    line = str(refused.value)
    assert line.startswith(f"{tmp_path / name}: ")
    assert said in line
    assert "\n" not in line
