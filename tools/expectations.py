"""The suites as JSON, in Great Expectations' format.

`make docs` writes docs/expectations/, and a test holds its files to the code.

Each rule about one row is an expectation on a boolean column; `meta.predicate` is the SQL of that column. Values that
depend on the census, such as the number of landed rows, are parameters with their names.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from great_expectations.core import ExpectationSuite

from kafka_census.quality.cross_checks import CROSS_CHECKS
from kafka_census.quality.suite import Suite
from kafka_census.quality.suites import SUITES
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
    between = [check.expectation for check in CROSS_CHECKS]
    return files | {f"{BETWEEN}.json": _json(BETWEEN, between)}


def _listed(suite: Suite) -> list[Any]:
    predicates = {rule.name: rule.predicate for rule in suite.rules_of("${census_id}")}
    expectations = suite.all_expectations("${census_id}", _Parameters())
    for expectation in expectations:
        rule = (expectation.meta or {})["rule"]
        if rule in predicates:
            expectation.meta = {"rule": rule, "predicate": " ".join(predicates[rule].split())}
    return expectations


def _json(name: str, expectations: list[Any]) -> str:
    data = ExpectationSuite(name=name, expectations=expectations).to_json_dict()
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write(Path(sys.argv[1]), exported())
