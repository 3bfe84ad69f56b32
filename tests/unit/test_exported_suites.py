"""docs/expectations is what the suites say."""

import json
from pathlib import Path

from great_expectations.core import ExpectationSuite

from kafka_census.tables import TABLES
from tools.expectations import BETWEEN, exported

FOLDER = Path(__file__).parents[2] / "docs" / "expectations"


def test_the_exported_suites_are_the_ones_in_code() -> None:
    """`make docs` was run: a file per table, and one of what holds between tables."""
    assert {file.name: file.read_text(encoding="utf-8") for file in FOLDER.iterdir()} == exported()
    assert set(exported()) == {f"{table.name}.json" for table in TABLES} | {f"{BETWEEN}.json"}


def test_every_exported_suite_is_read_by_great_expectations() -> None:
    for text in exported().values():
        data = json.loads(text)
        assert len(ExpectationSuite(**data).expectations) == len(data["expectations"]) > 0
    lag = json.loads(exported()["group_lag.json"])["expectations"]
    assert {"$PARAMETER": "groups"} in [each["kwargs"].get("value") for each in lag]
    assert any("lag_unassigned" in each["kwargs"].get("unexpected_rows_query", "") for each in lag)
