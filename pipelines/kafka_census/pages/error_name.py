"""The name of an item's error code, as a column."""

from pyspark.sql import Column
from pyspark.sql import functions as F

from kafka_census.error_codes import NAMES

_LOWEST = min(NAMES)
_NAMES = ",".join(NAMES.get(code, "") for code in range(_LOWEST, max(NAMES) + 1))
"""All names in one string, from the lowest code on: a literal per name took a tenth of a transform's time."""


def error_name(code: Column) -> Column:
    """The name of an item's error code; null for 0 and null; ERROR_<code> for a code without a name."""
    name = F.get(F.split(F.lit(_NAMES), ","), code - F.lit(_LOWEST))
    return F.when(code != 0, F.coalesce(F.nullif(name, F.lit("")), F.concat(F.lit("ERROR_"), code.cast("string"))))
