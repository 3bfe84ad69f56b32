"""A view or a function of the lake, and how the views and functions of a catalog are kept up to date.

A permanent view has the columns of the day on which it was created. So the last view carries a digest of all
definitions and of their columns: if that digest differs, or a view or function is missing, all are created again. Each
is created in one statement, and the digest comes with the last, so that a job that is killed leaves the old digest.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

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
    if _are_there(spark, lake, wanted) and _digest_of(spark, lake, wanted[-1]) == digest:
        return 0
    for each in wanted[:-1]:
        spark.sql(each.statement(lake))
    spark.sql(wanted[-1].statement(lake, digest))
    return len(wanted)


def _are_there(spark: SparkSession, lake: Lake, wanted: Sequence[Definition]) -> bool:
    """Whether all views and functions exist. Spark also lists those of the session, which belong to no schema.

    Names are listed, because a look for a view that is missing leaves a stack trace in the log of a Connect server.
    """
    views = {row["viewName"] for row in spark.sql(f"SHOW VIEWS IN {lake.schema}").collect() if not row["isTemporary"]}
    if not {each.name for each in wanted if each.kind == "VIEW"} <= views:
        return False
    listed = [row["function"].rpartition(".") for row in spark.sql(f"SHOW USER FUNCTIONS IN {lake.schema}").collect()]
    functions = {name for schema, _dot, name in listed if schema}
    return {each.name for each in wanted if each.kind == "FUNCTION"} <= functions


def _digest_of(spark: SparkSession, lake: Lake, view: Definition) -> str | None:
    """The digest that an existing view carries; None where it carries none."""
    found = spark.sql(f"SHOW TBLPROPERTIES {lake.in_catalog(view.name)}").collect()
    return next((row["value"] for row in found if row["key"] == _DIGEST), None)
