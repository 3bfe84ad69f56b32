"""A frame with the columns of a schema.

Columns that the frame has are only named: Spark's `DataFrame.to` builds each list and struct in them again, item by
item and without generated code, even where nothing differs.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType


def with_columns_of(frame: DataFrame, schema: StructType, *, commented: bool) -> DataFrame:
    """The columns of the schema, in its order; columns that the frame lacks are null.

    commented  whether columns get the metadata of the schema, which holds their comments
    """
    own = set(frame.columns)
    values = [
        one.name if one.name in own else f"CAST(NULL AS {one.dataType.simpleString()}) AS {one.name}"
        for one in schema.fields
    ]
    if not commented:
        return frame.selectExpr(*values)
    named = zip(values, schema.fields, strict=True)
    return frame.select(*[F.expr(value).alias(one.name, metadata=one.metadata) for value, one in named])
