"""The name of an item's error code, as a column."""

from pyspark.sql import Column
from pyspark.sql import functions as F

from kafka_census.kafka.error_codes import NAMES

_LOWEST = min(NAMES)
_NAMES = ",".join(NAMES.get(code, "") for code in range(_LOWEST, max(NAMES) + 1))
"""All names in one string, from the lowest code on: a literal per name took a tenth of a transform's time."""


def error_name(code: str) -> Column:
    """The name of an item's error code, a column; null for 0 and null; ERROR_<code> for a code without a name."""
    name = f"nullif(get(split('{_NAMES}', ','), {code} - ({_LOWEST})), '')"
    return F.expr(f"IF({code} <> 0, coalesce({name}, concat('ERROR_', {code})), NULL)")
