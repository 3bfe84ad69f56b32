"""A suite: a table, the counts of landed pages, and expectations of Great Expectations.

Most rules are about one row, in SQL; each is an expectation that a query for rows that break the rule finds none. Rows
that break rules are counted before (`tally`). Such expectations pass on an empty table, so every suite also compares
the number of rows with the landed pages.

A rule states what must hold for the data, and does not recompute a column: tests check that a transform is right.

`critical` is for values that we computed: a failure refuses. `warning` is for what a reader should know about the
cluster or the answers: the census is published with the warning.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import great_expectations.expectations as gxe
from great_expectations.expectations.expectation import Expectation
from great_expectations.expectations.metadata_types import FailureSeverity
from pyspark.sql import DataFrame

from kafka_census.declarations.judged import UNIQUE, Subject, query_for_breaking
from kafka_census.declarations.table import Table

Severity = Literal["critical", "warning"]


class Counted(Protocol):
    """The source of the numbers that a table is compared with."""

    def listed(self, rpc: str, scope: str) -> DataFrame:
        """The items of a walk, one column per field, and `asked_node_id`."""

    def staged(self, table: Table) -> DataFrame:
        """The rows of a table that this table is made of, with its declared columns."""


@dataclass(frozen=True)
class Rule:
    """A rule about one row: `predicate` is SQL; a row for which it is null breaks the rule."""

    name: str
    predicate: str
    description: str
    severity: Severity = "critical"

    @property
    def expectation(self) -> Expectation:
        """The expectation that no row breaks the rule."""
        return gxe.UnexpectedRowsExpectation(
            unexpected_rows_query=query_for_breaking(self.predicate),
            severity=FailureSeverity(self.severity),
            meta={"rule": self.name},
            description=self.description,
        )


@dataclass(frozen=True)
class Suite:
    """The expectations of one table.

    counts        from the landed items to a frame of one row; its columns are the expected numbers
    rules         conditions on each row
    expectations  conditions on the whole table, from the counted numbers
    """

    table: Table
    counts: Callable[[Counted], DataFrame]
    rules: tuple[Rule, ...]
    expectations: Callable[[Mapping[str, int]], tuple[Expectation, ...]]

    def subject(self, frame: DataFrame, census_id: str) -> Subject:
        """The rows of one census, with the conditions on each row."""
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
        rows = [rule.expectation for rule in self.rules_of(census_id)]
        return [*self.expectations(counted), unique, *rows]

    def rules_of(self, census_id: str) -> tuple[Rule, ...]:
        """The conditions on each row of one census: first that the row has its identity."""
        filled = " AND ".join(f"{name} IS NOT NULL" for name in ("cluster_id", "observed_at", *self.table.key))
        identity = Rule(
            "row_has_identity",
            f"census_id = '{census_id}' AND {filled}",
            "Each row carries this census, its cluster, its time and its key.",
        )
        return (identity, *self.rules)


def row_count(expected: int, description: str) -> Expectation:
    """The table has exactly this number of rows."""
    return gxe.ExpectTableRowCountToEqual(
        value=expected, severity=FailureSeverity.CRITICAL, meta={"rule": "row_count"}, description=description
    )


def least_row_count(expected: int, description: str) -> Expectation:
    """The table has at least this number of rows: its other rows cannot be counted in landed pages."""
    return gxe.ExpectTableRowCountToBeBetween(
        min_value=expected, severity=FailureSeverity.CRITICAL, meta={"rule": "row_count"}, description=description
    )


def distinct_count(column: str, expected: int, rule: str, description: str) -> Expectation:
    """A column has exactly this number of distinct values."""
    return gxe.ExpectColumnUniqueValueCountToBeBetween(
        column=column,
        min_value=expected,
        max_value=expected,
        severity=FailureSeverity.CRITICAL,
        meta={"rule": rule},
        description=description,
    )
