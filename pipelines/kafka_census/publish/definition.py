"""What a view or a function of the lake is, and how those of a catalog are kept as they should be.

A permanent view has the columns of the day on which it was made. So the last view that is made bears a digest of all
definitions and of the columns that they show: where that is another, or a view or function is missing, all are made
again. Each is made in one statement, and the digest comes with the last, so that whoever is cut off leaves the old one.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from kafka_census.lake.lake import Lake

_DIGEST = "kafka_census.digest"


@dataclass(frozen=True)
class Definition:
    """A view, or a function of a time that returns a table.

    kind     VIEW or FUNCTION
    text     the query
    columns  those that it shows, with their types
    """

    kind: str
    name: str
    text: str
    columns: str

    def statement(self, lake: Lake, digest: str | None = None) -> str:
        """CREATE OR REPLACE: temporary on a path, permanent in a catalog."""
        new = f"TEMPORARY {self.kind} {self.name}" if lake.root else f"{self.kind} {lake.in_catalog(self.name)}"
        if self.kind == "FUNCTION":
            return f"CREATE OR REPLACE {new}(time TIMESTAMP) RETURNS TABLE RETURN {self.text}"
        properties = "" if digest is None else f" TBLPROPERTIES ('{_DIGEST}' = '{digest}')"
        return f"CREATE OR REPLACE {new}{properties} AS {self.text}"


def make_permanent(spark: SparkSession, lake: Lake, wanted: Sequence[Definition]) -> int:
    """Make all of them in the lake's catalog unless they are there as they should be; how many were made.

    wanted  the last one is a view, and made last
    """
    digest = hashlib.sha256(repr(wanted).encode()).hexdigest()
    if _digest_of(spark, lake, wanted[-1]) == digest and {each.name for each in wanted} <= _names(spark, lake):
        return 0
    for each in wanted[:-1]:
        spark.sql(each.statement(lake))
    spark.sql(wanted[-1].statement(lake, digest))
    return len(wanted)


def _digest_of(spark: SparkSession, lake: Lake, view: Definition) -> str | None:
    """The digest that a view bears; None where it is not there, or bears none."""
    try:
        found = spark.sql(f"SHOW TBLPROPERTIES {lake.in_catalog(view.name)}").collect()
    except AnalysisException as error:
        if error.getCondition() == "TABLE_OR_VIEW_NOT_FOUND":
            return None
        raise
    return next((row["value"] for row in found if row["key"] == _DIGEST), None)


def _names(spark: SparkSession, lake: Lake) -> set[str]:
    """The views and functions that are there."""
    views = spark.sql(f"SHOW VIEWS IN {lake.schema}").collect()
    functions = spark.sql(f"SHOW USER FUNCTIONS IN {lake.schema}").collect()
    return {row["viewName"] for row in views} | {row["function"].rpartition(".")[2] for row in functions}
