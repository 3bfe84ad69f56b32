"""A frame with the columns of a schema.

Columns that the frame has are only named: Spark's `DataFrame.to` builds each list and struct in them again, item by
item and without generated code, even where nothing differs.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType


def with_columns_of(frame: DataFrame, schema: StructType, *, commented: bool) -> DataFrame:
    """The columns of the schema, in its order; columns that the frame lacks are null.

    commented  whether columns get the metadata of the schema, which holds their comments
    """
    own = {field.name: field for field in frame.schema.fields}

    def column(field: StructField) -> Column | str:
        if field.name in own and (not commented or own[field.name].metadata == field.metadata):
            return field.name
        value = F.col(field.name) if field.name in own else F.lit(None).cast(field.dataType)
        return value.alias(field.name, metadata=field.metadata) if commented else value.alias(field.name)

    return frame.select(*map(column, schema.fields))
