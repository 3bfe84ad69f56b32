"""Our suites as JSON, in Great Expectations' format, for those who extend them or judge tables elsewhere.

`make docs` writes docs/expectations/, and a test holds its files to the code. Each rule about one row is a query for
the rows that break it. Values that depend on the census, such as the number of landed rows, are parameters with their
names.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import great_expectations.expectations as gxe
from great_expectations.core import ExpectationSuite
from great_expectations.expectations.expectation import Expectation
from great_expectations.expectations.metadata_types import FailureSeverity

from kafka_census.census.gate.cross_checks import CROSS_CHECKS
from kafka_census.declarations.judged import breaks
from kafka_census.declarations.rules import Rule, Suite, Total
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
    files = {
        f"{suite.table.name}.json": _json(suite.table.name, expectations_of(suite, "$census_id", _Parameters()))
        for suite in SUITES
    }
    between = [_of_rule(check.condition) for check in CROSS_CHECKS]
    return files | {f"{BETWEEN}.json": _json(BETWEEN, between)}


def expectations_of(suite: Suite, census_id: str, counted: Mapping[str, Any]) -> list[Expectation]:
    """The expectations of a suite, each with the name of its rule in `meta`."""
    key = suite.key_rule
    unique = gxe.ExpectCompoundColumnsToBeUnique(
        column_list=list(suite.unique), description=key.description, **_named(key.name, key.severity)
    )
    totals = [_of_total(total, counted[total.counted]) for total in suite.totals]
    return [*totals, unique, *map(_of_rule, suite.rules_of(census_id))]


def _of_rule(rule: Rule) -> Expectation:
    """The expectation that no row breaks the rule; in its queries literal braces are doubled."""
    broken = breaks(" ".join(rule.predicate.split())).replace("{", "{{").replace("}", "}}")
    return gxe.UnexpectedRowsExpectation(
        unexpected_rows_query=f"SELECT * FROM {{batch}} WHERE {broken}",
        description=rule.description,
        **_named(rule.name, rule.severity),
    )


def _of_total(total: Total, number: Any) -> Expectation:
    named = _named(total.name, "critical") | {"description": total.description}
    if total.of == "distinct":
        return gxe.ExpectColumnUniqueValueCountToBeBetween(
            column=total.column, min_value=number, max_value=number, **named
        )
    if total.of == "sum":
        return gxe.ExpectColumnSumToBeBetween(column=total.column, min_value=number, max_value=number, **named)
    if total.at_least:
        return gxe.ExpectTableRowCountToBeBetween(min_value=number, **named)
    return gxe.ExpectTableRowCountToEqual(value=number, **named)


def _named(rule: str, severity: str) -> dict[str, Any]:
    return {"severity": FailureSeverity(severity), "meta": {"rule": rule}}


def _json(name: str, expectations: list[Expectation]) -> str:
    data = ExpectationSuite(name=name, expectations=expectations).to_json_dict()
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write(Path(sys.argv[1]), exported())
