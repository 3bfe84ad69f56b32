"""The suites as JSON, in Great Expectations' format.

`make docs` writes docs/expectations/, and a test holds its files to the code.

Each rule about one row is a query for the rows that break it. Values that depend on the census, such as the number of
landed rows, are parameters with their names.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from great_expectations.core import ExpectationSuite
from great_expectations.expectations import UnexpectedRowsExpectation
from great_expectations.expectations.expectation import Expectation

from kafka_census.census.gate.cross_checks import CROSS_CHECKS
from kafka_census.declarations.rules import Suite
from kafka_census.tables.suites import SUITES
from tools.generated import write

BETWEEN = "between_tables"


class _Parameters(Mapping[str, Any]):
    """A mapping that returns for every count the parameter of its name."""

    def __getitem__(self, name: str) -> Any:
        return {"$PARAMETER": name}

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def exported() -> dict[str, str]:
    """JSON by file name: one suite per table, and the checks between tables."""
    files = {f"{suite.table.name}.json": _json(suite.table.name, _listed(suite)) for suite in SUITES}
    between: list[Expectation] = [check.expectation for check in CROSS_CHECKS]
    return files | {f"{BETWEEN}.json": _json(BETWEEN, between)}


def _listed(suite: Suite) -> list[Expectation]:
    expectations = suite.all_expectations("$census_id", _Parameters())
    for expectation in expectations:
        if isinstance(expectation, UnexpectedRowsExpectation):
            expectation.unexpected_rows_query = " ".join(str(expectation.unexpected_rows_query).split())
    return expectations


def _json(name: str, expectations: list[Expectation]) -> str:
    data = ExpectationSuite(name=name, expectations=expectations).to_json_dict()
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write(Path(sys.argv[1]), exported())
