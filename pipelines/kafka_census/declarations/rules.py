"""A suite: a table, the counts of landed pages, and the rules that its rows must keep.

Most rules are about one row, in SQL; they pass on an empty table, so every suite also compares numbers of the whole
table, such as that of its rows, with the landed pages. The gate judges both from counts (`census/gate/tally.py`);
`make docs` exports them as suites of Great Expectations, for those who extend them.

A rule states what must hold for the data, and does not recompute a column: tests check that a transform is right.

`critical` is for values that we computed: a failure refuses. `warning` is for what a reader should know about the
cluster or the answers: the census is published with the warning.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from pyspark.sql import DataFrame

from kafka_census.declarations.judged import UNIQUE, Subject
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


@dataclass(frozen=True)
class Bounds:
    """A rule about one number of a whole table: it is at least `least` and at most `most`, where these are not None."""

    name: str
    description: str
    least: int | None = None
    most: int | None = None
    severity: Severity = "critical"


@dataclass(frozen=True)
class Total:
    """A rule that a number of the whole table is one that was counted in landed pages.

    name      the name of the rule
    counted   the column of the suite's counts that it is compared with
    of        what is counted: all rows, the distinct values of a column, or the sum of a column
    at_least  whether the table may have more, since its other rows cannot be counted in landed pages
    """

    name: str
    counted: str
    description: str
    of: Literal["rows", "distinct", "sum"] = "rows"
    column: str = ""
    at_least: bool = False

    @property
    def sql(self) -> str:
        """The number, as an aggregate over the rows of the table."""
        if self.of == "rows":
            return "count(*)"
        return f"count(DISTINCT {self.column})" if self.of == "distinct" else f"coalesce(sum({self.column}), 0)"

    def bounds(self, counted: Mapping[str, int]) -> Bounds:
        """The rule, with the numbers of one census."""
        number = counted[self.counted]
        return Bounds(self.name, self.description, number, None if self.at_least else number)


def row_count(counted: str, description: str, *, at_least: bool = False) -> Total:
    """The table has exactly, or at least, as many rows as were counted."""
    return Total("row_count", counted, description, at_least=at_least)


@dataclass(frozen=True)
class Suite:
    """The rules of one table.

    counts  from the landed items to a frame of one row; its columns are the numbers that `totals` name
    rules   conditions on each row
    totals  conditions on the whole table
    """

    table: Table
    counts: Callable[[Counted], DataFrame]
    rules: tuple[Rule, ...]
    totals: tuple[Total, ...] = ()

    @property
    def unique(self) -> tuple[str, ...]:
        """The columns that name one row."""
        return ("census_id", *self.table.key)

    @property
    def key_rule(self) -> Bounds:
        """The rule that no two rows have the same key: of such rows there are none."""
        return Bounds(UNIQUE, f"({', '.join(self.table.key)}) names one row.", most=0)

    def subject(self, frame: DataFrame, census_id: str) -> Subject:
        """The rows of one census, with what is counted of them."""
        rules = {rule.name: rule.predicate for rule in self.rules_of(census_id)}
        totals = {total.name: total.sql for total in self.totals}
        return Subject(self.table.name, frame, self.table.key, rules, self.unique, totals)

    def rules_of(self, census_id: str) -> tuple[Rule, ...]:
        """The conditions on each row of one census: first that the row has its identity."""
        filled = " AND ".join(f"{name} IS NOT NULL" for name in ("cluster_id", "observed_at", *self.table.key))
        identity = Rule(
            "row_has_identity",
            f"census_id = '{census_id}' AND {filled}",
            "Each row carries this census, its cluster, its time and its key.",
        )
        return (identity, *self.rules)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all rules."""
        return (*(total.name for total in self.totals), UNIQUE, *(rule.name for rule in self.rules_of("")))
