"""A frame with the columns of a schema.

Columns that the frame has are only named: Spark's `DataFrame.to` builds each list and struct in them again, item by
item and without generated code, even where nothing differs.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from kafka_census.lake.lake import identifier


def with_columns_of(frame: DataFrame, schema: StructType, *, commented: bool) -> DataFrame:
    """The columns of the schema, in its order; columns that the frame lacks are null.

    commented  whether columns get the metadata of the schema, which holds their comments
    """
    own = set(frame.columns)
    nulls = {one.name: f"CAST(NULL AS {one.dataType.simpleString()})" for one in schema.fields if one.name not in own}
    if not commented:
        named = ((identifier(name), nulls.get(name)) for name in schema.names)
        return frame.selectExpr(*[f"{null} AS {name}" if null else name for name, null in named])
    values = ((F.expr(nulls.get(one.name, identifier(one.name))), one) for one in schema.fields)
    return frame.select(*[value.alias(one.name, metadata=one.metadata) for value, one in values])
