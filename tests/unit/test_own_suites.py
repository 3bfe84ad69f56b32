"""An operator's own suites: what is wrong with a file is one line that names it, before anything is sent."""

import json
from pathlib import Path

import pytest

from kafka_census.census.gate.own_suites import own_suites
from kafka_census.census.gate.rule_names import reserved
from kafka_census.declarations.walks import WALKS
from kafka_census.errors import ConfigError
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.suites import SUITES

DOCS = Path(__file__).parents[2] / "docs" / "expectations"
NOT_NULL = {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "lag"}}


def written(folder: Path, name: str, content: object) -> Path:
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


@pytest.fixture(scope="module")
def exported() -> dict[str, str]:
    """Our own suites as files. What makes them takes seconds to import, and is not needed to collect these tests."""
    from tools.expectations import exported

    return exported()


def test_our_own_suites_are_those_of_docs_and_are_read_by_great_expectations(exported: dict[str, str]) -> None:
    from great_expectations.core import ExpectationSuite

    assert {file.name: file.read_text(encoding="utf-8") for file in DOCS.iterdir()} == exported
    assert set(exported) == {f"{table.name}.json" for table in TABLES} | {"between_tables.json"}
    for suite in exported.values():
        data = json.loads(suite)
        assert len(ExpectationSuite(**data).expectations) == len(data["expectations"]) > 0


def test_files_of_a_table_are_read_together_and_no_folder_is_no_suite(tmp_path: Path) -> None:
    assert own_suites(tmp_path / "nowhere", SUITES) == ()
    named = NOT_NULL | {"meta": {"rule": "lag_is_there"}, "severity": "warning"}
    written(tmp_path, "group_lag.json", {"name": "x", "expectations": [NOT_NULL]})
    written(tmp_path, "group_lag.team-a.json", {"expectations": [named]})
    written(tmp_path, "brokers.json", {"expectations": [NOT_NULL]})
    suites = own_suites(tmp_path, SUITES)
    found = [each for suite in suites if suite.table_name == "group_lag" for each in suite.expectations]
    assert [(expectation.meta["rule"], expectation.severity.value) for expectation in found] == [
        ("expect_column_values_to_not_be_null(lag)", "critical"),
        ("lag_is_there", "warning"),
    ]
    assert sorted(suite.table_name for suite in suites) == ["brokers", "group_lag", "group_lag"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("nope.json", {"expectations": [NOT_NULL]}, "there is no table 'nope'"),
        ("brokers.json", "{\n", ":2: cannot be read as JSON: Expecting property name"),
        ("brokers.json", b"{\n\xff", ":2: cannot be read as JSON: it is not UTF-8 text"),
        ("brokers.json", "[" * 100_000, "cannot be read as JSON: it is nested too deeply"),
        ("brokers.json", '{"expectations": [], "expectations": []}', "'expectations' is given twice"),
        ("brokers.json", {"expectations": []}, "holds no list 'expectations'"),
        ("brokers.json", {"expectations": ["x"]}, "expectation 1 has no type"),
        ("brokers.json", {"expectations": [NOT_NULL, {"type": "expect_it"}]}, "expectation 2 (expect_it)"),
        ("brokers.json", {"expectations": [{"type": NOT_NULL["type"], "kwargs": {"colum": "x"}}]}, "field required"),
        ("brokers.json", {"expectations": [NOT_NULL | {"severity": "bad"}]}, "Invalid severity 'bad'"),
        ("brokers.json", {"expectations": [NOT_NULL, NOT_NULL]}, "is there already; name it with meta.rule"),
    ],
)
def test_what_is_wrong_is_one_line_with_its_file(tmp_path: Path, name: str, content: object, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        own_suites(written(tmp_path, name, content), SUITES)
    line = str(refused.value)
    assert line.startswith(f"{tmp_path / name}:")
    assert said in line
    assert "\n" not in line


@pytest.mark.parametrize("rule", ["broker_is_alive", "row_count", "rows_are_kept", "ListGroups/groups is complete"])
def test_no_expectation_is_called_as_a_rule_of_ours(tmp_path: Path, rule: str) -> None:
    """Of whatever kind and table: its verdict would stand instead of ours."""
    passing = {"type": "expect_table_row_count_to_be_between", "kwargs": {"min_value": 0}, "meta": {"rule": rule}}
    with pytest.raises(ConfigError) as refused:
        own_suites(written(tmp_path, "brokers.json", {"expectations": [passing]}), SUITES)
    said = f"rule '{rule}' is a rule of kafka-census already; give it another meta.rule"
    assert (str(refused.value), refused.value.exit_code) == (f"{tmp_path / 'brokers.json'}: {said}", 2)


def test_every_rule_that_a_verdict_may_have_is_reserved(exported: dict[str, str]) -> None:
    names = reserved(SUITES)
    assert {"row_count", "topic_count", "rows_are_kept", "rows_grow_slowly", "answers_are_of_one_time"} <= names
    assert {"brokers_are_known", "under_min_isr_partitions_brokers_are_known", "partitions_are_contiguous"} <= names
    assert {f"{what} are visible" for what in ("groups", "topics", "transactional ids")} <= names
    written_out = (json.loads(text)["expectations"] for text in exported.values())
    assert {one["meta"]["rule"] for some in written_out for one in some} <= names
    walks = {f"{walk.rpc}/{walk.scope} is complete" for walk in WALKS}
    assert {walk for walk in names if walk.endswith(" is complete")} == walks
