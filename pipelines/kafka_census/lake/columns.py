"""A frame with the columns of a schema.

Columns that the frame has are only named: Spark's `DataFrame.to` builds each list and struct in them again, item by
item and without generated code, even where nothing differs.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from kafka_census.lake.lake import identifier


def with_columns_of(frame: DataFrame, schema: StructType, *, commented: bool) -> DataFrame:
    """The columns of the schema, in its order; columns that the frame lacks are null.

    commented  whether columns get the metadata of the schema, which holds the comments, also of fields inside. Null
               columns without them are SQL, which Spark reads sooner than the JSON of a type: 1 ms each
    """
    own = set(frame.columns)
    if not commented:
        return frame.selectExpr(*[identifier(one.name) if one.name in own else _null(one) for one in schema.fields])
    values = ((F.col(one.name) if one.name in own else F.lit(None).cast(one.dataType), one) for one in schema.fields)
    return frame.select(*[value.alias(one.name, metadata=one.metadata) for value, one in values])


def _null(field: StructField) -> str:
    return f"CAST(NULL AS {field.dataType.simpleString()}) AS {identifier(field.name)}"
