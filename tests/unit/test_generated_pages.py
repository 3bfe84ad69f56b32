"""What `make docs` writes is what the code says: codes, the command's options, and suites of Great Expectations."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from great_expectations.core import ExpectationSuite

from kafka_census.defaults import RULES
from kafka_census.kafka.error_codes import MEANINGS, OURS
from kafka_census.tables.all_tables import TABLES
from tools import alert_rules, codes, command, expectations, problems

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("folder", "made"),
    [
        ("codes", codes.reference),
        ("command-reference", command.reference),
        ("expectations", expectations.exported),
        ("problems", problems.reference),
    ],
)
def test_a_generated_page_is_what_the_code_says(folder: str, made: Callable[[], Mapping[str, str]]) -> None:
    assert {file.name: file.read_text(encoding="utf-8") for file in (DOCS / folder).iterdir()} == made()


def test_the_rules_of_prometheus_are_what_tables_declare() -> None:
    assert RULES.read_text(encoding="utf-8") == alert_rules.rules()


def test_every_code_of_the_census_and_every_error_is_there() -> None:
    (page,) = codes.reference().values()
    assert {code.name for code in MEANINGS} == set(OURS.values())
    assert all(f"| `{kind.__name__}` |" in page for kind in codes.kinds())


def test_every_exported_suite_is_read_by_great_expectations() -> None:
    exported = expectations.exported()
    assert set(exported) == {f"{table.name}.json" for table in TABLES} | {f"{expectations.BETWEEN}.json"}
    for text in exported.values():
        data = json.loads(text)
        assert len(ExpectationSuite(**data).expectations) == len(data["expectations"]) > 0
    lag = json.loads(exported["group_lag.json"])["expectations"]
    assert {"$PARAMETER": "groups"} in [each["kwargs"].get("value") for each in lag]
    assert any("lag_unassigned" in each["kwargs"].get("unexpected_rows_query", "") for each in lag)
