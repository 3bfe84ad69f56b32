"""A function over Arrow arrays as a function of columns, on every supported Spark.

Spark 4.1 passes Arrow arrays to a UDF; 4.0 passes only pandas series, which are converted to arrays and back.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql.pandas import functions

_NULLABLE = {pa.int32(): pd.Int32Dtype(), pa.float64(): pd.Float64Dtype()}
"""Of the pandas types, an integer cannot be null by default."""


def arrow_function(
    function: Callable[..., pa.Array], takes: tuple[pa.DataType, ...], gives: str
) -> Callable[..., Column]:
    """The function over arrays of equal length as a function of columns; `gives` is a SQL type.

    The UDF is made on each call, because a UDF is a classic or a Connect one from its creation. Its kind follows from
    the type hints; Spark's stub requires the kind as an argument, but Spark warns when it gets one.
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
