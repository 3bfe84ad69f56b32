"""A view or a function of the lake, and how the views and functions of a catalog are kept up to date.

A permanent view has the columns of the day on which it was created. So the last view carries a digest of all
definitions and of their columns: if that digest differs, or a view or function is missing, all are created again. Each
is created in one statement, and the digest comes with the last, so that a job that is killed leaves the old digest.
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
    columns  the columns of the result, with their types
    """

    kind: str
    name: str
    text: str
    columns: str

    def statement(self, lake: Lake, digest: str | None = None) -> str:
        """The CREATE OR REPLACE statement: temporary on a path, permanent in a catalog."""
        new = f"TEMPORARY {self.kind} {self.name}" if lake.root else f"{self.kind} {lake.in_catalog(self.name)}"
        if self.kind == "FUNCTION":
            return f"CREATE OR REPLACE {new}(time TIMESTAMP) RETURNS TABLE RETURN {self.text}"
        properties = "" if digest is None else f" TBLPROPERTIES ('{_DIGEST}' = '{digest}')"
        return f"CREATE OR REPLACE {new}{properties} AS {self.text}"


def make_permanent(spark: SparkSession, lake: Lake, wanted: Sequence[Definition]) -> int:
    """Create all definitions in the lake's catalog unless they are up to date; returns the number of created ones.

    wanted  the last one is a view, and is created last
    """
    digest = hashlib.sha256(repr(wanted).encode()).hexdigest()
    if _digest_of(spark, lake, wanted[-1]) == digest and {each.name for each in wanted} <= _names(spark, lake):
        return 0
    for each in wanted[:-1]:
        spark.sql(each.statement(lake))
    spark.sql(wanted[-1].statement(lake, digest))
    return len(wanted)


def _digest_of(spark: SparkSession, lake: Lake, view: Definition) -> str | None:
    """The digest that a view carries; None where the view does not exist, or carries none."""
    try:
        found = spark.sql(f"SHOW TBLPROPERTIES {lake.in_catalog(view.name)}").collect()
    except AnalysisException as error:
        if error.getCondition() == "TABLE_OR_VIEW_NOT_FOUND":
            return None
        raise
    return next((row["value"] for row in found if row["key"] == _DIGEST), None)


def _names(spark: SparkSession, lake: Lake) -> set[str]:
    """The names of existing views and functions."""
    views = spark.sql(f"SHOW VIEWS IN {lake.schema}").collect()
    functions = spark.sql(f"SHOW USER FUNCTIONS IN {lake.schema}").collect()
    return {row["viewName"] for row in views} | {row["function"].rpartition(".")[2] for row in functions}
