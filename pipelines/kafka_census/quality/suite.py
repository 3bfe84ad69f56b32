"""What a suite is: a table, what to count in the landed pages, and expectations of Great Expectations.

Most rules say something about one row, in SQL; each is an expectation that a boolean column of its name, which is
never null, is true. What breaks them is counted before (`tally`). Such expectations pass on an empty table, so every
suite also compares the number of rows with what was landed.

A rule states what must hold of the data, and computes no column anew: that a transform is right is for its tests.

`critical` is for what we computed: it refuses. `warning` is for what a reader should
know about the cluster or the answers: it publishes and says so.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import great_expectations.expectations as gxe
from great_expectations.expectations.expectation import Expectation
from great_expectations.expectations.metadata_types import FailureSeverity
from pyspark.sql import DataFrame

from kafka_census.quality.tally import UNIQUE, Subject
from kafka_census.tables.table import Table

Severity = Literal["critical", "warning"]


class Counted(Protocol):
    """Where the numbers come from that a table is held against."""

    def listed(self, rpc: str, scope: str) -> DataFrame:
        """The items of a walk, one column per field, and `asked_node_id`."""

    def staged(self, table: Table) -> DataFrame:
        """The rows of a table that this one is made of, with its declared columns."""


@dataclass(frozen=True)
class Rule:
    """`predicate` is SQL over one row of the table; a row for which it is null breaks the rule."""

    name: str
    predicate: str
    description: str
    severity: Severity = "critical"


@dataclass(frozen=True)
class Suite:
    """The expectations of one table.

    counts        from what was landed to a frame of one row; its columns are the expected numbers
    rules         what holds for each row
    expectations  what holds for the whole table, from the counted numbers
    """

    table: Table
    counts: Callable[[Counted], DataFrame]
    rules: tuple[Rule, ...]
    expectations: Callable[[Mapping[str, int]], tuple[Expectation, ...]]

    def subject(self, frame: DataFrame, census_id: str) -> Subject:
        """The rows of one census, with what must hold for each."""
        rules = {rule.name: rule.predicate for rule in self.rules_of(census_id)}
        return Subject(self.table.name, frame, self.table.key, rules, self._unique)

    @property
    def _unique(self) -> tuple[str, ...]:
        return ("census_id", *self.table.key)

    def all_expectations(self, census_id: str, counted: Mapping[str, int]) -> list[Expectation]:
        """Key, whole-table and row expectations, each with its rule name in `meta`."""
        unique = gxe.ExpectCompoundColumnsToBeUnique(
            column_list=list(self._unique),
            severity=FailureSeverity.CRITICAL,
            meta={"rule": UNIQUE},
            description=f"({', '.join(self.table.key)}) names one row.",
        )
        rows = [
            gxe.ExpectColumnValuesToBeInSet(
                column=rule.name,
                value_set=[True],
                severity=FailureSeverity(rule.severity),
                meta={"rule": rule.name},
                description=rule.description,
            )
            for rule in self.rules_of(census_id)
        ]
        return [*self.expectations(counted), unique, *rows]

    def rules_of(self, census_id: str) -> tuple[Rule, ...]:
        """What holds for each row of one census: first that it has its identity."""
        filled = " AND ".join(f"{name} IS NOT NULL" for name in ("cluster_id", "observed_at", *self.table.key))
        identity = Rule(
            "row_has_identity",
            f"census_id = '{census_id}' AND {filled}",
            "Each row carries this census, its cluster, its time and its key.",
        )
        return (identity, *self.rules)


def row_count(expected: int, description: str) -> Expectation:
    """The table has exactly so many rows."""
    return gxe.ExpectTableRowCountToEqual(
        value=expected, severity=FailureSeverity.CRITICAL, meta={"rule": "row_count"}, description=description
    )


def least_row_count(expected: int, description: str) -> Expectation:
    """The table has so many rows or more: what else it has cannot be counted in landed pages."""
    return gxe.ExpectTableRowCountToBeBetween(
        min_value=expected, severity=FailureSeverity.CRITICAL, meta={"rule": "row_count"}, description=description
    )


def distinct_count(column: str, expected: int, rule: str, description: str) -> Expectation:
    """A column has exactly so many distinct values."""
    return gxe.ExpectColumnUniqueValueCountToBeBetween(
        column=column,
        min_value=expected,
        max_value=expected,
        severity=FailureSeverity.CRITICAL,
        meta={"rule": rule},
        description=description,
    )
