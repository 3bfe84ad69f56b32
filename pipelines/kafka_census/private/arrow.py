"""PySpark: the Arrow schema of a schema of Spark's.

Undocumented is `to_arrow_schema` of `pyspark.sql.pandas.types`, which needs no JVM: 4.0 and 4.1 take UTC for times, 4.2
wants to be told. Tried on PySpark 4.0.1, 4.1.1 and 4.2.0.
"""

from inspect import signature
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

_IN_UTC: dict[str, Any] = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}


def arrow_schema(schema: StructType) -> pa.Schema:
    """The columns as Arrow has them, times in UTC."""
    return to_arrow_schema(schema, **_IN_UTC)
