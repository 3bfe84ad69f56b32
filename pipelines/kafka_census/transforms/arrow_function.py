"""A function over Arrow arrays as a function of columns, on whichever Spark there is.

Spark 4.1 hands Arrow arrays to a UDF; 4.0 knows pandas series only, which are turned into arrays and back.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql.pandas import functions

_NULLABLE = {pa.int32(): pd.Int32Dtype(), pa.float64(): pd.Float64Dtype()}
"""Of pandas' own types an integer cannot be null."""


def arrow_function(
    function: Callable[..., pa.Array], takes: tuple[pa.DataType, ...], gives: str
) -> Callable[..., Column]:
    """The function, whose arrays are as long as each other, as one of columns; `gives` is a SQL type.

    Made on each call: whether a UDF is a classic or a Connect one is settled when it is made. Its kind is taken from
    type hints; Spark's stub wants it as an argument, and Spark warns when it gets one.
    """
    arrow_udf: Any = getattr(functions, "arrow_udf", None)
    if arrow_udf is not None:
        made: Callable[..., Column] = arrow_udf(function, gives)
        return made

    def of_series(*columns: pd.Series) -> pd.Series:
        arrays = [pa.Array.from_pandas(column, type=kind) for column, kind in zip(columns, takes, strict=True)]
        return function(*arrays).to_pandas(types_mapper=_NULLABLE.get)

    pandas_udf: Any = functions.pandas_udf
    of_columns: Callable[..., Column] = pandas_udf(of_series, gives)
    return of_columns
