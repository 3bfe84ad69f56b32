"""What a suite says of planted rows: each table has its own file here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import ArrayType, StringType

from kafka_census.declarations.judged import UNIQUE
from kafka_census.declarations.rules import Suite
from spark.fake_lake import NOON, bare
from spark.landed_items import local_frame

Row = Mapping[str, Any]
IDENTITY = {"census_id": "now", "cluster_id": "kraft-id", "observed_at": NOON}


def planted(spark: SparkSession, suite: Suite, rows: Sequence[Row]) -> DataFrame:
    """Rows of the suite's table; a column that is not given is null, an array that is not given is empty."""
    schema = bare(suite.table.schema)
    empty = {field.name: [] for field in schema.fields if isinstance(field.dataType, ArrayType)}
    return local_frame(spark, schema, [empty | dict(row) for row in rows])


def row(**columns: Any) -> dict[str, Any]:
    """Columns, where a literal would take a line for each."""
    return columns


@dataclass(frozen=True)
class Faults:
    """Planted rows of a table: every rule of its suite has a row that breaks it.

    right     columns of a row that breaks no rule; the first column of its key that is left out is filled by row
    wrong     by rule, the columns that break it in the right row
    valid     by name, the columns of a right row of another kind
    apart     the same, of a row that shares nothing with `right`
    besides   by name or rule, the rules that its row breaks as well: warnings for most
    counts    the landed numbers that the table is compared with, as computed from its rows
    at_least  it may have more rows than were landed
    """

    suite: Suite
    right: Row
    wrong: Mapping[str, Row]
    valid: Mapping[str, Row]
    apart: Mapping[str, Row] = field(default_factory=dict)
    besides: Mapping[str, set[str]] = field(default_factory=dict)
    counts: Mapping[str, Callable[[Sequence[Row]], int]] = field(default_factory=dict)
    at_least: bool = False

    def planted(self) -> list[tuple[str, Row]]:
        """Each row with its name or rule; the right row is planted twice, too."""
        by = next(name for name in self.suite.table.key if name not in self.right)
        numbered = self.suite.table.schema[by].dataType != StringType()
        wrong = {"row_has_identity": {"cluster_id": None}, **self.wrong, UNIQUE: {}}
        rows = {name: {**self.right, **columns} for name, columns in {**self.valid, **wrong}.items()}
        named = [
            (name, IDENTITY | {by: number if numbered else name} | dict(columns))
            for number, (name, columns) in enumerate({**rows, **self.apart}.items(), 1)
        ]
        return [*named, *(pair for pair in named if pair[0] == UNIQUE)]

    def broken(self) -> dict[str, set[str]]:
        """The rules that each row breaks, by its name."""
        right = {*self.valid, *self.apart}
        return {name: self.besides.get(name, set()) | ({name} - right - {UNIQUE}) for name, _ in self.planted()}
